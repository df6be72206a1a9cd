"""The outcomes of searches, by knowledge source: a line of the log for each failure and for slow sources, counts, and
the sources that are failing now.

A failure that a caller's filter may have caused says nothing about its source. A search of an MCP server says nothing
about this instance. Both have their lines and counts, but no such source is called failing.
"""

import logging
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.errors import BackendError, BackendFailing, BackendRefused, BackendSuspended, BackendTimeout, Place
from retrieval.model.search import SearchTarget
from retrieval.ports import Ticks
from retrieval.telemetry import logs, names
from retrieval.telemetry.spans import count, current, ids

SECONDS: Final = 60.0
LEAST: Final = 3
"""The fewest failures of a source that is failing. Fewer may be a short disturbance."""

SHARE: Final = 0.5
"""The share of failed searches from which on a source is failing."""

SLOW: Final = 0.5
"""A search is slow if it takes more than this share of the time that it has."""

MOST_KEPT: Final = 100
"""The most searches of a source that are kept."""

MOST_PLACES: Final = 1_000
"""The most sources that are kept."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end of a search: the time, the error if it failed, its seconds, and whether it was slow."""

    at: float
    error: BackendError | None
    seconds: float
    slow: bool


class Outcomes:
    """The outcomes of the searches of a process. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._ended: dict[Place, deque[_Ended]] = {}
        self._told = logs.OnceAMinute(ticks=ticks)

    def ended(
        self,
        target: SearchTarget,
        error: BackendError | None,
        *,
        found: int,
        seconds: float = 0.0,
        time: float = math.inf,
    ) -> None:
        """Record the end of a search of this target: its error, or the number of documents that it found. It took so
        many `seconds` of the `time` that it had."""
        place = Place(target.index, target.source_name)
        labels = {names.SOURCE: place.source, names.INDEX: place.index}
        slow = error is None and seconds > SLOW * time
        of_caller = isinstance(error, BackendRefused) and target.filter != target.base_filter
        if error is None or not (of_caller or target.server is not None):
            self._of(place).append(_Ended(self._ticks(), error, seconds, slow))
        if error is not None:
            count(names.SEARCHES, {**labels, names.CAUSE: logs.cause(error)})
            level = logging.WARNING if self._told.is_news((place, logs.cause(error))) else logging.INFO
            logger.log(level, "a search failed: %s%s", logs.describe(error, content=False, place=place), ids())
            return
        count(names.SEARCHES, labels)
        if (call := current()) is not None:
            call.found[place.index] += found
        if slow:
            count(names.SLOW, labels)
            self._tell_slow(place)

    def failing(self) -> tuple[str, ...]:
        """The names of the sources in which at least half of the searches of the last minute failed, and three at
        least."""
        failed = {place.source: [end.error is not None for end in self._recent(place)] for place in self._ended}
        return tuple(sorted(name for name, ends in failed.items() if sum(ends) >= max(LEAST, SHARE * len(ends))))

    async def check(self) -> None:
        """Raises BackendFailing if every search of the last minute in one place failed for the same cause. At least
        three failures are needed."""
        for place in self._ended:
            errors = [end.error for end in self._recent(place)]
            last = errors[-1] if errors else None
            if len(errors) >= LEAST and last is not None and len(set(map(_cause, errors))) == 1:
                raise BackendFailing(last, place)

    def _of(self, place: Place) -> deque[_Ended]:
        if place not in self._ended and len(self._ended) >= MOST_PLACES:
            self._ended.pop(next(iter(self._ended)))
        return self._ended.setdefault(place, deque(maxlen=MOST_KEPT))

    def _recent(self, place: Place) -> Sequence[_Ended]:
        since = self._ticks() - SECONDS
        return [end for end in self._ended[place] if end.at >= since]

    def _tell_slow(self, place: Place) -> None:
        """Logs a source of which at least half of the answered searches of the last minute were slow, and three at
        least: once a minute while it lasts."""
        answered = [end for end in self._recent(place) if end.error is None]
        times = [end.seconds for end in answered if end.slow]
        if len(times) >= max(LEAST, SHARE * len(answered)) and self._told.is_news((place, names.SLOW)):
            line = "searches are slow: source %r, index %r: %d of %d took more than half of their time, up to %.1f s%s"
            logger.warning(line, place.source, place.index, len(times), len(answered), max(times), ids())


def _cause(error: BackendError | None) -> str | None:
    """The cause by which failures are called the same. A target that is suspended has not answered before."""
    if error is None:
        return None
    return "silent" if isinstance(error, BackendTimeout | BackendSuspended) else logs.cause(error)
