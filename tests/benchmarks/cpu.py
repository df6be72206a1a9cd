"""CPU time of a retrieve with a model and five sub-queries, beside the SDKs' typed way to make the same six calls.

Beside it, in the same run, `SearchClient.search()` with its results iterated and `chat.completions.create()`: no merge,
no grounding, no answer. Only this process's CPU time counts; the servers are in another one.
"""

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from statistics import median
from time import process_time
from typing import Final

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from openai import AsyncAzureOpenAI

from retrieval.backends.azure_openai.chat_completions import API_VERSION
from retrieval.compose import compose
from retrieval.contracts import contract
from retrieval.engine.pipeline import retrieve
from retrieval.engine.plan import PROMPT, reply_schema
from retrieval.http.service import Service
from retrieval.model.activity import SearchActivity
from retrieval.model.definitions import Agent, IndexFields, ModelDeployment, Target
from retrieval.model.retrieval import Outcome
from retrieval.settings.settings import Settings
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import DOCUMENTS, FIVE, upstream

KEY: Final = "benchmark-key"
ROUNDS: Final = 16
CALLS: Final = 10
WARM_UP: Final = 10
BODY: Final = json.dumps(
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads follow rivers to harbours?"}]}]}
).encode()

Call = Callable[[], Awaitable[object]]


@asynccontextmanager
async def ours(address: str) -> AsyncIterator[Callable[[], Awaitable[Outcome]]]:
    """From the bytes of a request to the bytes of its answer, and the outcome that it renders.

    Past the contract's parser the request asks for 250 documents, since the 200 of the contract are four sub-queries.
    """
    agent = Agent(
        name="planner",
        targets=(Target(index="atlas"),),
        model=ModelDeployment(endpoint=address, deployment="planner-model"),
    )
    service: Service = compose(
        Settings(
            azure_search_endpoint=address,
            azure_search_api_key=KEY,
            azure_openai_endpoint=address,
            azure_openai_deployment="planner-model",
            azure_openai_api_key=KEY,
            api_keys=(KEY,),
            index_fields={
                "atlas": IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))
            },
        )
    )
    index, clock = service.indexes.search, service.process.clock
    spoken = contract("agents", "2025-05-01-preview")

    async def call() -> Outcome:
        asked = spoken.parse(BODY, agent, user_token=None)
        request = replace(asked, targets=tuple(replace(target, max_documents=250) for target in asked.targets))
        outcome = await retrieve(request, index=index, model=service.models.of(agent), clock=clock)
        found = [activity.found for activity in outcome.activity if isinstance(activity, SearchActivity)]
        assert found == [DOCUMENTS] * len(FIVE)
        assert spoken.render(outcome).status == 200
        return outcome

    yield call
    await service.process.close()


@asynccontextmanager
async def typed(address: str) -> AsyncIterator[Call]:
    """The same calls by the SDKs' own models."""
    search = SearchClient(address, "atlas", AzureKeyCredential(KEY))
    model = AsyncAzureOpenAI(azure_endpoint=address, api_version=API_VERSION, api_key=KEY, max_retries=0)

    async def one(text: str) -> int:
        results = await search.search(
            search_text=text,
            query_type="semantic",
            semantic_configuration_name="usual",
            select=["id", "title", "content"],
            top=DOCUMENTS,
        )
        return len([result async for result in results])

    async def call() -> None:
        completion = await model.chat.completions.create(
            model="planner-model",
            messages=[{"role": "user", "content": BODY.decode()}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": PROMPT, "strict": True, "schema": dict(reply_schema())},
            },
        )
        planned = json.loads(completion.choices[0].message.content or "")["queries"]
        assert await asyncio.gather(*map(one, planned)) == [DOCUMENTS] * len(FIVE)

    async with search, model:
        yield call


async def milliseconds(call: Call) -> float:
    """CPU time a call, one after the other, collected garbage aside."""
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        await call()
    return (process_time() - start) * 1000 / CALLS


async def main() -> None:
    with upstream("cpu") as address:
        async with ours(address) as mine, typed(address) as theirs:
            for call in (mine, theirs):
                await asyncio.gather(*(call() for _ in range(WARM_UP)))
            rounds = [(await milliseconds(mine), await milliseconds(theirs)) for _ in range(ROUNDS)]
    ours_ms, theirs_ms = median(one for one, _ in rounds), median(other for _, other in rounds)
    ratio = median(one / other for one, other in rounds)
    note = f"{ours_ms:.2f} ms a retrieve, {theirs_ms:.2f} ms with SearchClient.search() and openai alone"
    show("CPU time of a retrieve, five sub-queries", [Row(name="retrieve", value=ratio, target=0.4, note=note)])


if __name__ == "__main__":
    asyncio.run(main())
