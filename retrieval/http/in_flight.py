"""Limits the requests in flight in this process. Decides which requests are refused, after how many seconds a refused
caller may retry, and for whom a place is held. This project chose the constants; docs/operating/sizing.md describes the
limits.
"""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import thread_time
from typing import Final

from retrieval.errors import Overloaded
from retrieval.ports import Ticks

RECORDS: Final = 64
"""The number of recorded past requests. Until this number is reached, `check_time` refuses no request."""

FIRST_SECONDS: Final = 2.5
"""The assumed seconds for a request until the first request has ended."""

FIRST_END: Final = 8.0
"""The assumed seconds after which a known caller finds a place free, until the first request has ended. This is longer
than most requests take: a caller who comes back too early is refused again."""

OVERDUE: Final = 1.25
"""A request that has taken longer than the average is assumed to take so many times its present seconds."""

WEIGHT: Final = 1 / 16
"""The weight of the latest request in the average seconds for a request."""

SHORT: Final = 1.0
"""`check_time` refuses no request if the requests in flight need this many seconds or less. A call with little time
left fails at its own deadline."""

PLACES_FOR_EACH: Final = 3
"""The number of places that become free between the turns of two refused callers. One is for a refused caller, the
others are for new callers. With fewer, more callers come at once than places are held for."""

STRANGERS: Final = 4
"""The most turns (see `InFlight`) for callers whose credential was not checked, as a multiple of the limit. Then the
turns start again from now."""

LONGEST_WAIT: Final = 30
"""The most seconds that a refused caller is told to wait."""


HELD_SHARE: Final = 4
"""One of so many places is held for refused callers at most."""

HELD_BEFORE: Final = 2.0
"""The most seconds before its turn from which on a place is held for a refused caller. Where requests are
short it is a third of their seconds: a third of the places become free in them."""

HELD_AFTER: Final = 1.0
"""The seconds after its turn until which the place is held: the answer's way to the caller, and the call's way back."""

TOLERANCE: Final = 0.05
"""The seconds that a caller may return too early, since clocks differ."""

PATIENCE: Final = 8
"""A caller with so many turns in the future, as a multiple of the limit, does not wait for them. No place is held for
it until the last of them has passed."""

CALLERS: Final = 256
"""The most callers for whom a place may be held."""


@dataclass(slots=True)
class _Line:
    """The turns of one refused caller as it was told them, the next turn first. `last` is the last of them before it
    was rounded to whole seconds. `waited` are the seconds that the caller was told last."""

    turns: deque[float] = field(default_factory=deque)
    last: float = -math.inf
    waited: int = 0
    impatient: bool = False


class HeldPlaces:
    """Holds a place for each refused caller until its turn has passed: one for each caller, and at most a quarter of
    all places. A caller who returns before its turn gains nothing.

    A caller is known by a text. Its turns follow each other and delay no other caller. `before` are the seconds before
    a turn from which on its place is held, and `lines` are the turns by caller.
    """

    def __init__(self, limit: int) -> None:
        self._most = limit // HELD_SHARE
        self._longest = PATIENCE * limit
        self.before = HELD_BEFORE
        self.lines: dict[str, _Line] = {}

    def count(self, now: float) -> int:
        """The number of places that are held. Drops the turns that have passed, and callers without a turn."""
        for caller, line in list(self.lines.items()):
            while line.turns and line.turns[0] + HELD_AFTER < now:
                line.turns.popleft()
            if not line.turns:
                del self.lines[caller]
        live = sum(not line.impatient and line.turns[0] - self.before <= now for line in self.lines.values())
        return min(live, self._most)

    def is_due(self, caller: str | None, now: float) -> bool:
        """Whether the turn of the caller has come."""
        line = None if caller is None else self.lines.get(caller)
        return line is not None and not line.impatient and line.turns[0] - TOLERANCE <= now

    def take(self, caller: str | None, now: float) -> int:
        """The caller has returned: its turn is used up if it has come. The seconds that it waited, or 0."""
        if caller is None or not self.is_due(caller, now):
            return 0
        line = self.lines[caller]
        line.turns.popleft()
        if not line.turns:
            del self.lines[caller]
        return line.waited

    def add(self, caller: str, turn: float, *, now: float, seconds: int) -> None:
        """Another turn of the caller, who was told to wait so many seconds. Nothing is added for more callers than are
        known at once."""
        line = self.lines.get(caller)
        if line is None and len(self.lines) < CALLERS:
            line = self.lines[caller] = _Line()
        if line is not None:
            line.turns.append(now + seconds)
            line.last, line.waited = turn, seconds
            line.impatient = len(line.turns) >= self._longest


