"""Limits the calls of a caller, a role, a scope or an application in a minute and in a day, and so limits the cost.

Each process counts its own calls, so n processes accept n times as many calls.
"""

import logging
import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from retrieval.errors import LimitReached, Window
from retrieval.model.caller import Caller, Limit
from retrieval.ports import Ticks
from retrieval.telemetry import names, spans

SECONDS: Final[Mapping[Window, float]] = {"minute": 60.0, "day": 86_400.0}
NAMING: Final = frozenset({"roles", "scp", "azp", "appid"})
"""The claims that contain a token's roles, its scopes and the id of the calling application."""
EACH: Final = "*"
"""The name in LIMITS of each caller who has no entry of its own: each is counted by itself."""
MOST_CALLERS: Final = 4_096
"""The most callers that are counted by themselves. Beyond it the caller who has not asked for longest is forgotten."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Count:
    """Counts the requests of one name in a time window. The window begins with its first request. `told` is true after
    a log line about the full window. `entry` is the name in LIMITS."""

    name: str
    entry: str
    most: int
    window: Window
    begun: float = -math.inf
    count: int = 0
    told: bool = False

    def full_at(self, now: float) -> bool:
        if now - self.begun >= SECONDS[self.window]:
            self.begun, self.count, self.told = now, 0, False
        return self.count >= self.most


class RateLimits:
    """The limits of a deployment, by name. A name is a caller's id in the logs, a role, a scope, the id of an
    application, or `EACH`."""

    def __init__(self, limits: Mapping[str, Limit], *, ticks: Ticks) -> None:
        self._counts = {name: _counts(name, name, limit) for name, limit in limits.items() if name != EACH}
        self._each = limits.get(EACH)
        self._callers: OrderedDict[str, tuple[_Count, ...]] = OrderedDict()
        self._ticks = ticks

    def check(self, caller: Caller) -> None:
        """Count a request of the caller. If a window is full, raises LimitReached and counts nothing."""
        now = self._ticks()
        counts = [count for name in _names(caller) for count in self._counts.get(name, ())]
        if self._each is not None and caller.id not in self._counts:
            counts += self._own(caller, self._each)
        for full in counts:
            if full.full_at(now):
                raise self._refused(full, now)
        for count in counts:
            count.count += 1

    def _own(self, caller: Caller, limit: Limit) -> tuple[_Count, ...]:
        found = self._callers.setdefault(caller.name, _counts(caller.id, EACH, limit))
        self._callers.move_to_end(caller.name)
        if len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)
        return found

    def _refused(self, full: _Count, now: float) -> LimitReached:
        spans.count(names.LIMITED, {names.LIMIT: full.entry})
        if not full.told:
            logger.warning(
                "%r has asked %d times this %s, as often as LIMITS lets it", full.name, full.most, full.window
            )
            full.told = True
        wait = math.ceil(full.begun + SECONDS[full.window] - now)
        return LimitReached(full.name, most=full.most, window=full.window, retry_after=max(wait, 1))


def _counts(name: str, entry: str, limit: Limit) -> tuple[_Count, ...]:
    windows: tuple[tuple[Window, int | None], ...] = (("minute", limit.minute), ("day", limit.day))
    return tuple(
        _Count(name=name, entry=entry, most=most, window=window) for window, most in windows if most is not None
    )


def _names(caller: Caller) -> frozenset[str]:
    claimed = (value for claim in NAMING for value in caller.claims.get(claim, ()))
    return frozenset({caller.id, *(name for value in claimed for name in value.split())})
