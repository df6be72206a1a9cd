"""Waiting for the searches of a call, awaited: until the deadline, and for a late one no longer than `late` says."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from retrieval import pauses
from retrieval.call.late import Pace, patience
from retrieval.errors import BackendLate, BackendTimeout
from retrieval.model.search import Page, Subquery
from retrieval.ports import SearchIndex


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