class InFlight:
    """Counts the requests in flight. A request above the limit is refused. A request that would be answered too late is
    refused too.

    A turn is the time at which a refused caller may retry. Turns are spread over the next seconds, so that callers do
    not all retry at once. The turns of known callers begin when the first place is expected to become free. The turns
    start again from now when more than half of the places are free. Callers whose credential was not checked have
    separate turns, so that a flood of them does not delay known callers. `ticks` is the event loop's clock in seconds.
    `processor` is the processor time of the event loop's thread in seconds. The work of other threads is not counted.
    They parse and render large texts, and compute embeddings.
    """

    def __init__(self, limit: int, *, ticks: Ticks, processor: Ticks = thread_time) -> None:
        self._limit = limit
        self._ticks = ticks
        self._processor = processor
        self._count = 0
        self._seconds = FIRST_SECONDS
        self._ended = 0
        self._starts: dict[object, float] = {}
        self._turn = self._strangers_turn = -math.inf
        self._work: deque[float] = deque(maxlen=RECORDS)
        self._worked = 0.0
        self._held = HeldPlaces(limit)

    @property
    def full(self) -> bool:
        """Whether no place is free but those that are held for refused callers."""
        free = self._limit - self._count
        return free <= 0 or (free * HELD_SHARE <= self._limit and free <= self._held.count(self._ticks()))

    def check(self, caller: str | None = None) -> float:
        """The time, if a place is free for this known caller. Otherwise raises Overloaded, and holds a place for the
        caller. None is this process itself, for which no place is held and from which none is withheld."""
        now = self._ticks()
        if self._count < self._limit and (caller is None or self._held.is_due(caller, now) or not self.full):
            return now
        raise Overloaded(self._count, retry_after=self._wait(caller, least=2 * self._held.take(caller, now)))

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
    def request(self, caller: str | None = None) -> Iterator[None]:
        """Counts a request in flight until the block ends. Raises Overloaded as `check` does."""
        start = self.check(caller)
        self._held.take(caller, start)
        if 2 * self._count < self._limit:
            self._turn = self._strangers_turn = -math.inf
        if self._count == 0:
            self._worked = self._processor()
        self._count += 1
        key = object()
        self._starts[key] = start
        try:
            yield
        finally:
            self._count -= 1
            self._ended += 1
            del self._starts[key]
            self._seconds += max(WEIGHT, 1 / self._ended) * (self._ticks() - start - self._seconds)
            self._held.before = min(HELD_BEFORE, self._seconds / 3)
            worked_before, self._worked = self._worked, self._processor()
            self._work.append(self._worked - worked_before)

    def _first_end(self, now: float) -> float:
        """The time at which the first request in flight is expected to end."""
        seconds = self._seconds if self._ended else FIRST_END
        return min((start + max(seconds, OVERDUE * (now - start)) for start in self._starts.values()), default=now)

    def _wait(self, caller: str | None = None, *, least: int = 0) -> int:
        """The whole seconds until the next turn of this known caller, or of this process (None). A caller who has a
        turn already delays nobody else. Who came in time and found no place waits twice as long beside it: requests
        take longer than was assumed."""
        now, line = self._ticks(), None if caller is None else self._held.lines.get(caller)
        if line is not None and line.impatient:
            return _whole(line.last - now)
        first = now if caller is None else max(now, self._first_end(now))
        turn = min(max(self._turn if line is None else line.last, first) + self._interval(), now + LONGEST_WAIT)
        if line is None:
            self._turn = turn
        seconds = _whole(turn - now + least)
        if caller is not None:
            self._held.add(caller, turn, now=now, seconds=seconds)
        return seconds

    def _interval(self) -> float:
        """The seconds from one turn to the next."""
        return PLACES_FOR_EACH * self._seconds / self._limit


def _whole(seconds: float) -> int:
    return min(max(math.ceil(seconds), 1), LONGEST_WAIT)
