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
from retrieval.http.call_log import of_agent, of_source
from retrieval.http.routes import both_forms, route
from retrieval.http.service import Service
from retrieval.http.serving import Admitted, Endpoint
from retrieval.http.validity import current_agent, current_source, valid_agent, valid_source
from retrieval.model.caller import Caller
from retrieval.model.definitions import INGESTED, Source
from retrieval.model.etags import ABSENT, Defined, Kept, Precondition, Stored, WriteResult
from retrieval.ports import DefinitionStore

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions

MINIMAL: Final[Mapping[str, str]] = {"Preference-Applied": "return=minimal"}
NO_HEADERS: Final[Mapping[str, str]] = {}
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
                return _without_body(answer, MINIMAL)
            case None if not result.created:
                return _without_body(answer)
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
        documents, is_there = await admitted.service.indexes.counts.documents(source.index), True
    except BackendMissing:
        documents, is_there = None, False
    return contract.render_status(source, documents=documents, is_there=is_there)


def _without_body(answer: Rendered, headers: Mapping[str, str] = NO_HEADERS) -> Rendered:
    return Rendered(status=204, body=b"", headers={**answer.headers, **headers})


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


def _endpoint(
    operation: str,
    work: "Callable[[Admitted, AzureDefinitions[Any]], Awaitable[Rendered]]",
    *,
    route: str,
    subject: Callable[[str, Call, Caller | None], str] = of_agent,
) -> "Endpoint[AzureDefinitions[Any]]":
    return Endpoint(
        operation=operation,
        needs="manage",
        work=work,
        speaks=lambda call: definition_contract(route, call.query.get(API_VERSION)),
        contract_name=lambda call: contract_name(DEFINITION_CONTRACTS, route, call.query.get(API_VERSION)),
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

_AGENT_ROUTES: Final = (
    *route("GET agents", "agents", LIST, "listAgents"),
    *route("POST agents", "agents", CREATE, "createAgent"),
    *both_forms("GET agents/{name}", "agents_one", GET, "getAgent"),
    *both_forms("PUT agents/{name}", "agents_one", PUT, "putAgent"),
    *both_forms("DELETE agents/{name}", "agents_one", DELETE, "deleteAgent"),
)
_BASE_ROUTES: Final = (
    *route("GET knowledgebases", "knowledgebases", LIST_BASES, "listKnowledgeBases"),
    *route("POST knowledgebases", "knowledgebases", CREATE_BASE, "createKnowledgeBase"),
    *both_forms("GET knowledgebases/{name}", "knowledgebases_one", GET_BASE, "getKnowledgeBase"),
    *both_forms("PUT knowledgebases/{name}", "knowledgebases_one", PUT_BASE, "putKnowledgeBase"),
    *both_forms("DELETE knowledgebases/{name}", "knowledgebases_one", DELETE_BASE, "deleteKnowledgeBase"),
)
_SOURCE_ROUTES: Final = (
    *route("GET knowledgesources", "knowledgesources", LIST_SOURCES, "listKnowledgeSources"),
    *route("POST knowledgesources", "knowledgesources", CREATE_SOURCE, "createKnowledgeSource"),
    *both_forms("GET knowledgesources/{name}", "knowledgesources_one", GET_SOURCE, "getKnowledgeSource"),
    *both_forms("PUT knowledgesources/{name}", "knowledgesources_one", PUT_SOURCE, "putKnowledgeSource"),
    *both_forms("DELETE knowledgesources/{name}", "knowledgesources_one", DELETE_SOURCE, "deleteKnowledgeSource"),
    *both_forms(
        "GET knowledgesources/{name}/status", "knowledgesources_status", SOURCE_STATUS, "getKnowledgeSourceStatus"
    ),
)
ROUTES: Final = (*_AGENT_ROUTES, *_BASE_ROUTES, *_SOURCE_ROUTES)
