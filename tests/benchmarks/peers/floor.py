"""The floor: the six calls with aiohttp and orjson, and nothing around them."""

# mypy: ignore-errors

import asyncio
from contextlib import asynccontextmanager

import aiohttp
import orjson
from measure import KEY, QUESTION, run


@asynccontextmanager
async def peer(address):
    headers, unlimited = {"api-key": KEY, "content-type": "application/json"}, aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers=headers, connector=unlimited) as session:

        async def post(path, body):
            async with session.post(address + path, data=orjson.dumps(body)) as response:
                response.raise_for_status()
                return orjson.loads(await response.read())

        async def search(text):
            body = {"search": text, "queryType": "semantic", "semanticConfiguration": "usual", "top": 50}
            found = await post("/indexes('atlas')/docs/search.post.search?api-version=2026-04-01", body)
            return found["value"]

        async def ask():
            body = {"messages": [{"role": "user", "content": f"Plan as JSON: {QUESTION}"}]}
            planned = await post("/openai/deployments/planner/chat/completions?api-version=2024-10-21", body)
            queries = orjson.loads(planned["choices"][0]["message"]["content"])["queries"]
            pages = await asyncio.gather(*map(search, queries))
            return len({one["id"]: one for page in pages for one in page})

        yield ask


run(peer)
