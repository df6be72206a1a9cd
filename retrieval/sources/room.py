"""A kind of knowledge source in a deployment: what searches it, what may be stored of it, and how it is examined."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from retrieval.errors import Problem
from retrieval.model.definitions import Source, SourceKind
from retrieval.model.finding import About, Finding
from retrieval.model.search import SearchTarget
from retrieval.model.tools import NOTHING_PASSED, Passed
from retrieval.ports import SearchIndex, ToolServers
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
    - `secrets`: texts that no finding may contain
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
    secrets: Collection[str] = ()


Rooms: TypeAlias = Mapping[SourceKind, Room]


def named(rooms: Rooms) -> Mapping[str, Room]:
    """The kind of each name that the settings have for what a kind searches."""
    return {name: room for room in rooms.values() for name in room.names}


def implied(rooms: Rooms) -> Iterator[Source]:
    """The sources that exist without a definition: one for each name of the settings."""
    return (Source(name=name, index=name, kind=room.kind) for name, room in named(rooms).items())


def room_of(rooms: Rooms, target: SearchTarget) -> Room | None:
    """What serves a target: the kind that has the name of its index, or else its own; None for an index of the search
    service."""
    return next((room for room in rooms.values() if target.index in room.names), rooms.get(target.kind))


def passed_on(rooms: Rooms, headers: Mapping[str, str], targets: Sequence[SearchTarget]) -> Passed:
    """The parts of a call that the sources of these targets get. Raises BadRequest."""
    names = {kind: [target.source_name for target in targets if target.kind == kind] for kind in rooms}
    parts = [rooms[kind].pass_on(headers, of_kind) for kind, of_kind in names.items() if of_kind]
    every = {name: pairs for part in parts for name, pairs in part.headers.items()}
    return Passed(headers=every, hops=max((part.hops for part in parts), default=0)) if parts else NOTHING_PASSED
