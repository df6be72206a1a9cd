"""Limits the requests in flight in this process. Decides which requests are refused, and after how many seconds a
refused caller may retry. This project chose the constants; docs/operating/sizing.md describes the limits.
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
"""The number of recorded past requests. Until this number is reached, `check_time` refuses no request."""

FIRST_SECONDS: Final = 1.0
"""The assumed seconds for a request until the first request has ended."""

WEIGHT: Final = 1 / 16
"""The weight of the latest request in the average seconds for a request."""

SHORT: Final = 1.0
"""`check_time` refuses no request if the requests in flight need this many seconds or less. A call with little time
left fails at its own deadline."""

PLACES_FOR_EACH: Final = 2
"""The number of places that become free between the turns of two refused callers. One is for a refused caller, the
others are for new callers."""

STRANGERS: Final = 4
"""The most turns (see `InFlight`) for callers whose credential was not checked, as a multiple of the limit. Then the
turns start again from now."""

LONGEST_WAIT: Final = 30
"""The most seconds that a refused caller is told to wait."""


class InFlight:
    """Counts the requests in flight. A request above the limit is refused. A request that would be answered too late is
    refused too.

    A turn is the time at which a refused caller may retry. Turns are spread over the next seconds, so that callers do
    not all retry at once. The turns start again from now when more than half of the places are free. Callers whose
    credential was not checked have separate turns, so that a flood of them does not delay known callers. `ticks` is the
    event loop's clock in seconds. `processor` is the processor time of the event loop's thread in seconds. The work of
    other threads is not counted. They parse and render large texts, and compute embeddings.
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
        """Whether the limit of requests in flight is reached."""
        return self._count >= self._limit

    def check(self) -> None:
        """Raises Overloaded if the limit of requests in flight is reached. Used for known callers."""
        if self.full:
            raise Overloaded(self._count, retry_after=self._wait())

    def stranger(self) -> Overloaded:
        """The refusal of a caller whose credential was not checked. It does not state the number of requests, and does
        not delay known callers."""
        now, interval = self._ticks(), self._interval()
        turn = max(self._strangers_turn, now) + interval
        self._strangers_turn = turn if turn <= now + STRANGERS * self._limit * interval else now + interval
        return Overloaded(None, retry_after=_whole(self._strangers_turn - now))

    def check_time(self, seconds: float) -> None:
        """Raises Overloaded if the newest request in flight cannot be answered within `seconds`. All requests share one
        processor, so the newest request takes at least the processor time of all requests in flight. Each request is
        assumed to need the average of the recorded requests.
        """
        seconds_needed = self._count * sum(self._work) / RECORDS if len(self._work) == RECORDS else 0
        if seconds_needed > max(seconds, SHORT):
            raise Overloaded(self._count - 1, retry_after=self._wait(), seconds=seconds)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Counts a request in flight until the block ends. Raises Overloaded as `check` does."""
        self.check()
        if 2 * self._count < self._limit:
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
        """The whole seconds until the turn of the next refused caller; at least one."""
        now = self._ticks()
        self._turn = min(max(self._turn, now) + self._interval(), now + LONGEST_WAIT)
        return _whole(self._turn - now)

    def _interval(self) -> float:
        """The seconds from one turn to the next."""
        return PLACES_FOR_EACH * self._seconds / self._limit


def _whole(seconds: float) -> int:
    return min(max(math.ceil(seconds), 1), LONGEST_WAIT)
