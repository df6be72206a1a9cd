"""Composition: the one place that knows concrete classes. Built on the first call, once a process.

`azure.identity` takes a third of the start-up time of an app that has keys, so it is imported where one is needed.
"""

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeAlias

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential

from retrieval import logs, telemetry
from retrieval.access.admission import Access
from retrieval.access.imposed import ImposedFilters
from retrieval.access.keys import ApiKeys
from retrieval.access.models import AllowedModels
from retrieval.access.principal import Principals
from retrieval.access.rights import Roles
from retrieval.backends.agent_cache import AgentCache
from retrieval.backends.agent_store import MemoryAgentStore
from retrieval.backends.azure_openai import SCOPE, AzureOpenAIModel, ModelNotAllowed
from retrieval.backends.azure_search import AzureSearchIndex
from retrieval.backends.federated import FederatedIndex
from retrieval.contracts.azure.v2025_05_01_preview import read_agents
from retrieval.endpoints import InFlight, Service
from retrieval.environment import address_fault, secret_fault
from retrieval.errors import NotConfigured
from retrieval.model import Agent, ModelDeployment, PublishedIndex
from retrieval.ports import AgentStore, ChatModel, Ticks
from retrieval.settings import Settings, gather

if TYPE_CHECKING:
    from retrieval.access.entra import EntraTokens
    from retrieval.local.stand_in import StandIn
    from retrieval.readiness import Probe, Readiness

Identity: TypeAlias = Callable[[], AsyncTokenCredential]

LOCAL_WORKSPACE: Final = "llm-local"
ANY_INDEX: Final = "any-index"
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


@cache
def readiness() -> "Readiness":
    """What this process knows of its dependencies; it is there before the settings are."""
    from retrieval.readiness import Readiness

    return Readiness(lambda: service().probes, ticks=monotonic)


async def end() -> None:
    """Give back what the service of this process holds, if there is one; the next call composes anew."""
    readiness.cache_clear()
    if service.cache_info().currsize:
        await service().close()
        service.cache_clear()


