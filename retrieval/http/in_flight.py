"""The requests under way in this process: the limit on their number, the requests that are refused, and the time when
these may come back.

The numbers are our decision; docs/operating/sizing.md has the measurements behind them.
"""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Final

from retrieval.errors import Overloaded
from retrieval.ports import Ticks

RECORDS: Final = 64
"""The number of past requests on record. Until there are as many, no request is refused for its time."""

FIRST_SECONDS: Final = 1.0
"""The assumed time of a request, until a request has ended."""

WEIGHT: Final = 1 / 16
"""The weight of the last request in the average time of a request."""

SHORT: Final = 1.0
"""The seconds of work that never lead to a refusal: a call with little time left fails by its own deadline."""

PLACES_FOR_EACH: Final = 2
"""The number of places that become free before a refused caller's turn. Most of them go to callers who were not
refused."""

STRANGERS: Final = 4
"""The number of turns for callers whose credential was not checked, as a multiple of the limit. After them the turns
begin anew."""

LONGEST_WAIT: Final = 30
"""The most seconds until a turn."""


class InFlight:
    """Counts the requests under way. A request above the limit is refused, and so is a request that would be answered
    too late.

    Refused callers get turns one after the other, as places become free, so that they do not all come back at once;
    the turns end when half of the places are free. Callers whose credential was not checked get turns of their own,
    which begin anew, so that a flood of them makes nobody wait longer.

    `ticks` is the loop's clock in seconds, `processor` the processor time that the loop's thread has had. The work of
    other threads is left out: large texts that are read or written beside the loop, and embeddings, which use all
    processors.
    """

    def __init__(self, limit: int, *, ticks: Ticks, processor: Ticks = thread_time) -> None:
        self._limit = limit
        self._ticks = ticks
        self._processor = processor
        self._count = 0
        self._seconds = FIRST_SECONDS
        self._turn = self._strangers_turn = -math.inf
        self._work: deque[float] = deque(maxlen=RECORDS)
        self._worked = 0.0

    @property
    def full(self) -> bool:
        """Whether the limit of requests under way is reached."""
        return self._count >= self._limit

    def check(self) -> None:
        """Raises Overloaded for a known caller when the limit of requests under way is reached."""
        if self.full:
            raise Overloaded(self._count, retry_after=self._wait())

    def stranger(self) -> Overloaded:
        """The refusal of a caller whose credential was not checked. It has no count, and makes no known caller wait."""
        now, interval = self._ticks(), self._interval()
        turn = max(self._strangers_turn, now) + interval
        self._strangers_turn = turn if turn <= now + STRANGERS * self._limit * interval else now + interval
        return Overloaded(None, retry_after=_whole(self._strangers_turn - now))

    def check_time(self, seconds: float) -> None:
        """Raises Overloaded where the newest request under way cannot be answered in that many seconds.

        All requests share one processor, so the newest takes at least the processor time of all of them together. Each
        is assumed to need as much as the last requests did.
        """
        seconds_needed = self._count * sum(self._work) / RECORDS if len(self._work) == RECORDS else 0
        if seconds_needed > max(seconds, SHORT):
            raise Overloaded(self._count - 1, retry_after=self._wait(), seconds=seconds)

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request under way. Raises Overloaded as `check` does."""
        self.check()
        if self._count < self._limit // 2:
            self._turn = self._strangers_turn = -math.inf
        if self._count == 0:
            self._worked = self._processor()
        self._count += 1
        start = self._ticks()
        try:
            yield
        finally:
            self._count -= 1
            self._seconds += WEIGHT * (self._ticks() - start - self._seconds)
            worked_before, self._worked = self._worked, self._processor()
            self._work.append(self._worked - worked_before)

    def _wait(self) -> int:
        """The whole seconds until the turn of one more refused caller, at least one."""
        now = self._ticks()
        self._turn = min(max(self._turn, now) + self._interval(), now + LONGEST_WAIT)
        return _whole(self._turn - now)

    def _interval(self) -> float:
        """The seconds from one turn to the next."""
        return PLACES_FOR_EACH * self._seconds / self._limit


def _whole(seconds: float) -> int:
    return min(max(math.ceil(seconds), 1), LONGEST_WAIT)
