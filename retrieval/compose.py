"""Composition: the one place that knows concrete classes. Built on the first call, once a process."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.identity.aio import DefaultAzureCredential, ManagedIdentityCredential, get_bearer_token_provider

from retrieval.backends.agent_store import MemoryAgentStore
from retrieval.backends.azure_openai import SCOPE, AzureOpenAIModel
from retrieval.backends.azure_search import AzureSearchIndex
from retrieval.contracts.azure.v2025_05_01_preview import read_agents
from retrieval.endpoints import InFlight, Service
from retrieval.errors import NotConfigured
from retrieval.model import Agent, ModelDeployment
from retrieval.ports import ChatModel, SearchIndex
from retrieval.settings import Settings, read

APP_ROOT: Final = Path(__file__).resolve().parent.parent


@cache
def service() -> Service:
    """The service of this process. Raises NotConfigured; the next call tries again."""
    return compose(read(os.environ))


def start() -> tuple[str, ...]:
    """Compose now, not on the first call. What is missing or malformed, one sentence each; empty when all is well."""
    try:
        service()
    except NotConfigured as error:
        return error.problems
    return ()


def compose(settings: Settings) -> Service:
    """A service over what the settings name. Raises NotConfigured."""
    search = _search(settings)
    agents = (*search.agents, *_agents_of_file(settings))
    return Service(
        index=search.index,
        agents=MemoryAgentStore(agents),
        model_of=_models(settings),
        query_keys=settings.query_keys,
        in_flight=InFlight(settings.max_concurrent_requests),
        clock=lambda: datetime.now(UTC),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search index, and the agents that come with it."""

    index: SearchIndex
    agents: tuple[Agent, ...] = ()


def _search(settings: Settings) -> Search:
    if settings.stand_in:
        return _local_search(settings)
    if settings.azure_search_endpoint is None:
        raise NotConfigured(["AZURE_SEARCH_ENDPOINT is missing."])
    key = settings.azure_search_api_key
    credential = _identity(settings.in_azure, settings.azure_client_id) if key is None else AzureKeyCredential(key)
    return Search(index=AzureSearchIndex(settings.azure_search_endpoint, credential, fields=settings.index_fields))


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
        return read_agents((APP_ROOT / settings.agents_file).read_bytes())
    except OSError as error:
        raise NotConfigured([f"AGENTS_FILE cannot be read: {error.strerror}."]) from None
    except ValueError as error:
        raise NotConfigured([f"AGENTS_FILE is not a JSON array of agent definitions: {error}."]) from None


def _models(settings: Settings) -> Callable[[Agent], ChatModel | None]:
    """The agent's model comes first, then the deployment's, then none."""

    @cache
    def model(deployment: ModelDeployment) -> ChatModel:
        return AzureOpenAIModel(deployment, token=token)

    def model_of(agent: Agent) -> ChatModel | None:
        deployment = agent.model or usual
        return None if deployment is None else model(deployment)

    async def token() -> str:
        return await provider()()

    @cache
    def provider() -> Callable[[], Awaitable[str]]:
        return get_bearer_token_provider(_identity(settings.in_azure, settings.azure_client_id), SCOPE)

    usual = _usual_model(settings)
    return model_of


def _usual_model(settings: Settings) -> ModelDeployment | None:
    if settings.azure_openai_endpoint is None or settings.azure_openai_deployment is None:
        return None
    return ModelDeployment(
        endpoint=settings.azure_openai_endpoint,
        deployment=settings.azure_openai_deployment,
        api_key=settings.azure_openai_api_key,
    )


@cache
def _identity(in_azure: bool, client_id: str | None) -> AsyncTokenCredential:
    """In Azure the managed identity, on a developer's machine whatever `DefaultAzureCredential` finds."""
    if in_azure:
        return ManagedIdentityCredential(client_id=client_id)
    return DefaultAzureCredential()
