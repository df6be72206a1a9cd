"""The engine of a deployment over a scripted Azure with two sources and a model, on a clock that jumps."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

import pytest

from retrieval.call.ports import Ports
from retrieval.compose import compose_service
from retrieval.http.service import Service
from retrieval.model.conversation import Message
from retrieval.model.definitions import Agent, IndexFields, ModelDeployment, Target
from retrieval.model.retrieval import Limits, Outcome, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.retrieve import retrieve_documents
from retrieval.retrieve.synthesis import retrieve_and_write
from retrieval.settings.settings import Settings
from tests.call.test_observing import Watcher
from tests.scenarios.failures.conftest import MODEL_KEY, pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure

__all__ = ["pytest_asyncio_loop_factories"]

RUNTIME: Final = 10.0
QUESTION: Final = Message(role="user", text="Coast")
"""It is also a query of the plans that most tests script, so that none is added for the whole question."""
ROADS: Final = SearchTarget(index="roads", source="road-source", description="Roads of the coast", threshold=1.0)
RIVERS: Final = SearchTarget(index="rivers", source="river-source", description="Rivers and harbours", threshold=1.0)
REQUEST: Final = RetrievalRequest(
    messages=(QUESTION,), targets=(ROADS, RIVERS), limits=Limits(output_tokens=5_000, runtime=RUNTIME), nonce="5f0c9a"
)

Retrieve = Callable[..., Coroutine[Any, Any, Outcome]]


def with_targets(*targets: SearchTarget, **said: Any) -> RetrievalRequest:
    return replace(REQUEST, targets=targets, **said)


@pytest.fixture
async def service(azure: ScriptedAzure) -> AsyncIterator[Service]:
    fields = IndexFields(key="id", semantic_configuration="usual", title="title", content=("content",))
    service = compose_service(
        Settings(
            azure_search_endpoint=azure.address,
            azure_search_api_key="search-key",
            azure_openai_endpoint=azure.address,
            azure_openai_deployment="planner-model",
            azure_openai_api_key=MODEL_KEY,
            api_keys=("key",),
            index_fields={"roads": fields, "rivers": fields},
        )
    )
    yield service
    await service.process.close()


@pytest.fixture
def deployment(azure: ScriptedAzure) -> ModelDeployment:
    return ModelDeployment(endpoint=azure.address, deployment="planner-model", model_name="gpt-scripted")


@pytest.fixture
def planner(deployment: ModelDeployment) -> Agent:
    return Agent(name="planner", targets=(Target(index="roads"),), model=deployment)


@pytest.fixture
def retrieve(service: Service, deployment: ModelDeployment) -> Retrieve:
    """Run a request, with the model or without; no call takes longer than it may."""

    async def run(
        request: RetrievalRequest = REQUEST, *, model: bool = True, watcher: Watcher | None = None
    ) -> Outcome:
        start = asyncio.get_running_loop().time()
        try:
            work = retrieve_and_write if request.output == "synthesis" else retrieve_documents.retrieve
            return await work(
                request,
                Ports(
                    index=service.indexes.search,
                    model=service.models.of(deployment) if model else None,
                    clock=service.process.clock,
                    schemas=service.indexes.federated,
                    deployment=deployment if model else None,
                ),
                observers=[] if watcher is None else [watcher],
            )
        finally:
            assert asyncio.get_running_loop().time() - start <= request.limits.runtime + 0.1

    return run
