"""The search services: Azure AI Search or its local replacement, and the kinds of knowledge sources that are no index
of it."""

from collections.abc import Collection, Iterable
from contextlib import AsyncExitStack
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from azure.core.credentials import AzureKeyCredential

from retrieval.compose.access import Identity
from retrieval.errors import BackendMissing, NotConfigured, NotInstalled, Problem
from retrieval.http.rooms import LocalSearch
from retrieval.model.definitions import Agent, Source, is_address, readable_values
from retrieval.outgoing.breakers_and_retries import GuardedIndex
from retrieval.outgoing.connections import HttpAnswer, HttpRequest, Silence, ask
from retrieval.ports import DefinitionStore, SearchIndex
from retrieval.settings.settings import Settings
from retrieval.sources import ROOMS
from retrieval.sources.room import FederatedIndex, Room, Rooms, named, service_of
from retrieval.sources.search_index.index import AzureSearchIndex
from retrieval.telemetry import names
from retrieval.telemetry.outgoing_calls import CalledService, TracedIndex

if TYPE_CHECKING:
    from retrieval.local.stand_in import StandIn
    from retrieval.local.wire import WireService


ANY_INDEX: Final = "any-index"

MOST_SERVICES: Final = 1_024
"""The most indexes whose service is remembered for the spans of their searches."""

NO_INDEX: Final = (
    "Make it (PUT indexes('<name>') at this address), or delete what searches it. Indexes outlive this process only in "
    "the folder of DATA=."
)

LOCAL_PACKAGES: Final = (
    "chardet",
    "justhtml",
    "luqum",
    "markdown_it",
    "numpy",
    "re2",
    "snowballstemmer",
    "stopwordsiso",
    "tantivy",
)
"""The import names of the packages of the extra `local` that `func` needs. The extra also has a web server, uvicorn,
which `func` does not need."""


def search(settings: Settings, identity: Identity, held: AsyncExitStack) -> tuple[AzureSearchIndex | None, str]:
    """Azure AI Search or its local replacement, and its address; None and an empty address if there is neither."""
    check_installed(settings)
    local, endpoint = stand_in(settings), settings.azure_search_endpoint
    if local is not None:
        return _local_index(settings, local), local.endpoint
    if endpoint is None:
        return None, ""
    key = settings.azure_search_api_key
    credential = identity() if key is None else AzureKeyCredential(key)
    index = AzureSearchIndex(
        endpoint, credential, fields=settings.index_fields, audience=settings.azure_search_audience
    )
    held.push_async_callback(index.close)
    return index, endpoint


def check_installed(settings: Settings) -> None:
    """Raises NotInstalled if the local search service is used and its packages are missing. requirements.txt does not
    contain them."""
    missing = [name for name in LOCAL_PACKAGES if find_spec(name) is None] if settings.uses_local_search else []
    if missing:
        raise NotInstalled(missing)


def local_search(settings: Settings) -> "WireService | None":
    """The local search service, protected by the keys of this deployment; None if the local search service is not
    used."""
    local = stand_in(settings)
    if local is None:
        return None
    from retrieval.local.known_hosts import known_hosts

    service = local.service.for_keys(
        admin_keys=settings.admin_keys,
        query_keys=settings.query_keys,
        strict_versions=settings.strict_api_versions,
    )
    return known_hosts(service, named=settings.answered_hosts)


def warnings(settings: Settings) -> tuple[str, ...]:
    """What was left out of the files that the local search service loaded. If the keys of this deployment are its own,
    the names of the files are not told."""
    local = stand_in(settings)
    return () if local is None else local.left_out.warnings(named=settings.accepts_built_in_keys)


def asked_locally(settings: Settings) -> LocalSearch | None:
    """The local search service, which is called directly; None if it is not used."""
    local = stand_in(settings)
    if local is None:
        return None
    from retrieval.local.search_service.engine.filters import schema
    from retrieval.local.wire import WireRequest

    async def ask_directly(request: HttpRequest) -> HttpAnswer | Silence:
        if not request.url.startswith(f"{local.endpoint}/"):
            return await ask(request)
        headers = tuple((name.lower(), value) for name, value in request.headers.items())
        target = request.url.removeprefix(local.endpoint)
        sent = WireRequest(method=request.method, target=target, headers=headers, body=request.body)
        reply = await local.service(sent)
        return HttpAnswer(status=reply.status, content=reply.body, headers=dict(reply.headers))

    return LocalSearch(
        endpoint=local.endpoint,
        key=local.key,
        agents=local.agents,
        schema=lambda index: schema(local.service.catalog.get(index).definition),
        ask=ask_directly,
    )


