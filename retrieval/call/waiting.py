"""Waiting for the searches of a call: until the deadline, and less for one that is late.

A search is late when its target usually answers much sooner, and the call's other searches have been answered. The
numbers are our decision. A search that is given up costs its documents, so the rule prefers to wait.
"""

import asyncio
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval import pauses
from retrieval.errors import BackendLate, BackendTimeout
from retrieval.model.search import Page, Subquery
from retrieval.ports import SearchIndex

LEAST_SECONDS: Final = 1.0
"""No search is given up sooner."""

ENOUGH: Final = 20
"""So many searches of a target must be on record."""

KEPT: Final = 100
"""So many are kept, the last ones."""

SHARE: Final = 0.95
TIMES: Final = 3.0
"""A late search took more than three times what 95 % of its target's searches take."""

LEARNED: Final = 2.0
"""A search that was given up is on record with no more seconds than these, unless most take as long: so a target that
has become slower is waited for, up to three times as long, and searches that always hang cost no more than that."""

ALIKE: Final = 2.0
"""And more than twice as long as the slowest answer of its call: where all are slow alike, none is late."""


class Recent:
    """The last hundred of some numbers: in the order they came, and sorted."""

    def __init__(self) -> None:
        self._came: deque[float] = deque()
        self.sorted: list[float] = []

    def add(self, number: float) -> None:
        """The oldest makes room for it."""
        if len(self._came) == KEPT:
            del self.sorted[bisect_left(self.sorted, self._came.popleft())]
        self._came.append(number)
        insort(self.sorted, number)


class Pace:
    """How long the searches of each target took lately, in seconds, without the pauses that it asked for."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, Recent] = defaultdict(Recent)

    def took(self, target: str, seconds: float) -> None:
        """A search was answered."""
        self._seconds[target].add(seconds)

    def gave_up(self, target: str, seconds: float) -> None:
        """A search was given up: it would have taken longer."""
        self._seconds[target].add(max(min(seconds, LEARNED), self._usual(target) or 0))

    def bound(self, target: str) -> float | None:
        """The seconds after which a search of that target may be late; None while too few are on record."""
        usual = self._usual(target)
        return None if usual is None else max(LEAST_SECONDS, TIMES * usual)

    def _usual(self, target: str) -> float | None:
        seconds = self._seconds[target].sorted
        return None if len(seconds) < ENOUGH else seconds[int(SHARE * len(seconds))]


def patience(bound: float | None, answered: Sequence[float], *, searches: int) -> float | None:
    """The seconds after which one of so many searches of a call is given up; None: it is waited for.

    `bound` is its target's, `answered` what the answered searches of the call took. At least half must be answered, so
    a single search is always waited for.
    """
    if bound is None or 2 * len(answered) < searches:
        return None
    return max(LEAST_SECONDS, bound, ALIKE * max(answered))


@dataclass(slots=True, kw_only=True, eq=False)
class Waited:
    """A search under way. Times are those of the running loop; `paused` are the seconds that its target asked for."""

    target: str
    start: float
    until: float
    limit: asyncio.Timeout
    paused: float = 0.0

    @property
    def seconds(self) -> float:
        """What it has taken, without the pauses."""
        return max(_now() - self.start - self.paused, 0)


@dataclass(slots=True, kw_only=True)
class Together:
    """The searches of one round: how many there are, how long those that are answered took, and the others.

    While there are none, the plan is still being written, and none is late.
    """

    searches: int = 0
    answered: list[float] = field(default_factory=list)
    waited: set[Waited] = field(default_factory=set)


class Waits:
    """The searches of a call that are waited for. Without a `pace` none is late.

    A target whose failure fails the call is waited for until the deadline.
    """

    def __init__(self, pace: Pace | None = None) -> None:
        self._pace = pace
        self._rounds: defaultdict[int, Together] = defaultdict(Together)

    def expect(self, searches: int, *, round: int) -> None:
        """So many searches of a round are all that there are, with those that were expected before."""
        together = self._rounds[round]
        together.searches += searches
        self._bound(together)

    async def search(self, index: SearchIndex, subquery: Subquery, *, until: float, round: int) -> Page:
        """Raises BackendLate, BackendTimeout at that time of the loop, BackendError, and UnsupportedFilter."""
        together, limit = self._rounds[round], asyncio.timeout_at(until)
        one = Waited(target=subquery.target.index, start=_now(), until=until, limit=limit)

        def pause(seconds: float) -> None:
            one.paused += seconds
            self._bound(together)

        try:
            async with limit:
                if not subquery.target.fail_on_error:
                    together.waited.add(one)
                try:
                    with pauses.heard(pause):
                        page = await index.search(subquery)
                finally:
                    together.waited.discard(one)
        except TimeoutError:
            raise self._ended(one) from None
        if self._pace is not None:
            seconds = one.seconds
            self._pace.took(one.target, seconds)
            together.answered.append(seconds)
            self._bound(together)
        return page

    def _ended(self, one: Waited) -> BackendTimeout:
        """Why a search was ended: at the deadline, or as late, which is put on record."""
        service, seconds = f"The search in {one.target!r}", max(_now() - one.start, 0)
        if self._pace is None or one.limit.when() == one.until:
            return BackendTimeout(service, seconds=seconds)
        self._pace.gave_up(one.target, one.seconds)
        return BackendLate(service, seconds=seconds)

    def _bound(self, together: Together) -> None:
        """Gives each search under way its limit."""
        if self._pace is None or not together.searches or not together.waited:
            return
        for one in together.waited:
            after = patience(self._pace.bound(one.target), together.answered, searches=together.searches)
            until = one.until if after is None else min(one.until, one.start + one.paused + after)
            if until != one.limit.when() and not one.limit.expired():
                one.limit.reschedule(until)


def _now() -> float:
    return asyncio.get_running_loop().time()
