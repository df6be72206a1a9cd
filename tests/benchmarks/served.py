"""This service and one call of it, with a model and five sub-queries: from the host's call to the answer's bytes."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from retrieval.compose import compose_service
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.service import Service
from retrieval.http.serving import serve
from retrieval.model.definitions import Agent, IndexFields, Target
from retrieval.model.precondition import Precondition
from retrieval.settings.settings import Settings
from tests.benchmarks.upstream import DOCUMENTS, FIVE

KEY: Final = "benchmark-key"
FOUND: Final = f'"count":{DOCUMENTS}'.encode()
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


@asynccontextmanager
async def composed(address: str) -> AsyncIterator[Service]:
    """The service with an agent that asks for 250 documents, since the 200 of the contract are four sub-queries."""
    agent = Agent(name="planner", targets=(Target(index="atlas", max_documents=50 * len(FIVE)),), effort="low")
    service = compose_service(
        Settings(
            azure_search_endpoint=address,
            azure_search_api_key=KEY,
            azure_openai_endpoint=address,
            azure_openai_deployment="planner-model",
            azure_openai_api_key=KEY,
            api_keys=(KEY,),
            agents_store="memory",
            wait_for_late_searches=True,  # what else runs on the machine makes a search late
            index_fields={
                "atlas": IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))
            },
        )
    )
    await service.agents.store.put(agent, when=Precondition())
    yield service
    await service.process.close()


_COMPOSED: Final[dict[int, Callable[[], Service]]] = {}
"""One function a service, as the app has: what is new to a process is composed beside the event loop."""


async def ours(service: Service) -> None:
    """The whole service but the socket of its caller: access, contract, retrieval, answer, log line."""
    composing = _COMPOSED.setdefault(id(service), lambda: service)
    answer = await serve(RETRIEVE, CALL, composing)
    assert answer.status == 200 and answer.content.count(FOUND) == len(FIVE)
