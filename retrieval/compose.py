"""Composition: the one place that knows concrete classes. Built on the first call, once a process.

`azure.identity` takes a third of the start-up time of an app that has keys, so it is imported where one is needed.
"""

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential

from retrieval.backends.agent_store import MemoryAgentStore
from retrieval.backends.azure_openai import SCOPE, AzureOpenAIModel
from retrieval.backends.azure_search import AzureSearchIndex
from retrieval.contracts.azure.v2025_05_01_preview import read_agents
from retrieval.endpoints import InFlight, Service
from retrieval.errors import NotConfigured
from retrieval.model import Agent, ModelDeployment
from retrieval.ports import ChatModel, SearchIndex
from retrieval.settings import Settings, address_fault, gather, secret_fault

Identity: TypeAlias = Callable[[], AsyncTokenCredential]

APP_ROOT: Final = Path(__file__).resolve().parent.parent


@cache
def service() -> Service:
    """The service of this process. Raises NotConfigured; the next call tries again."""
    settings, problems = gather(os.environ)
    if problems:
        raise NotConfigured((*problems, *_faults_of_agents(settings)))
    return compose(settings)


def start() -> tuple[str, ...]:
    """Compose now, not on the first call. What is missing or malformed, one sentence each; empty when all is well."""
    try:
        service()
    except NotConfigured as error:
        return error.problems
    return ()


async def end() -> None:
    """Give back what the service of this process holds, if there is one; the next call composes anew."""
    if service.cache_info().currsize:
        await service().close()
        service.cache_clear()


def compose(settings: Settings) -> Service:
    """A service over what the settings name. Raises NotConfigured."""
    held = AsyncExitStack()
    identity = cache(lambda: _identity(settings, held))
    search = _search(settings, identity, held)
    return Service(
        index=search.index,
        agents=MemoryAgentStore(_distinct((*search.agents, *_agents_of_file(settings)))),
        model_of=_models(settings, identity, held),
        query_keys=settings.query_keys,
        in_flight=InFlight(settings.max_concurrent_requests),
        clock=lambda: datetime.now(UTC),
        close=held.aclose,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search index, and the agents that come with it."""

    index: SearchIndex
    agents: tuple[Agent, ...] = ()


def _search(settings: Settings, identity: Identity, held: AsyncExitStack) -> Search:
    if settings.stand_in:
        return _local_search(settings)
    if settings.azure_search_endpoint is None:
        raise NotConfigured(["AZURE_SEARCH_ENDPOINT is missing."])
    key = settings.azure_search_api_key
    credential = identity() if key is None else AzureKeyCredential(key)
    index = AzureSearchIndex(settings.azure_search_endpoint, credential, fields=settings.index_fields)
    held.push_async_callback(index.close)
    return Search(index=index)


def _local_search(settings: Settings) -> Search:
    from retrieval.local.stand_in import stand_in
    from retrieval.local.transport import AsyncInProcessTransport

    local = stand_in(tuple(settings.local_corpora.items()))
    index = AzureSearchIndex(
        local.endpoint,
        AzureKeyCredential(local.key),
        fields=settings.index_fields,
        transport=lambda: AsyncInProcessTransport(local.service),
    )
    return Search(index=index, agents=local.agents)


def _agents_of_file(settings: Settings) -> tuple[Agent, ...]:
    if settings.agents_file is None:
        return ()
    try:
        agents = read_agents((APP_ROOT / settings.agents_file).read_bytes())
    except OSError as error:
        raise NotConfigured([f"AGENTS_FILE cannot be read: {error.strerror}."]) from None
    except ValueError as error:
        raise NotConfigured([f"AGENTS_FILE is not a JSON array of agent definitions: {error}."]) from None
    if problems := [problem for agent in agents for problem in _faults_of_model(agent)]:
        raise NotConfigured(problems)
    return agents


def _faults_of_model(agent: Agent) -> Iterator[str]:
    if agent.model is None:
        return
    if fault := address_fault(agent.model.endpoint):
        yield f"AGENTS_FILE: the model's resourceUri of agent {agent.name!r} {fault}"
    if agent.model.api_key and (fault := secret_fault(agent.model.api_key)):
        yield f"AGENTS_FILE: the model's apiKey of agent {agent.name!r} {fault}"


def _faults_of_agents(settings: Settings) -> tuple[str, ...]:
    try:
        _agents_of_file(settings)
    except NotConfigured as error:
        return error.problems
    return ()


def _models(settings: Settings, identity: Identity, held: AsyncExitStack) -> Callable[[Agent], ChatModel | None]:
    """The agent's model comes first, then the deployment's, then none."""
    usual = _usual_model(settings)

    @cache
    def provider() -> Callable[[], Awaitable[str]]:
        from azure.identity.aio import get_bearer_token_provider

        return get_bearer_token_provider(identity(), SCOPE)

    async def token() -> str:
        return await provider()()

    @cache
    def model(deployment: ModelDeployment) -> ChatModel:
        made = AzureOpenAIModel(deployment, token=token)
        held.push_async_callback(made.close)
        return made

    def model_of(agent: Agent) -> ChatModel | None:
        deployment = agent.model or usual
        return None if deployment is None else model(deployment)

    return model_of


def _distinct(agents: Sequence[Agent]) -> Sequence[Agent]:
    counted = Counter(agent.name for agent in agents)
    if repeated := [name for name, count in counted.items() if count > 1]:
        raise NotConfigured([f"Several agents are called {name!r}." for name in repeated])
    return agents


def _usual_model(settings: Settings) -> ModelDeployment | None:
    if settings.azure_openai_endpoint is None or settings.azure_openai_deployment is None:
        return None
    return ModelDeployment(
        endpoint=settings.azure_openai_endpoint,
        deployment=settings.azure_openai_deployment,
        api_key=settings.azure_openai_api_key,
    )


def _identity(settings: Settings, held: AsyncExitStack) -> AsyncTokenCredential:
    """In Azure the managed identity, on a developer's machine whatever `DefaultAzureCredential` finds."""
    from azure.identity.aio import DefaultAzureCredential, ManagedIdentityCredential

    credential: ManagedIdentityCredential | DefaultAzureCredential
    if settings.in_azure:
        credential = ManagedIdentityCredential(client_id=settings.azure_client_id)
    else:
        credential = DefaultAzureCredential()
    held.push_async_callback(credential.close)
    return credential
