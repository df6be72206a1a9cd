"""The operations on definitions. Agents, knowledge bases and knowledge sources share this code.

The sources and indexes that a definition names must exist. `validity` checks this, and also refuses a source that
conflicts with an agent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic

from retrieval import threads
from retrieval.contracts.azure.preconditions import Page, page_of, precondition, preferred_return
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.versions import (
    DEFINITION_CONTRACTS,
    contract_name,
    definition_contract,
    versions_of,
)
from retrieval.errors import (
    AlreadyExists,
    BackendMissing,
    BackendUnavailable,
    PreconditionFailed,
    UnreadableDefinitions,
)
from retrieval.http.call import API_VERSION, Call, absent, body_of
from retrieval.http.routes import Route, both_forms, route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint, of_agent
from retrieval.http.validity import current_agent, current_source, valid_agent, valid_source
from retrieval.model.caller import Caller
from retrieval.model.definitions import ABSENT, INGESTED, Defined, Kept, Precondition, Source, Stored, WriteResult
from retrieval.ports import DefinitionStore

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions

MINIMAL: Final[Mapping[str, str]] = {"Preference-Applied": "return=minimal"}
MOST_TRIES: Final = 50
RENDERING: Final = 10_000
"""Writing a definition of a list takes as long as reading this many characters of a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions(Generic[Defined]):
    """The operations on one kind of definitions. `kind` is the name of this kind in messages. `current` returns a
    stored agent with the current indexes of its sources, for API versions whose agents name indexes instead of sources.
    `validate` returns a definition that may be stored, or raises BadRequest.
    """

    kind: str
    store: Callable[[Service], DefinitionStore[Defined]]
    current: "Callable[[Service, AzureDefinitions[Defined], Stored[Defined]], Awaitable[Stored[Defined]]]"
    validate: "Callable[[Service, AzureDefinitions[Defined], Defined], Awaitable[Defined]]"

    async def list(self, admitted: Admitted, contract: "AzureDefinitions[Defined]") -> Rendered:
        """The answer with all definitions, ordered by name, or with the page and the members that the query asks for.
        Raises BadRequest."""
        service, call = admitted.service, admitted.call
        selected = contract.select(call.query.get("$select"))
        entries = await self.store(service).list()
        query = {**call.query, API_VERSION: call.version}
        page = page_of(entries, query) if contract.paged else Page(items=entries)
        page_entries: list[Kept[Defined]] = []
        for entry in page.items:
            page_entries.append(await self.current(service, contract, entry) if isinstance(entry, Stored) else entry)
            await asyncio.sleep(0)  # other calls go on between two of many
        link = None if page.following is None else f"{admitted.origin}{call.path}?{page.following}"
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
        stored = await self.current(service, contract, await self.find(admitted))
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
        service, call, has_key = admitted.service, admitted.call, admitted.service.models.allowed.has_key
        when, name = precondition(call.headers), call.route["name"]
        body = body_of(call)
        update = await threads.read(body, partial(contract.parse, body, name=name, has_key=has_key))
        result = await self._write(service, contract, update, name, when)
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
        the write is repeated. Raises PreconditionFailed if `when` does not hold, and BackendUnavailable after 50
        attempts."""
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
        """The stored definition; None if there is none or if it cannot be read. Raises PreconditionFailed."""
        try:
            stored = await self.store(service).get(name)
        except UnreadableDefinitions:
            return None
        if not when.holds(None if stored is None else stored.etag):
            raise PreconditionFailed(name)
        return None if stored is None else await self.current(service, contract, stored)


async def status(admitted: Admitted, contract: "AzureDefinitions[Source]") -> Rendered:
    """The status of a knowledge source. For an ingested source, the status depends on whether Azure has created its
    index. Other sources are active as soon as they are defined."""
    source = (await _SOURCES.find(admitted)).value
    if source.kind not in INGESTED:
        return contract.render_status(source)
    try:
        documents, is_there = await admitted.service.indexes.names.documents(source.index), True
    except BackendMissing:
        documents, is_there = None, False
    return contract.render_status(source, documents=documents, is_there=is_there)


_AGENTS: Final = Definitions(
    kind="knowledge agent",
    store=lambda service: service.agents.store,
    current=current_agent,
    validate=valid_agent,
)
_BASES: Final = replace(_AGENTS, kind="knowledge base")
_SOURCES: Final = Definitions(
    kind="knowledge source",
    store=lambda service: service.agents.sources,
    current=current_source,
    validate=valid_source,
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
