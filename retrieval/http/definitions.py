"""Definitions, one code for agents, knowledge bases and knowledge sources: ask the store, render.

The indexes and sources that a definition names must exist; a change that another definition forbids is refused first.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic

from retrieval import threads
from retrieval.access.rights import Operation
from retrieval.contracts import (
    DEFINITION_CONTRACTS,
    contract_name,
    definition_contract,
    versions_of,
)
from retrieval.contracts.azure.conditions import Page, page_of, precondition, wants_no_body
from retrieval.contracts.rendered import Rendered
from retrieval.errors import (
    AlreadyExists,
    BackendMissing,
    BackendUnavailable,
    BadRequest,
    NoSuchSource,
    PreconditionFailed,
    UnreadableDefinitions,
)
from retrieval.http.call import API_VERSION, Call, absent, body_of
from retrieval.http.call_log import of_agent, of_source
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint
from retrieval.model.caller import Caller
from retrieval.model.definitions import INGESTED, Agent, Source, Target, is_name
from retrieval.model.etags import ABSENT, Defined, Precondition, Stored, WriteResult, readable_values
from retrieval.model.mcp_server import McpServer
from retrieval.ports import DefinitionStore

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions

MINIMAL: Final = {"Preference-Applied": "return=minimal"}
MOST_TRIES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions(Generic[Defined]):
    """The operations on one kind of definitions. `kind` is its name for people.

    `current` is a stored definition as a version says it; `validate` gives a definition that may be stored, or raises
    BadRequest.
    """

    kind: str
    store: Callable[[Service], DefinitionStore[Defined]]
    current: "Callable[[Service, AzureDefinitions[Defined], Stored[Defined]], Awaitable[Stored[Defined]]]"
    validate: "Callable[[Service, AzureDefinitions[Defined], Defined], Awaitable[Defined]]"

    async def list(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """All definitions by name, or the page that the query asks for. Raises BadRequest."""
        service, call = admitted.service, admitted.call
        entries = await self.store(service).list()
        query = {**call.query, API_VERSION: call.version}
        page = page_of(entries, query) if contract.paged else Page(items=entries)
        page_entries = [
            await self.current(service, contract, entry) if isinstance(entry, Stored) else entry for entry in page.items
        ]
        link = None if page.following is None else f"{admitted.origin}{call.path}?{page.following}"
        return contract.render_all(page_entries, has_key=service.models.allowed.has_key, next_link=link)

    async def create(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Answer 201, or 409 where there is one of that name."""
        service, has_key = admitted.service, admitted.service.models.allowed.has_key
        body = body_of(admitted.call)
        update = await threads.read(body, partial(contract.parse, body, name=None, has_key=has_key))
        value = await self.validate(service, contract, update(None))
        try:
            result = await self.store(service).put(value, when=ABSENT)
        except PreconditionFailed:
            raise AlreadyExists(self.kind, value.name) from None
        return contract.render(result.stored, status=201, has_key=has_key)

    async def get(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """The definition as it is stored at this moment."""
        service = admitted.service
        stored = await self.current(service, contract, await self.find(admitted))
        return contract.render(stored, status=200, has_key=service.models.allowed.has_key)

    async def find(self, admitted: Admitted) -> Stored[Defined]:
        """The definition under the name of the address. Raises NotFound."""
        call, name = admitted.call, admitted.call.route["name"]
        stored = await self.store(admitted.service).get(name)
        if stored is None:
            raise absent(call.path, name)
        return stored

    async def put(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Answer 201 for a new definition, 200 for a replaced one, 204 where the caller wants no body.

        A precondition is checked before anything that takes longer, and again by the store as it writes.
        """
        service, call, has_key = admitted.service, admitted.call, admitted.service.models.allowed.has_key
        when, name = precondition(call.headers), call.route["name"]
        body = body_of(call)
        update = await threads.read(body, partial(contract.parse, body, name=name, has_key=has_key))
        result = await self._write(service, contract, update, name, when)
        answer = contract.render(result.stored, status=201 if result.created else 200, has_key=has_key)
        return _without_body(answer) if wants_no_body(call.headers) else answer

    async def delete(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Answer 204, or 404 where there is none."""
        call, name = admitted.call, admitted.call.route["name"]
        if not await self.store(admitted.service).delete(name, when=precondition(call.headers)):
            raise absent(call.path, name)
        return Rendered(status=204, body=b"")

    async def _write(
        self,
        service: Service,
        contract: "AzureDefinitions[Defined]",
        update: Callable[[Defined | None], Defined],
        name: str,
        when: Precondition,
    ) -> WriteResult[Defined]:
        """Replaces the definition that was read; where another write came between, reads it again."""
        for _ in range(MOST_TRIES):
            stored = await self._kept(service, contract, name, when)
            only = when if stored is None else Precondition(match=frozenset({stored.etag}))
            value = await self.validate(service, contract, update(None if stored is None else stored.value))
            try:
                return await self.store(service).put(value, when=only)
            except PreconditionFailed:
                if stored is None:
                    raise
        raise BackendUnavailable("The agent store", f"changed {MOST_TRIES} times while a definition was written.")

    async def _kept(
        self, service: Service, contract: "AzureDefinitions[Defined]", name: str, when: Precondition
    ) -> Stored[Defined] | None:
        """The stored definition, None also where it cannot be read. Raises PreconditionFailed."""
        try:
            stored = await self.store(service).get(name)
        except UnreadableDefinitions:
            return None
        if not when.holds(None if stored is None else stored.etag):
            raise PreconditionFailed(name)
        return None if stored is None else await self.current(service, contract, stored)


async def status(admitted: Admitted, contract: "AzureDefinitions[Source]") -> Rendered:
    """The status of a knowledge source, which is there as soon as it is defined, or as the index that Azure makes."""
    source = (await _SOURCES.find(admitted)).value
    if source.kind not in INGESTED:
        return contract.render_status(source)
    try:
        documents, is_there = await admitted.service.indexes.counts.documents(source.index), True
    except BackendMissing:
        documents, is_there = None, False
    return contract.render_status(source, documents=documents, is_there=is_there)


async def _current_agent(service: Service, contract: "AzureDefinitions[Agent]", stored: Stored[Agent]) -> Stored[Agent]:
    """The agent; where its version names indexes, each target has the index of its source now."""
    if not contract.names_indexes:
        return stored
    agent = stored.value
    targets = [replace(target, index=await _index(service, target) or target.index) for target in agent.targets]
    return replace(stored, value=replace(agent, targets=tuple(targets)))


async def _valid_agent(service: Service, contract: "AzureDefinitions[Agent]", agent: Agent) -> Agent:
    if agent.model is not None:
        service.models.allowed.check(agent.model)
    if contract.names_indexes:
        await _check_indexes(service, agent)
    places = enumerate(agent.targets)
    return replace(agent, targets=tuple([await _with_source(service, target, place) for place, target in places]))


async def _check_indexes(service: Service, agent: Agent) -> None:
    """Checks that each index exists, and that no source of another index has its name."""
    indexes = {target.index for target in agent.targets} - set(service.indexes.bases)
    if len(indexes) > 1:
        raise BadRequest(f"One search index is supported; {len(indexes)} are named.", target="targetIndexes")
    for place, target in enumerate(agent.targets):
        place_in_body = f"targetIndexes[{place}].indexName"
        await _check_index(service, target.index, "agent", target=place_in_body)
        source = None if target.source is not None else await _stored_source(service, target.index)
        if source is not None and source.index != target.index:
            reason = f"The name {target.index!r} is that of a knowledge source over the index {source.index!r}."
            raise BadRequest(reason, target=place_in_body)


async def _with_source(service: Service, target: Target, place: int) -> Target:
    """A target whose source is there; one that names its source alone, with the index of the source.

    No source can be stored under a name that no definition has: it is that of an index.
    """
    if not target.needs_source:
        return target
    source = await _stored_source(service, target.source_name)
    if source is None:
        place_in_body = (
            f"targetIndexes[{place}].indexName" if target.source is None else f"knowledgeSources[{place}].name"
        )
        raise NoSuchSource(target.source_name, target=place_in_body)
    source_name = target.source if is_name(target.source_name) else None
    return replace(target, index=target.index or source.index, source=source_name)


async def _index(service: Service, target: Target) -> str | None:
    """The index of a target's source as it is now."""
    if target.source is None:
        return target.index
    source = await _stored_source(service, target.source)
    return None if source is None else source.index


async def _stored_source(service: Service, name: str) -> Source | None:
    try:
        stored = await service.agents.sources.get(name)
    except UnreadableDefinitions:
        return None
    return None if stored is None else stored.value


async def _current_source(
    service: Service, contract: "AzureDefinitions[Source]", stored: Stored[Source]
) -> Stored[Source]:
    return stored


async def _valid_source(service: Service, contract: "AzureDefinitions[Source]", source: Source) -> Source:
    is_base = source.index in service.indexes.bases
    if source.server is not None:
        _check_server(service, source.server)
    elif source.kind == "modelStudioBase":
        if not is_base:
            reason = f"There is no base {source.index!r}. The setting MODEL_STUDIO_BASES names them."
            raise BadRequest(reason, target="modelStudioBaseParameters.baseName")
    elif is_base:
        reason = f"{source.index!r} is a base of Model Studio: define a source of kind 'modelStudioBase'."
        raise BadRequest(reason, target="searchIndexParameters.searchIndexName")
    elif source.kind == "searchIndex":
        place_in_body = "searchIndexParameters.searchIndexName"
        await _check_index(service, source.index, "knowledge source", target=place_in_body)
    else:
        await _check_ingested(service, source)
    await _check_users(service, source)
    return source


async def _check_ingested(service: Service, source: Source) -> None:
    """Refuses a source whose index Azure's ingestion has not made. Raises BadRequest."""
    if await service.indexes.names.exists(source.index) is False:
        reason = (
            f"There is no index {source.index!r} in the search service, whose ingestion makes it: send this definition "
            f"there first (PUT knowledgesources('{source.name}') at its own address), and then here."
        )
        raise BadRequest(reason, target=f"{source.kind}Parameters.createdResources.index")


def _check_server(service: Service, server: McpServer) -> None:
    """Refuses a server that the deployment may not call, and a header whose value it does not have for its host. Raises
    BadRequest."""
    if (fault := service.indexes.hosts.fault(server.url)) is not None:
        raise BadRequest(fault, target="mcpServerParameters.serverURL")
    host = service.indexes.hosts.host_of(server.url)
    values = () if host is None else service.indexes.header_values.get(host, ())
    for name, place in server.headers:
        if place not in values:
            raise BadRequest(
                f"This service keeps no secrets: the value of the stored header {name!r} must be a name that the "
                "setting MCP_HEADERS gives its value for this host. Callers may pass a header on instead.",
                target="mcpServerParameters.authentication.storedHeadersParameters.headers",
            )


async def _check_users(service: Service, source: Source) -> None:
    """Refuses a source whose name agents use for another index. Raises BadRequest."""
    if source.index == source.name:
        return
    agents = readable_values(await service.agents.store.list())
    users = [agent.name for agent in agents if Target(index=source.name) in map(_bare, agent.targets)]
    if users:
        reason = f"{source.name!r} is the knowledge source of the index of that name, which {users[0]!r} searches."
        raise BadRequest(f"{reason} Give a source of another index another name.", target="name")


def _bare(target: Target) -> Target:
    return Target(index=target.index, source=target.source)


async def _check_index(service: Service, index: str, kind: str, *, target: str) -> None:
    if await service.indexes.names.exists(index) is False:
        reason = f"There is no index {index!r} in the search service. Create it first, then the {kind}."
        raise BadRequest(reason, target=target)


def _without_body(answer: Rendered) -> Rendered:
    headers: Mapping[str, str] = {**answer.headers, **MINIMAL}
    return Rendered(status=204, body=b"", headers=headers)


def _contract_name(route: str, call: Call) -> str:
    return contract_name(DEFINITION_CONTRACTS, route, _version(call))


def _version(call: Call) -> str | None:
    return call.query.get(API_VERSION)


_AGENTS: Final = Definitions(
    kind="knowledge agent",
    store=lambda service: service.agents.store,
    current=_current_agent,
    validate=_valid_agent,
)
_BASES: Final = replace(_AGENTS, kind="knowledge base")
_SOURCES: Final = Definitions(
    kind="knowledge source",
    store=lambda service: service.agents.sources,
    current=_current_source,
    validate=_valid_source,
)


def _endpoint(
    operation: Operation,
    work: "Callable[[Admitted, AzureDefinitions[Any]], Awaitable[Rendered]]",
    *,
    route: str,
    subject: Callable[[str, Call, Caller | None], str] = of_agent,
) -> "Endpoint[AzureDefinitions[Any]]":
    return Endpoint(
        operation=operation,
        work=work,
        speaks=lambda call: definition_contract(route, _version(call)),
        contract=partial(_contract_name, route),
        versions=versions_of(route),
        subject=subject,
    )


_agents: Final = partial(_endpoint, route="agents")
_bases: Final = partial(_endpoint, route="knowledgebases")
_sources: Final = partial(_endpoint, route="knowledgesources", subject=of_source)

LIST: Final = _agents("list agents", _AGENTS.list)
CREATE: Final = _agents("create agent", _AGENTS.create)
GET: Final = _agents("get agent", _AGENTS.get)
PUT: Final = _agents("put agent", _AGENTS.put)
DELETE: Final = _agents("delete agent", _AGENTS.delete)

LIST_BASES: Final = _bases("list knowledge bases", _BASES.list)
CREATE_BASE: Final = _bases("create knowledge base", _BASES.create)
GET_BASE: Final = _bases("get knowledge base", _BASES.get)
PUT_BASE: Final = _bases("put knowledge base", _BASES.put)
DELETE_BASE: Final = _bases("delete knowledge base", _BASES.delete)

LIST_SOURCES: Final = _sources("list knowledge sources", _SOURCES.list)
CREATE_SOURCE: Final = _sources("create knowledge source", _SOURCES.create)
GET_SOURCE: Final = _sources("get knowledge source", _SOURCES.get)
PUT_SOURCE: Final = _sources("put knowledge source", _SOURCES.put)
DELETE_SOURCE: Final = _sources("delete knowledge source", _SOURCES.delete)
SOURCE_STATUS: Final = _sources("tell the status of a knowledge source", status, route="knowledgesources/status")
