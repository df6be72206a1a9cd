"""The outcomes of searches, by knowledge source: a line of the log for each failure and for slow sources, counts, and
the sources that are failing now.

A failure that a caller's filter may have caused says nothing about its source. A search of an MCP server says nothing
about this instance. Both have their lines and counts, but no such source is called failing.
"""

import logging
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from retrieval.errors import BackendError, BackendFailing, BackendRefused, BackendSuspended, BackendTimeout, Place
from retrieval.model.search import SearchTarget
from retrieval.ports import Ticks
from retrieval.telemetry import logs, names
from retrieval.telemetry.spans import current, ids, instruments

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
"""The most sources, and the most causes, that are kept."""

SILENT: Final = "silent"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end of a search: the time, and the error with its cause if it failed."""

    at: float
    error: BackendError | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class _Answered:
    """An answered search: its end, its seconds, and whether it was slow."""

    at: float
    seconds: float
    slow: bool


@dataclass(slots=True)
class _Recent:
    """The last searches in one place, and the time at which it was last called slow."""

    ended: deque[_Ended] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    answered: deque[_Answered] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    told_slow: float = -math.inf

    def since(self, time: float) -> Sequence[_Ended]:
        return [end for end in self.ended if end.at >= time]


class Outcomes:
    """The outcomes of the searches of a process. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._recent: dict[Place, _Recent] = {}
        self._told: dict[tuple[Place, str], float] = {}

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
        counted = {names.SOURCE: place.source, names.INDEX: place.index}
        if error is None:
            instruments().searches.add(1, counted)
            if (call := current()) is not None:
                call.searched(place.index, found)
            self._answered(place, seconds, seconds > SLOW * time)
        else:
            instruments().searches.add(1, {**counted, names.CAUSE: logs.cause(error)})
            self._tell(place, error)
        if not _says_nothing(target, error):
            ended = _Ended(self._ticks(), error, "" if error is None else _cause(error))
            self._of(place).ended.append(ended)

    def failing(self) -> tuple[str, ...]:
        """The names of the sources in which at least half of the searches of the last minute failed, and three at
        least."""
        since = self._ticks() - SECONDS
        shares = {place.source: _failures(recent.since(since)) for place, recent in self._recent.items()}
        return tuple(sorted(name for name, (failed, all) in shares.items() if failed >= max(LEAST, SHARE * all)))

    async def check(self) -> None:
        """Raises BackendFailing if every search of the last minute in one place failed for the same cause. At least
        three failures are needed."""
        since = self._ticks() - SECONDS
        for place, recent in self._recent.items():
            ended = recent.since(since)
            last = ended[-1].error if ended else None
            if len(ended) >= LEAST and last is not None and len({end.cause for end in ended}) == 1:
                raise BackendFailing(last, place)

    def _of(self, place: Place) -> _Recent:
        if place not in self._recent and len(self._recent) >= MOST_PLACES:
            self._recent.pop(next(iter(self._recent)))
        return self._recent.setdefault(place, _Recent())

    def _answered(self, place: Place, seconds: float, slow: bool) -> None:
        """Counts a slow search. Logs a source of which at least half of the searches of the last minute were slow, and
        three at least: once a minute while it lasts."""
        now, recent = self._ticks(), self._of(place)
        recent.answered.append(_Answered(now, seconds, slow))
        if not slow:
            return
        instruments().slow.add(1, {names.SOURCE: place.source, names.INDEX: place.index})
        answered = [end for end in recent.answered if end.at >= now - SECONDS]
        times = [end.seconds for end in answered if end.slow]
        if len(times) >= max(LEAST, SHARE * len(answered)) and now - recent.told_slow >= SECONDS:
            recent.told_slow = now
            line = "searches are slow: source %r, index %r: %d of %d took more than half of their time, up to %.1f s%s"
            logger.warning(line, place.source, place.index, len(times), len(answered), max(times), ids())

    def _tell(self, place: Place, error: BackendError) -> None:
        """Logs a failure: as a warning at first, and once a minute while it lasts."""
        now, key = self._ticks(), (place, logs.cause(error))
        is_news = now - self._told.get(key, -math.inf) >= SECONDS
        if is_news:
            self._told = {key: now} if len(self._told) >= MOST_PLACES else self._told | {key: now}
        level = logging.WARNING if is_news else logging.INFO
        logger.log(level, "a search failed: %s%s", logs.describe(error, content=False, place=place), ids())


def _says_nothing(target: SearchTarget, error: BackendError | None) -> bool:
    return target.server is not None or (isinstance(error, BackendRefused) and target.filter != target.base_filter)


def _cause(error: BackendError) -> str:
    """The cause by which failures are called the same. A target that is suspended has not answered before."""
    return SILENT if isinstance(error, BackendTimeout | BackendSuspended) else logs.cause(error)


def _failures(ended: Sequence[_Ended]) -> tuple[int, int]:
    """The number of failed searches, and of all."""
    return sum(end.error is not None for end in ended), len(ended)
