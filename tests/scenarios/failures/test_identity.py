"""The model is called with the service's own identity: its token is sent, and one that cannot be had costs a plan."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from time import monotonic
from typing import Final

import pytest
from azure.core.exceptions import AzureError, ClientAuthenticationError, ServiceRequestError

from retrieval.compose import compose_service
from retrieval.definitions.cache import AgentCache
from retrieval.definitions.seeded_store import MemoryStore, SeededStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from retrieval.errors import BackendUnavailable
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.service import Agents
from retrieval.http.serving import answer
from retrieval.model.conversation import Prompt
from retrieval.model.definitions import Agent, IndexFields, ModelDeployment, Source, Target
from retrieval.models.chat_completions import AzureOpenAIModel
from retrieval.settings.settings import Settings
from retrieval.version import USER_AGENT
from tests.conftest import Response
from tests.scenarios.failures.answer import keys, planning
from tests.scenarios.failures.conftest import CALLER_KEY, SEARCH_KEY
from tests.scripted_azure import ScriptedAzure, document, found, queries

BODY: Final = b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads?"}]}]}'


async def retrieve(azure: ScriptedAzure, token: Callable[[], Awaitable[str]], *, path: str = "") -> Response:
    """One call to an agent whose model has no key, at a path of the service."""
    azure.search, azure.chat = found(document("road", 3.1)), queries("roads")
    settings = Settings(
        azure_search_endpoint=azure.address,
        azure_search_api_key=SEARCH_KEY,
        api_keys=(CALLER_KEY,),
        index_fields={"atlas": IndexFields(key="id", title="title", content=("content",))},
    )
    deployment = ModelDeployment(endpoint=azure.address + path, deployment="planner-model")
    model = AzureOpenAIModel(deployment, token=token)
    agents = [Agent(name="planner", targets=(Target(index="atlas"),))]
    composed = compose_service(settings)
    kept, sources = SeededStore(MemoryStore(agents), AGENTS), SeededStore(MemoryStore[Source](), SOURCES)
    looked_up = Agents(store=kept, lookup=AgentCache(kept, sources, {}, ticks=monotonic), sources=sources)
    models = replace(composed.models, usual=deployment, of=lambda deployment: model)
    service = replace(composed, agents=looked_up, models=models)
    query = {"api-version": "2025-05-01-preview"}
    call = Call(headers={"api-key": CALLER_KEY}, query=query, route={"name": "planner"}, body=BODY)
    try:
        rendered = await answer(RETRIEVE, service, call, contract_name="agents")
    finally:
        await service.process.close()
        await model.close()
    return Response(status=rendered.status, headers=rendered.headers, body=rendered.content)


@pytest.mark.parametrize("path", ["", "/openai/v1"])
async def test_the_token_of_the_service_goes_to_the_model(path: str, azure: ScriptedAzure) -> None:
    async def token() -> str:
        return "token-of-the-service"

    answer = await retrieve(azure, token, path=path)
    assert "error" not in planning(answer)
    asked = azure.chats[0].request
    assert asked.header("authorization") == "Bearer token-of-the-service"
    assert asked.header("user-agent") == USER_AGENT
    assert asked.header("accept-encoding") == "identity"
    assert "token-of-the-service" not in answer.body.decode()


@pytest.mark.parametrize("path", ["", "/openai/v1"])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ClientAuthenticationError("No identity is assigned."), "BackendForbidden"),
        (ServiceRequestError("No route to the identity endpoint."), "BackendUnavailable"),
    ],
)
async def test_without_a_token_the_plan_is_made_without_the_model(
    error: AzureError, code: str, path: str, azure: ScriptedAzure
) -> None:
    async def token() -> str:
        raise error

    answer = await retrieve(azure, token, path=path)
    assert answer.status == 200
    assert planning(answer)["error"]["code"] == code
    assert keys(answer) == ["road"]
    assert azure.chats == []


async def test_a_text_that_cannot_be_sent_is_told(azure: ScriptedAzure) -> None:
    deployment = ModelDeployment(endpoint=azure.address, deployment="planner-model", api_key="key")
    model = AzureOpenAIModel(deployment, token=_no_token)
    try:
        with pytest.raises(BackendUnavailable, match="a text that is not valid"):
            await model.complete(Prompt(name="plan", instructions="half a character: \ud800", data="", schema={}))
    finally:
        await model.close()
    assert azure.chats == []


async def _no_token() -> str:
    raise AssertionError
