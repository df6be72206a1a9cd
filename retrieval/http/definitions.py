"""The operations on definitions. Agents, knowledge bases and knowledge sources share this code.

A definition may be stored if its indexes and sources exist, its model and server are allowed, and it does not conflict
with other definitions.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic

from retrieval import threads
from retrieval.contracts.azure.pages import page_of
from retrieval.contracts.azure.precondition_headers import precondition, preferred_return
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.served_versions import (
    DEFINITION_CONTRACTS,
    contract_name,
    definition_contract,
    versions_of,
)
from retrieval.definitions.agents_and_sources import readable
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
from retrieval.http.routes import Route, both_forms, route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint, of_agent
from retrieval.model.caller import Caller
from retrieval.model.definitions import (
    INGESTED,
    Agent,
    Defined,
    Kept,
    Source,
    Stored,
    Target,
    WriteResult,
    is_name,
    readable_values,
)
from retrieval.model.precondition import ABSENT, Precondition, exactly
from retrieval.ports import DefinitionStore
from retrieval.sources.room import named

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions

MINIMAL: Final[Mapping[str, str]] = {"Preference-Applied": "return=minimal"}
MOST_TRIES: Final = 50
RENDERING: Final = 10_000
"""Writing a definition of a list takes as long as reading this many characters of a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions(Generic[Defined]):
    """The operations on one kind of definitions. `kind` is the name of this kind in messages. `validate` returns a
    definition that may be stored, or raises BadRequest."""

    kind: str
    store: Callable[[Service], DefinitionStore[Defined]]
    validate: "Callable[[Service, AzureDefinitions[Defined], Defined], Awaitable[Defined]]"

    async def list(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """The answer with all definitions, ordered by name, or with the page and the members that the query asks for.
        Raises BadRequest."""
        service, call = admitted.service, admitted.call
        selected = contract.select(call.query.get("$select"))
        entries = await self.store(service).list()
        query = {**call.query, API_VERSION: call.version}
        page, following = page_of(entries, query) if contract.paged else (entries, None)
        page_entries: list[Kept[Defined]] = []
        for entry in page:
            page_entries.append(await _current(service, contract, entry) if isinstance(entry, Stored) else entry)
            await asyncio.sleep(0)  # other calls go on between two of many
        link = None if following is None else f"{admitted.origin}{call.path}?{following}"
        has_key = service.models.allowed.has_key
        rendering = partial(contract.render_all, page_entries, has_key=has_key, selected=selected, next_link=link)
        return await threads.work(RENDERING * len(page_entries), rendering)

    async def create(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Stores a new definition. The status is 201. Raises AlreadyExists if a definition has this name."""
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
        """The answer with the stored definition. Raises NotFound."""
        service = admitted.service
        stored = await _current(service, contract, await self.find(admitted))
        return contract.render(stored, status=200, has_key=service.models.allowed.has_key)

    async def find(self, admitted: Admitted) -> Stored[Defined]:
        """The stored definition whose name is in the path. Raises NotFound."""
        call, name = admitted.call, admitted.call.route["name"]
        stored = await self.store(admitted.service).get(name)
        if stored is None:
            raise absent(call.path, name)
        return stored

    async def put(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Writes a definition. The precondition is checked before the definition is validated.

        The status is 201 for a new definition. For a replaced one it is 204 without a body, as in Azure's real answers,
        or 200 if the caller prefers the representation, as all of Microsoft's SDKs do. It is 204 for both if the caller
        prefers a minimal answer.
        """
        call, has_key = admitted.call, admitted.service.models.allowed.has_key
        when, name = precondition(call.headers), call.route["name"]
        body = body_of(call)
        update = await threads.read(body, partial(contract.parse, body, name=name, has_key=has_key))
        result = await self._write(admitted.service, contract, update, name, when)
        answer = contract.render(result.stored, status=201 if result.created else 200, has_key=has_key)
        match preferred_return(call.headers):
            case "minimal":
                return Rendered(status=204, body=b"", headers={**answer.headers, **MINIMAL})
            case None if not result.created:
                return Rendered(status=204, body=b"", headers=answer.headers)
        return answer

    async def delete(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """Deletes a definition. The status is 204. Raises NotFound, PreconditionFailed, InUse and NothingIsKept."""
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
        """Writes the definition. If another caller changes the stored definition at the same time, it is read again and
        the write is repeated. A stored definition that cannot be read is replaced. Raises PreconditionFailed if `when`
        does not hold, and BackendUnavailable after 50 attempts."""
        for _ in range(MOST_TRIES):
            stored, only = None, when
            with suppress(UnreadableDefinitions):
                stored = await self.store(service).get(name)
                when.check(name, None if stored is None else stored.etag)
            if stored is not None:
                stored, only = await _current(service, contract, stored), exactly(stored)
            value = await self.validate(service, contract, update(None if stored is None else stored.value))
            try:
                return await self.store(service).put(value, when=only)
            except PreconditionFailed:
                if stored is None:
                    raise
        raise BackendUnavailable("The agent store", f"changed {MOST_TRIES} times while a definition was written.")


async def _current(service: Service, contract: "AzureDefinitions[Defined]", stored: Stored[Defined]) -> Stored[Defined]:
    """The definition. If it is an agent and the API version names indexes, each target has the current index of its
    source."""
    agent = stored.value
    if not (isinstance(agent, Agent) and contract.kind.names_indexes):
        return stored
    targets = list[Target]()
    for target in agent.targets:
        source = None if target.source is None else await readable(service.agents.sources, target.source)
        targets.append(target if source is None else replace(target, index=source.value.index))
    return replace(stored, value=replace(agent, targets=tuple(targets)))


async def _valid_agent(service: Service, contract: "AzureDefinitions[Agent]", agent: Agent) -> Agent:
    """The agent in the form that is stored. Raises BadRequest if it may not be stored."""
    if agent.model is not None:
        service.models.allowed.check(agent.model)
    if contract.kind.names_indexes:
        await _check_indexes(service, agent)
    places = enumerate(agent.targets)
    return replace(agent, targets=tuple([await _with_source(service, target, place) for place, target in places]))


async def _check_indexes(service: Service, agent: Agent) -> None:
    """Raises BadRequest for a missing index, for several indexes of the search service, and for an index with the name
    of a source of another index."""
    indexes = {target.index for target in agent.targets}.difference(named(service.indexes.rooms))
    if len(indexes) > 1:
        raise BadRequest(f"One search index is supported; {len(indexes)} are named.", target="targetIndexes")
    for place, target in enumerate(agent.targets):
        place_in_body = f"targetIndexes[{place}].indexName"
        if await service.indexes.federated.exists(target.index) is False:
            raise _no_index(target.index, "agent", target=place_in_body)
        source = None if target.source is not None else await readable(service.agents.sources, target.index)
        if source is not None and source.value.index != target.index:
            reason = f"The name {target.index!r} is that of a knowledge source over the index {source.value.index!r}."
            raise BadRequest(reason, target=place_in_body)


async def _with_source(service: Service, target: Target, place: int) -> Target:
    """The target with its source, if it needs a stored source. Raises NoSuchSource if the source does not exist. If the
    target has no index, the index of the source is added. If the source's name is not valid for a definition, it is an
    index name, and the target is stored without a source.
    """
    if not target.needs_source:
        return target
    source = await readable(service.agents.sources, target.source_name)
    if source is None:
        place_in_body = (
            f"targetIndexes[{place}].indexName" if target.source is None else f"knowledgeSources[{place}].name"
        )
        raise NoSuchSource(target.source_name, target=place_in_body)
    source_name = target.source if is_name(target.source_name) else None
    return replace(target, index=target.index or source.value.index, source=source_name)


async def _valid_source(service: Service, contract: "AzureDefinitions[Source]", source: Source) -> Source:
    """The source, unchanged. Raises BadRequest if it may not be stored."""
    rooms, place_in_body = service.indexes.rooms, "searchIndexParameters.searchIndexName"
    if source.kind in rooms:
        rooms[source.kind].check(source)
    elif (other := named(rooms).get(source.index)) is not None:
        raise BadRequest(other.names[source.index], target=place_in_body)
    elif await service.indexes.federated.exists(source.index) is False:
        if source.kind == "searchIndex":
            raise _no_index(source.index, "knowledge source", target=place_in_body)
        reason = (
            f"There is no index {source.index!r} in the search service, whose ingestion makes it: send this definition "
            f"there first (PUT knowledgesources('{source.name}') at its own address), and then here."
        )
        raise BadRequest(reason, target=f"{source.kind}Parameters.createdResources.index")
    await _check_users(service, source)
    return source


async def _check_users(service: Service, source: Source) -> None:
    """Raises BadRequest if an agent uses the name of the source as the name of another index."""
    if source.index == source.name:
        return
    agents, index = readable_values(await service.agents.store.list()), (source.name, None)
    users = [agent.name for agent in agents if index in [(target.index, target.source) for target in agent.targets]]
    if users:
        reason = f"{source.name!r} is the knowledge source of the index of that name, which {users[0]!r} searches."
        raise BadRequest(f"{reason} Give a source of another index another name.", target="name")


def _no_index(index: str, kind: str, *, target: str) -> BadRequest:
    reason = f"There is no index {index!r} in the search service. Create it first, then the {kind}."
    return BadRequest(reason, target=target)


async def status(admitted: Admitted, contract: "AzureDefinitions[Source]") -> Rendered:
    """The status of a knowledge source. For an ingested source, the status depends on whether Azure has created its
    index. Other sources are active as soon as they are defined."""
    source = (await _SOURCES.find(admitted)).value
    if source.kind not in INGESTED:
        return contract.render_status(source)
    try:
        documents, is_there = await admitted.service.indexes.federated.documents(source.index), True
    except BackendMissing:
        documents, is_there = None, False
    return contract.render_status(source, documents=documents, is_there=is_there)


_AGENTS: Final = Definitions(kind="knowledge agent", store=lambda service: service.agents.store, validate=_valid_agent)
_BASES: Final = replace(_AGENTS, kind="knowledge base")
_SOURCES: Final = Definitions(
    kind="knowledge source", store=lambda service: service.agents.sources, validate=_valid_source
)


def _of_source(words: str, call: Call, caller: Caller | None) -> str:
    """The subject of a call that names a knowledge source."""
    return of_agent(words, call, caller).replace(" agent=", " source=", 1)


def _endpoint(
    collection: str,
    operation: str,
    work: "Callable[[Admitted, AzureDefinitions[Any]], Awaitable[Rendered]]",
    *,
    subject: Callable[[str, Call, Caller | None], str] = of_agent,
) -> "Endpoint[AzureDefinitions[Any]]":
    return Endpoint(
        operation=operation,
        needs="manage",
        work=work,
        speaks=lambda call: definition_contract(collection, call.query.get(API_VERSION)),
        contract_name=lambda call: contract_name(DEFINITION_CONTRACTS, collection, call.query.get(API_VERSION)),
        versions=versions_of(collection),
        subject=subject,
    )


def _routes(
    collection: str,
    noun: str,
    definitions: Definitions[Any],
    subject: Callable[[str, Call, Caller | None], str] = of_agent,
) -> tuple[Route, ...]:
    """The routes of one kind of definitions, which the log calls `noun`."""
    endpoint = partial(_endpoint, collection, subject=subject)
    address, function, id = f"{collection}/{{name}}", f"{collection}_one", noun.title().replace(" ", "")
    return (
        *route(f"GET {collection}", collection, endpoint(f"list {noun}s", definitions.list), f"list{id}s"),
        *route(f"POST {collection}", collection, endpoint(f"create {noun}", definitions.create), f"create{id}"),
        *both_forms(f"GET {address}", function, endpoint(f"get {noun}", definitions.get), f"get{id}"),
        *both_forms(f"PUT {address}", function, endpoint(f"put {noun}", definitions.put), f"put{id}"),
        *both_forms(f"DELETE {address}", function, endpoint(f"delete {noun}", definitions.delete), f"delete{id}"),
    )


_STATUS: Final = _endpoint(
    "knowledgesources/status", "tell the status of a knowledge source", status, subject=_of_source
)

ROUTES: Final = (
    *_routes("agents", "agent", _AGENTS),
    *_routes("knowledgebases", "knowledge base", _BASES),
    *_routes("knowledgesources", "knowledge source", _SOURCES, _of_source),
    *both_forms("GET knowledgesources/{name}/status", "knowledgesources_status", _STATUS, "getKnowledgeSourceStatus"),
)
