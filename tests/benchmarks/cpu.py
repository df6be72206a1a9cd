"""CPU time of a retrieve with a model and five sub-queries, beside the same six calls by the SDKs and by bare HTTP.

Three ways, in turns, in one process: the service, from the call that the Functions host hands over to the answer's
bytes; the SDKs, `SearchClient.search()` with its results iterated and `chat.completions.create()`; and the floor, the
six requests by aiohttp with their JSON parsed, by pydantic-core, which takes as long as orjson. The other two do not
merge, ground or answer. Only this process's CPU time counts; the servers are in another one.
"""

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from time import process_time
from typing import Any, Final

import pydantic_core
from aiohttp import ClientSession, TCPConnector
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from openai import AsyncAzureOpenAI

from retrieval.backends.azure_openai.chat_completions import API_VERSION
from retrieval.backends.azure_search import index
from retrieval.compose import compose
from retrieval.engine.plan import PROMPT, reply_schema
from retrieval.http.call import Call
from retrieval.http.endpoints import ENDPOINTS
from retrieval.http.service import Service
from retrieval.http.serving import serve
from retrieval.model.definitions import Agent, IndexFields, Target
from retrieval.model.etags import Precondition
from retrieval.settings.settings import Settings
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import DOCUMENTS, FIVE, upstream

KEY: Final = "benchmark-key"
ROUNDS: Final = 24
CALLS: Final = 8
WARM_UP: Final = 10
BODY: Final = json.dumps(
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads follow rivers to harbours?"}]}]}
).encode()
CALL: Final = Call(
    headers={"api-key": KEY, "content-type": "application/json", "host": "localhost"},
    query={"api-version": "2025-05-01-preview"},
    route={"name": "planner"},
    path="/agents/planner/retrieve",
    raw_query="api-version=2025-05-01-preview",
    body=BODY,
    request_id="5f3c8a52-0f6e-4a44-93d1-5a0f1f1f1c11",
)
SEARCH: Final[dict[str, Any]] = {
    "query_type": "semantic",
    "semantic_configuration_name": "usual",
    "select": ["id", "title", "content"],
    "top": DOCUMENTS,
}
ASKED: Final[dict[str, Any]] = {
    "model": "planner-model",
    "messages": [{"role": "user", "content": BODY.decode()}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": PROMPT, "strict": True, "schema": dict(reply_schema())},
    },
}

Asking = Callable[[], Awaitable[object]]


@asynccontextmanager
async def composed(address: str) -> AsyncIterator[Service]:
    """The service with an agent that asks for 250 documents, since the 200 of the contract are four sub-queries."""
    agent = Agent(name="planner", targets=(Target(index="atlas", max_documents=50 * len(FIVE)),))
    service = compose(
        Settings(
            azure_search_endpoint=address,
            azure_search_api_key=KEY,
            azure_openai_endpoint=address,
            azure_openai_deployment="planner-model",
            azure_openai_api_key=KEY,
            api_keys=(KEY,),
            agents_store="memory",
            index_fields={
                "atlas": IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))
            },
        )
    )
    await service.agents.store.put(agent, when=Precondition())
    yield service
    await service.process.close()


async def ours(service: Service) -> None:
    """The whole service but the socket of its caller: access, contract, retrieval, answer, log line."""
    answer = await serve(ENDPOINTS["POST agents/{name}/retrieve"], CALL, lambda: service)
    assert answer.status == 200 and answer.counts["found"] == DOCUMENTS * len(FIVE)


@asynccontextmanager
async def typed(address: str) -> AsyncIterator[Asking]:
    """The same calls by the SDKs' own models."""
    search = SearchClient(address, "atlas", AzureKeyCredential(KEY))
    model = AsyncAzureOpenAI(azure_endpoint=address, api_version=API_VERSION, api_key=KEY, max_retries=0)

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
    searching = f"{address}/indexes('atlas')/docs/search.post.search?api-version={index.API_VERSION}"
    asking = f"{address}/openai/deployments/planner-model/chat/completions?api-version={API_VERSION}"
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


async def milliseconds(call: Asking) -> float:
    """CPU time a call, one after the other, collected garbage aside."""
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        await call()
    return (process_time() - start) * 1000 / CALLS


async def main() -> None:
    with upstream("cpu") as address:
        async with composed(address) as service, typed(address) as theirs, bare(address) as floor:
            ways = (partial(ours, service), theirs, floor)
            for call in ways:
                await asyncio.gather(*(call() for _ in range(WARM_UP)))
            rounds = [[await milliseconds(call) for call in ways] for _ in range(ROUNDS)]
    ours_ms, theirs_ms, floor_ms = (median(one) for one in zip(*rounds, strict=True))
    over_floor, over_sdks = (median(one[0] / one[way] for one in rounds) for way in (2, 1))
    show(
        "CPU time of a retrieve, five sub-queries",
        [
            Row(name="floor", value=over_floor, target=4.5, note=f"{ours_ms:.2f} ms, aiohttp alone {floor_ms:.2f} ms"),
            Row(name="SDKs", value=over_sdks, target=0.25, note=f"SearchClient.search() and openai {theirs_ms:.2f} ms"),
        ],
    )


if __name__ == "__main__":
    asyncio.run(main())