def stand_in(settings: Settings) -> "StandIn | None":
    """The local search service with its agents, its sources, and the sources that its indexes imply; None if it is not
    used."""
    if not settings.uses_local_search:
        return None
    from retrieval.local.stand_in import of_settings

    return of_settings(settings)


def _local_index(settings: Settings, local: "StandIn") -> AzureSearchIndex:
    from retrieval.local.transport import AsyncInProcessTransport

    return AzureSearchIndex(
        local.endpoint,
        AzureKeyCredential(local.key),
        fields=settings.index_fields,
        transport=lambda: AsyncInProcessTransport(local.service),
        comparable=False,
        missing_error=_no_such_index,
    )


async def loaded(index: AzureSearchIndex, agents: DefinitionStore[Agent], others: Collection[str]) -> None:
    """Check that the index of every agent exists in the local search service. Raises BackendError, BackendMissing."""
    readable = readable_values(await agents.list())
    for name in {target.index for agent in readable for target in agent.targets}.difference(others):
        if not is_address(name) and await index.exists(name) is False:
            raise _no_such_index()


def _no_such_index() -> BackendMissing:
    """The error for an index that does not exist in the local search service."""
    return BackendMissing("The local search service", kind="index", hint=NO_INDEX)


def rooms(settings: Settings, held: AsyncExitStack) -> Rooms:
    """The kinds of knowledge sources that are no indexes of the search service, in the order of their table."""
    modules = (import_module(f"retrieval.sources.{folder}.room") for folder in ROOMS.values())
    made: list[Room] = [module.room(settings, held) for module in modules]
    return {room.kind: room for room in made}


def federated(index: AzureSearchIndex | None, rooms: Rooms) -> FederatedIndex:
    """Combines Azure AI Search and the other kinds of sources. If a name is both an index and a name of another kind,
    the other kind is used."""
    by_name = {name: room.index for name, room in named(rooms).items() if room.index is not None}
    return FederatedIndex(by_name, otherwise=index, of_kinds={kind: room.index for kind, room in rooms.items()})


def traced(index: SearchIndex, endpoint: str, rooms: Rooms, settings: Settings) -> TracedIndex:
    """The index with a connection limit and a circuit breaker for each target, and with a span for every sub-query. The
    span contains the name of the service that answers the sub-query."""
    azure = CalledService(system=names.AZURE_SEARCH, endpoint=endpoint)
    guarded = GuardedIndex(index, requests=settings.max_concurrent_requests)
    remembered = lru_cache(maxsize=MOST_SERVICES)(partial(service_of, rooms, azure))
    return TracedIndex(guarded, service_of=remembered, content=settings.log_content)


def check_targets(agents: Iterable[Agent], sources: Iterable[Source], rooms: Rooms, settings: Settings) -> None:
    """Checks the targets of agents and the kinds of sources. Without knowledge sources, an agent may name only one
    Azure index. If an agent needs an Azure index, Azure AI Search or the local search service must be configured.
    Raises NotConfigured."""
    azure = settings.uses_local_search or settings.azure_search_endpoint is not None
    problems = [fault for source in sources for room in rooms.values() if (fault := room.fault(source)) is not None]
    for agent in agents:
        others = {target.index for target in agent.targets if is_address(target.index)}.union(named(rooms))
        indexes = [target.index for target in agent.targets if target.index not in others]
        if sum(target.source is None for target in agent.targets if target.index in indexes) > 1:
            several = f"The agent {agent.name!r} has several Azure indexes: {', '.join(indexes)}. One is supported."
            problems.append(Problem("", several))
        if indexes and not azure:
            needed = f"The agent {agent.name!r} needs AZURE_SEARCH_ENDPOINT, or {indexes[0]!r} in MODEL_STUDIO_BASES."
            problems.append(Problem("AZURE_SEARCH_ENDPOINT", needed, "unfitting"))
    if problems:
        raise NotConfigured(problems)


def some_index(agents: Iterable[Agent], rooms: Rooms) -> str:
    """The index that the check of the search service requests. It is an index of an agent, because the role of this
    service may cover only that index. Without such an index, any name can be used."""
    names = (target.index for agent in agents for target in agent.targets if not is_address(target.index))
    return next((name for name in names if name not in named(rooms)), ANY_INDEX)
