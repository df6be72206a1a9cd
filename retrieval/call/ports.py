"""The ports of a call, and how it waits for its searches: until its deadline, or less long for a late search.

A search is late when its target usually answers much sooner, and at least half of the searches of its round were
answered much sooner. The numbers below are our own choice. The documents of a search that is given up are lost, so the
rule prefers to wait.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Final

from retrieval.errors import BackendLate, BackendTimeout
from retrieval.model.definitions import ModelDeployment
from retrieval.model.search import Page, Subquery
from retrieval.outgoing.breakers_and_retries import pause_listeners
from retrieval.ports import (
    ChatModel,
    Clock,
    IndexFacets,
    IndexSchemas,
    ModelServer,
    SearchIndex,
    ToolServers,
)
from retrieval.telemetry.outgoing_calls import Outcomes

LEAST_SECONDS: Final = 1.0
"""The least seconds before a search is given up."""

LEAST_RECORDS: Final = 20
"""The number of searches of a target that must be on record before one may be late."""

MOST_RECORDS: Final = 100
"""The most searches of a target that are on record."""

LATE_PERCENTILE: Final = 0.95
LATE_TIMES: Final = 3.0
"""A late search took more than three times the 95th percentile of its target's searches."""

MOST_LATE_SECONDS: Final = 2.0
"""The most seconds that are recorded for a search that was given up, unless the target's searches usually take longer.
Because searches that were given up are recorded too, calls wait longer for a target that has become slower. If a target
stops answering, these records raise its `Pace.bound` to at most six seconds."""

LATE_IN_ROUND: Final = 2.0
"""A late search also took more than twice as long as the slowest answer of its round. Where all searches are slow, none
is late."""


class Pace:
    """The seconds of the last searches of each target, without the pauses before a request is repeated."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, deque[float]] = defaultdict(partial(deque, maxlen=MOST_RECORDS))

    def took(self, target: str, seconds: float) -> None:
        """Record a search that was answered."""
        self._seconds[target].append(seconds)

    def gave_up(self, target: str, seconds: float) -> None:
        """Record a search that was given up after `seconds`."""
        self._seconds[target].append(max(min(seconds, MOST_LATE_SECONDS), self._usual(target) or 0))

    def bound(self, target: str) -> float:
        """The seconds after which a search of that target may be late; infinite while too few searches are on
        record."""
        usual = self._usual(target)
        return inf if usual is None else max(LEAST_SECONDS, LATE_TIMES * usual)

    def _usual(self, target: str) -> float | None:
        seconds = sorted(self._seconds[target])
        return None if len(seconds) < LEAST_RECORDS else seconds[int(LATE_PERCENTILE * len(seconds))]


def patience(bound: float, answer_seconds: Sequence[float], *, searches: int) -> float:
    """The seconds after which a search of a round is given up; infinite where it is not given up. `bound` is the
    bound of its target, and `answer_seconds` are the seconds of the round's answered searches. At least half of the
    searches must be answered first, so a single search is never given up.
    """
    is_enough = 2 * len(answer_seconds) >= searches
    return max(LEAST_SECONDS, bound, LATE_IN_ROUND * max(answer_seconds)) if is_enough else inf


@dataclass(slots=True, kw_only=True, eq=False)
class SearchUnderWay:
    """A search under way. Times are those of the event loop; `paused` are the seconds of the pauses before a request is
    repeated."""

    target: str
    start: float
    until: float
    limit: asyncio.Timeout
    paused: float = 0.0

    @property
    def seconds(self) -> float:
        """The seconds that the search has taken, without the pauses."""
        return max(now() - self.start - self.paused, 0)


@dataclass(slots=True, kw_only=True)
class RoundSearches:
    """The searches of one round: their number, the seconds of the answered searches, and the searches under way.

    While `searches` is 0, the plan is still being written, and no search is late.
    """

    searches: int = 0
    answered: list[float] = field(default_factory=list)
    waited: set[SearchUnderWay] = field(default_factory=set)


class Waits:
    """Waits for the searches of a call.

    Without a `pace` no search is late. A search whose failure fails the call is never late.
    """

    def __init__(self, pace: Pace | None = None) -> None:
        self._pace = pace
        self._rounds: defaultdict[int, RoundSearches] = defaultdict(RoundSearches)

    def expect(self, searches: int, *, round: int) -> None:
        """Add to the number of searches of a round."""
        together = self._rounds[round]
        together.searches += searches
        self._bound(together)

    async def search(self, index: SearchIndex, subquery: Subquery, *, until: float, round: int) -> Page:
        """The page of a search. Raises BackendTimeout at `until`, a time of the event loop. Raises BackendLate,
        BackendError and UnsupportedFilter."""
        together, limit = self._rounds[round], asyncio.timeout_at(until)
        under_way = SearchUnderWay(target=subquery.target.index, start=now(), until=until, limit=limit)

        def pause(seconds: float) -> None:
            under_way.paused += seconds
            self._bound(together)

        listeners: list[Callable[[float], None]] = [pause]
        before = pause_listeners.set(listeners)
        try:
            async with limit:
                if not subquery.target.fail_on_error:
                    together.waited.add(under_way)
                page = await index.search(subquery)
        except TimeoutError:
            raise self._ended(under_way) from None
        finally:
            together.waited.discard(under_way)
            listeners.clear()
            pause_listeners.reset(before)
        if self._pace is not None:
            seconds = under_way.seconds
            self._pace.took(under_way.target, seconds)
            together.answered.append(seconds)
            self._bound(together)
        return page

    def _ended(self, under_way: SearchUnderWay) -> BackendTimeout:
        """The error of a search that ended at the deadline, or because it was late. The seconds of a late search are
        recorded."""
        service, seconds = f"The search in {under_way.target!r}", max(now() - under_way.start, 0)
        if self._pace is None or under_way.limit.when() == under_way.until:
            return BackendTimeout(service, seconds=seconds)
        self._pace.gave_up(under_way.target, under_way.seconds)
        return BackendLate(service, seconds=seconds)

    def _bound(self, together: RoundSearches) -> None:
        """Sets the time at which each search under way is given up."""
        if self._pace is None or not (together.searches and together.waited and together.answered):
            return
        for under_way in together.waited:
            after = patience(self._pace.bound(under_way.target), together.answered, searches=together.searches)
            until = min(under_way.until, under_way.start + under_way.paused + after)
            if until != under_way.limit.when() and not under_way.limit.expired():
                under_way.limit.reschedule(until)


def now() -> float:
    """The current time of the event loop's clock, in seconds."""
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports of a call. Without a `model` the rules do its steps; `deployment` names the model in records.

    `schemas` gives the fields that filters and query hints name, `facets` the values that a question may name; both may
    be None. `values_shown` says that the deployment hides no document from any caller, so that a model may read values
    of facets. `servers` lists the tools of MCP servers; `index` calls the tools. `pace` says when a search is late;
    without it no search is late. `outcomes` records the end of each search. `server` is the server of the model where
    it stands on a developer's machine, and `replaced` the deployment of the definition, which that model replaces.
    """

    index: SearchIndex
    model: ChatModel | None
    clock: Clock
    deployment: ModelDeployment | None = None
    schemas: IndexSchemas | None = None
    facets: IndexFacets | None = None
    values_shown: bool = False
    servers: ToolServers | None = None
    pace: Pace | None = None
    outcomes: Outcomes | None = None
    server: ModelServer | None = None
    replaced: ModelDeployment | None = None
