"""Microsoft's and OpenAI's packages by hand: `SearchClient.search()` and `chat.completions.create()`."""

# mypy: ignore-errors

import asyncio
import json
from contextlib import asynccontextmanager

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from measure import KEY, QUESTION, run
from openai import AsyncAzureOpenAI


@asynccontextmanager
async def peer(address):
    model = AsyncAzureOpenAI(azure_endpoint=address, api_version="2024-10-21", api_key=KEY)
    async with SearchClient(address, "atlas", AzureKeyCredential(KEY)) as client, model:

        async def search(text):
            found = await client.search(text, query_type="semantic", semantic_configuration_name="usual", top=50)
            return [one async for one in found]

        async def ask():
            messages = [{"role": "user", "content": f"Plan as JSON: {QUESTION}"}]
            planned = await model.chat.completions.create(model="planner", messages=messages)
            queries = json.loads(planned.choices[0].message.content)["queries"]
            pages = await asyncio.gather(*map(search, queries))
            return len({one["id"]: one for page in pages for one in page})

        yield ask


run(peer)