def compose(settings: Settings, *, ticks: Ticks = monotonic) -> Service:
    """A service over what the settings name. `ticks` is the clock of what is kept for seconds. Raises NotConfigured."""
    from retrieval.access.acs3 import Signatures

    held = AsyncExitStack()
    identity = cache(lambda: _identity(settings, held))
    search = _search(settings, identity, held)
    configured = _distinct((*search.agents, *_agents_of_file(settings)))
    _check_targets(configured, settings)
    allowed = _allowed_models(settings, configured)
    store = _store(settings, identity, held)
    agents = _agents(store, seeds=configured, ticks=ticks)
    model = _model(identity, held)
    asked = map(model, _resources(settings, configured, allowed))
    imposed = ImposedFilters(settings.imposed_filters)
    index = _federated(search.index, settings)
    logs.keep_content_out(settings.log_content)
    return Service(
        index=_traced(index, search.endpoint, settings),
        index_names=index,
        schemas=index,
        bases=frozenset(settings.model_studio_bases),
        agents=agents,
        lookup=agents,
        model_of=_model_of(settings, allowed, model),
        models=allowed,
        access=_access(settings, imposed, held),
        imposed=imposed,
        user_token_agents=frozenset(name.lower() for name in settings.user_token_agents),
        public_hosts=settings.public_hosts,
        log_content=settings.log_content,
        published=_published(configured, search.published, settings),
        signatures=Signatures(secrets=settings.signing_keys, hosts=settings.public_hosts),
        in_flight=InFlight(settings.max_concurrent_requests),
        probes=tuple(_probes(search.index, _some_index(configured, settings), store, models=asked)),
        clock=_utc,
        close=held.aclose,
    )


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Azure AI Search, or what stands in for it, at its address, and the agents that come with it."""

    index: AzureSearchIndex | None
    endpoint: str = ""
    agents: tuple[Agent, ...] = ()
    published: tuple[PublishedIndex, ...] = ()


def _search(settings: Settings, identity: Identity, held: AsyncExitStack) -> Search:
    if settings.stand_in:
        return _local_search(settings)
    if settings.azure_search_endpoint is None:
        return Search(index=None)
    key = settings.azure_search_api_key
    credential = identity() if key is None else AzureKeyCredential(key)
    index = AzureSearchIndex(settings.azure_search_endpoint, credential, fields=settings.index_fields)
    held.push_async_callback(index.close)
    return Search(index=index, endpoint=settings.azure_search_endpoint)


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
    return Search(index=index, endpoint=local.endpoint, agents=local.agents, published=tuple(_locally_published(local)))


def _locally_published(local: "StandIn") -> Iterator[PublishedIndex]:
    """Every local agent's index, under the agent's name, with all that can be filtered by."""
    from retrieval.filters import field_map
    from retrieval.local.search_service.selection import schema

    for agent in local.agents:
        for target in agent.targets:
            fields = field_map.of_schema(schema(local.service.catalog.get(target.index).definition))
            yield PublishedIndex(
                workspace=LOCAL_WORKSPACE, id=agent.name, agent=agent.name, index=target.index, fields=fields
            )


def _published(
    agents: Iterable[Agent], local: Iterable[PublishedIndex], settings: Settings
) -> Mapping[tuple[str, str], PublishedIndex]:
    """What is reached under a workspace and an id. Raises NotConfigured for an index that no agent of that name has."""
    indexes = {agent.name: {target.index for target in agent.targets} for agent in agents}
    published = {**{(one.workspace, one.id): one for one in local}, **settings.workspaces}
    problems = [
        f"WORKSPACES: {one.workspace!r}: index {one.id!r}: the agent {one.agent!r} has no Azure index {one.index!r}."
        for one in published.values()
        if one.index not in indexes.get(one.agent, ()) or one.index in settings.model_studio_bases
    ]
    if problems:
        raise NotConfigured(problems)
    return published


def _federated(index: AzureSearchIndex | None, settings: Settings) -> FederatedIndex:
    """Azure AI Search beside the knowledge bases of Model Studio, whose names come first."""
    bases = settings.model_studio_bases
    access_key_id, access_key_secret = settings.model_studio_access_key_id, settings.model_studio_access_key_secret
    if not bases or access_key_id is None or access_key_secret is None:
        return FederatedIndex({}, otherwise=index)
    from retrieval.backends.model_studio import SDK, ModelStudioIndex

    if find_spec(SDK) is None:
        raise NotConfigured([f"MODEL_STUDIO_BASES needs the package {SDK}: install the extra model-studio."])
    studio = ModelStudioIndex(bases, access_key_id=access_key_id, access_key_secret=access_key_secret)
    return FederatedIndex(dict.fromkeys(bases, studio), otherwise=index)


def _check_targets(agents: Iterable[Agent], settings: Settings) -> None:
    """An agent has one Azure index, or knowledge bases, or both. Raises NotConfigured."""
    azure = settings.stand_in or settings.azure_search_endpoint is not None
    problems = []
    for agent in agents:
        indexes = [target.index for target in agent.targets if target.index not in settings.model_studio_bases]
        if len(indexes) > 1:
            problems.append(
                f"The agent {agent.name!r} has several Azure indexes: {', '.join(indexes)}. One is supported."
            )
        if indexes and not azure:
            problems.append(
                f"The agent {agent.name!r} needs AZURE_SEARCH_ENDPOINT, or {indexes[0]!r} in MODEL_STUDIO_BASES."
            )
    if problems:
        raise NotConfigured(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Where agents made at run time are kept, None for nowhere, and how to find out whether it is there."""

    agents: AgentStore | None
    reach: Callable[[], Awaitable[None]] | None = None


def _store(settings: Settings, identity: Identity, held: AsyncExitStack) -> Store:
    place = settings.store
    if place is None:
        return Store(agents=None)
    if place == "memory":
        return Store(agents=MemoryAgentStore())
    if "://" in place:
        return _table(place, identity, held)
    from retrieval.backends.agent_file import FileAgentStore

    return Store(agents=FileAgentStore(APP_ROOT / place))


def _agents(store: Store, *, seeds: tuple[Agent, ...], ticks: Ticks) -> AgentCache:
    """The store that is configured, with the configured agents in it, behind a memory of a few seconds."""
    if store.agents is None:
        return AgentCache(MemoryAgentStore(seeds, writable=False), ticks=ticks)
    return AgentCache(store.agents, ticks=ticks, seeds=seeds)


def _table(endpoint: str, identity: Identity, held: AsyncExitStack) -> Store:
    """Plain http is Azurite on this machine, which the settings see to; it has a key that everybody knows."""
    from retrieval.backends.agent_table import TableAgentStore, development_key

    credential = development_key(endpoint) if endpoint.startswith("http://") else identity()
    store = TableAgentStore(endpoint, credential)
    held.push_async_callback(store.close)
    return Store(agents=store, reach=store.reach)


def _traced(index: FederatedIndex, endpoint: str, settings: Settings) -> telemetry.TracedIndex:
    """Every sub-query is a span of the service that its target leads to."""
    azure = telemetry.Service(system=telemetry.AZURE_SEARCH, endpoint=endpoint)
    bases = {
        name: telemetry.Service(system=telemetry.MODEL_STUDIO, endpoint=base.endpoint)
        for name, base in settings.model_studio_bases.items()
    }
    return telemetry.TracedIndex(index, service_of=lambda name: bases.get(name, azure), content=settings.log_content)


