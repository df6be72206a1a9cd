"""The six calls of a retrieve with a model and five sub-queries without this service: by the SDKs, and by bare HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import pydantic_core
from aiohttp import ClientSession, TCPConnector
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from openai import AsyncAzureOpenAI

from tests.benchmarks.upstream import DOCUMENTS, FIVE

KEY: Final = "benchmark-key"
QUESTION: Final = "Which roads follow rivers to harbours?"
SEARCH_VERSION: Final = "2026-04-01"
MODEL_VERSION: Final = "2025-04-01-preview"
PLAN: Final = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
SEARCH: Final[dict[str, Any]] = {
    "query_type": "semantic",
    "semantic_configuration_name": "usual",
    "select": ["id", "title", "content"],
    "top": DOCUMENTS,
}
ASKED: Final[dict[str, Any]] = {
    "model": "planner-model",
    "messages": [{"role": "user", "content": QUESTION}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "plan", "strict": True, "schema": PLAN},
    },
}

Asking = Callable[[], Awaitable[object]]


@asynccontextmanager
async def typed(address: str) -> AsyncIterator[Asking]:
    """The same calls by the SDKs' own models."""
    search = SearchClient(address, "atlas", AzureKeyCredential(KEY))
    model = AsyncAzureOpenAI(azure_endpoint=address, api_version=MODEL_VERSION, api_key=KEY, max_retries=0)

    async def one(text: str) -> int:
        results = await search.search(search_text=text, **SEARCH)
        return len([result async for result in results])

    async def call() -> None:
        completion = await model.chat.completions.create(**ASKED)
        planned = json.loads(completion.choices[0].message.content or "")["queries"]
        assert await asyncio.gather(*map(one, planned)) == [DOCUMENTS] * len(FIVE)

    async with search, model:
        yield call


@asynccontextmanager
async def bare(address: str) -> AsyncIterator[Asking]:
    """The six requests and their JSON, and nothing else."""
    searching = f"{address}/indexes('atlas')/docs/search.post.search?api-version={SEARCH_VERSION}"
    asking = f"{address}/openai/deployments/planner-model/chat/completions?api-version={MODEL_VERSION}"
    body = {
        "queryType": "semantic",
        "semanticConfiguration": "usual",
        "select": "id,title,content",
        "top": DOCUMENTS,
    }
    headers = {"api-key": KEY, "content-type": "application/json"}

    async with ClientSession(connector=TCPConnector(limit=0), headers=headers) as session:

        async def post(url: str, sent: object) -> Any:
            async with session.post(url, data=pydantic_core.to_json(sent)) as answer:
                return pydantic_core.from_json(await answer.read())

        async def one(text: str) -> int:
            return len((await post(searching, {**body, "search": text}))["value"])

        async def call() -> None:
            completion = await post(asking, ASKED)
            planned = pydantic_core.from_json(completion["choices"][0]["message"]["content"])["queries"]
            assert await asyncio.gather(*map(one, planned)) == [DOCUMENTS] * len(FIVE)

        yield call
