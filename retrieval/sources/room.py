"""A kind of knowledge source in a deployment: what searches it, what may be stored of it, and how it is examined. All
kinds are searched as one SearchIndex, where the target of a sub-query decides which service is searched."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from retrieval.errors import BackendUnavailable, Problem
from retrieval.filters.schema import Schema
from retrieval.model.definitions import Source, SourceKind, is_address
from retrieval.model.finding import About, Finding
from retrieval.model.search import Facets, Page, SearchTarget, Subquery
from retrieval.model.tools import NOTHING_PASSED, Passed
from retrieval.ports import IndexFacets, IndexNames, IndexSchemas, SearchIndex, ToolServers
from retrieval.telemetry.outgoing_calls import CalledService

Look: TypeAlias = Callable[[], Awaitable[Sequence[Finding]]]
"""Examines a subject. Raises BackendError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a deployment has of a kind of knowledge source that is no index of the search service.

    - `index`: searches the sources of the kind; None if the settings allow none
    - `tools`: lists the tools of the sources, for a kind whose search is a call of a tool
    - `names`: the names of the settings for what the kind searches, each with the reason why a source of another kind
      must not have it
    - `check`: raises BadRequest for a source of the kind that may not be stored
    - `fault`: the fault of a configured source of any kind; None if it has none
    - `pass_on`: the parts of a call that its sources get, given the headers of the call and the names of the sources.
      Raises BadRequest
    - `service_of`: the service that a search in an index calls; None if the settings do not name the index
    - `checks`: the checks of the doctor, given all sources
    """

    kind: SourceKind
    index: SearchIndex | None
    tools: ToolServers | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Source], None]
    fault: Callable[[Source], Problem | None] = lambda source: None
    pass_on: Callable[[Mapping[str, str], Collection[str]], Passed] = lambda headers, sources: NOTHING_PASSED
    service_of: Callable[[str], CalledService | None]
    checks: Callable[[Iterable[Source]], Iterator[tuple[About, Look]]]


Rooms: TypeAlias = Mapping[SourceKind, Room]


def named(rooms: Rooms) -> Mapping[str, Room]:
    """The kind of each name that the settings have for what a kind searches."""
    return {name: room for room in rooms.values() for name in room.names}


def implied(rooms: Rooms) -> Iterator[Source]:
    """The sources that exist without a definition: one for each name of the settings."""
    return (Source(name=name, index=name, kind=room.kind) for name, room in named(rooms).items())


def service_of(rooms: Rooms, azure: CalledService, index: str, kind: SourceKind) -> CalledService:
    """The service that a search in an index calls: that of the kind of source that has the name of the index, or else
    of the target's own `kind`, or else `azure`."""
    room = next((room for room in rooms.values() if index in room.names), rooms.get(kind))
    return (None if room is None else room.service_of(index)) or azure


def passed_on(rooms: Rooms, headers: Mapping[str, str], targets: Sequence[SearchTarget]) -> Passed:
    """The parts of a call that the sources of these targets get. Raises BadRequest."""
    names = {kind: [target.source_name for target in targets if target.kind == kind] for kind in rooms}
    parts = [rooms[kind].pass_on(headers, of_kind) for kind, of_kind in names.items() if of_kind]
    every = {name: pairs for part in parts for name, pairs in part.headers.items()}
    return Passed(headers=every, hops=max((part.hops for part in parts), default=0)) if parts else NOTHING_PASSED


class KnownIndex(SearchIndex, IndexNames, IndexSchemas, IndexFacets, Protocol):
    """A service that can search its indexes. It also tells whether an index exists, its number of documents, its fields
    and the values of its facets."""


class FederatedIndex:
    """`services` maps the name of an index to its service, and `of_kinds` a kind of knowledge source to the service of
    every target of the kind. Any other name is an index of the service `otherwise`, if that is not None."""

    def __init__(
        self,
        services: Mapping[str, SearchIndex],
        *,
        otherwise: KnownIndex | None,
        of_kinds: Mapping[SourceKind, SearchIndex | None],
    ) -> None:
        self._services = dict(services)
        self._otherwise = otherwise
        self._of_kinds = of_kinds

    def search(self, subquery: Subquery) -> Awaitable[Page]:
        """Raises BackendError, and UnsupportedFilter."""
        name, kind = subquery.target.index, subquery.target.kind
        index = self._services.get(name) or self._of_kinds.get(kind, self._otherwise)
        if index is None:
            raise BackendUnavailable("This deployment", f"has no index named {name[:128]!r}.")
        return index.search(subquery)

    async def exists(self, index: str) -> bool | None:
        """Whether an index with this name exists; None if this service has no right to check. Raises BackendError."""
        if index in self._services:
            return True
        return False if self._otherwise is None else await self._otherwise.exists(index)

    async def documents(self, index: str) -> int | None:
        """The number of documents in an index; None if the index is in `services`, if `otherwise` is None, or if the
        number is not known. Raises BackendMissing, BackendError."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.documents(index)

    async def schema(self, index: str) -> Schema | None:
        """The fields of an index; None if they may not be read, if the index is in `services` or is an address, or if
        `otherwise` is None. Raises BackendError."""
        if index in self._services or self._otherwise is None or is_address(index):
            return None
        return await self._otherwise.schema(index)

    async def facets(self, index: str) -> Facets | None:
        """The facets of an index; None if they are not available."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.facets(index)