def _access(settings: Settings, imposed: ImposedFilters, held: AsyncExitStack) -> Access:
    keys = ApiKeys(query=settings.query_keys, admin=settings.admin_keys)
    tenant = settings.entra_tenant_id
    if tenant is None:
        return Access(keys=keys)
    roles = Roles(retrieve=frozenset(settings.entra_retrieve_roles), manage=frozenset(settings.entra_manage_roles))
    authority = f"{settings.entra_authority}/{tenant}"
    tokens = None
    if settings.entra_audience:
        tokens = _tokens(settings, tenant, authority=authority, roles=roles, claims=imposed.claims, held=held)
    principals = Principals(tenant=tenant, roles=roles, claims=imposed.claims) if settings.app_service_auth else None
    return Access(keys=keys, tokens=tokens, principals=principals, authority=authority)


def _tokens(
    settings: Settings, tenant: str, *, authority: str, roles: Roles, claims: frozenset[str], held: AsyncExitStack
) -> "EntraTokens":
    """The JWT library and its cryptography are loaded only where tokens are taken."""
    from retrieval.access.entra import EntraTokens, Tenant
    from retrieval.backends.key_document import KeyDocument

    tokens = EntraTokens(
        Tenant(id=tenant, authority=authority, audiences=settings.entra_audience),
        key_document=KeyDocument(f"{authority}/discovery/v2.0/keys").read,
        roles=roles,
        claims=claims,
        clock=_utc,
    )
    held.push_async_callback(tokens.close)
    return tokens


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


def _allowed_models(settings: Settings, agents: Iterable[Agent]) -> AllowedModels:
    """The deployment's model, those of the configured agents, and those of ALLOWED_MODELS."""
    usual = _usual_model(settings)
    named = [
        ModelDeployment(
            endpoint=endpoint,
            deployment=deployment,
            api_key=settings.azure_openai_api_key if endpoint == settings.azure_openai_endpoint else None,
        )
        for endpoint, deployments in settings.allowed_models.items()
        for deployment in deployments
    ]
    theirs = [agent.model for agent in agents if agent.model is not None]
    return AllowedModels.of(*theirs, *([usual] if usual else []), *named)


def _model(identity: Identity, held: AsyncExitStack) -> Callable[[ModelDeployment], AzureOpenAIModel]:
    """One client a deployment; those without a key of their own share this service's token."""

    @cache
    def provider() -> Callable[[], Awaitable[str]]:
        from azure.identity.aio import get_bearer_token_provider

        return get_bearer_token_provider(identity(), SCOPE)

    async def token() -> str:
        return await provider()()

    @cache
    def model(deployment: ModelDeployment) -> AzureOpenAIModel:
        made = AzureOpenAIModel(deployment, token=token)
        held.push_async_callback(made.close)
        return made

    return model


def _model_of(
    settings: Settings, allowed: AllowedModels, model: Callable[[ModelDeployment], ChatModel]
) -> Callable[[Agent], ChatModel | None]:
    """The agent's model comes first, then the deployment's, then none. One that is not allowed is not called."""
    usual = _usual_model(settings)

    @cache
    def traced(deployment: ModelDeployment) -> ChatModel:
        where = telemetry.Service(system=telemetry.AZURE_OPENAI, endpoint=deployment.endpoint)
        return telemetry.TracedModel(model(deployment), deployment=deployment.deployment, service=where)

    def model_of(agent: Agent) -> ChatModel | None:
        if agent.model is None:
            return None if usual is None else traced(usual)
        deployment = allowed.configured(agent.model)
        return ModelNotAllowed() if deployment is None else traced(deployment)

    return model_of


def _resources(settings: Settings, agents: Iterable[Agent], allowed: AllowedModels) -> Iterable[ModelDeployment]:
    """A deployment of each model resource, and key for it, that the configuration names: as agents call them."""
    named = (_usual_model(settings), *(agent.model for agent in agents))
    called = [known for one in named if one is not None and (known := allowed.configured(one)) is not None]
    return {(one.endpoint, one.api_key): one for one in called}.values()


def _some_index(agents: Iterable[Agent], settings: Settings) -> str:
    """An index of an agent, since this service's role may be for that index alone; without one, any name will do."""
    names = (target.index for agent in agents for target in agent.targets)
    return next((name for name in names if name not in settings.model_studio_bases), ANY_INDEX)


def _probes(
    index: AzureSearchIndex | None, some: str, store: Store, *, models: Iterable[AzureOpenAIModel]
) -> "Iterator[Probe]":
    """Of Azure AI Search, the model resources and the table of agents, as far as they are configured."""
    from retrieval.readiness import Probe

    if index is not None:
        yield Probe(of="search", ask=partial(index.reach, some))
    for model in models:
        yield Probe(of="model", ask=model.reach)
    if store.reach is not None:
        yield Probe(of="agentStore", ask=store.reach)


def _distinct(agents: tuple[Agent, ...]) -> tuple[Agent, ...]:
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
