"""The outcomes of the searches of the last minute: whether all of them failed for one cause.

A caller's mistake says nothing about the deployment and is left out, and so is a search that was given up.
"""

from dataclasses import dataclass
from typing import Final

from retrieval.errors import BackendError, BackendFailing, BackendRefused
from retrieval.ports import Ticks

SECONDS: Final = 60.0
LEAST: Final = 3
"""The least failures that count; fewer may be a short disturbance while there are few calls."""


@dataclass(frozen=True, slots=True)
class _Failing:
    """A cause of failures, and its last error."""

    cause: tuple[str, int | None]
    times: int
    error: BackendError


class Outcomes:
    """The outcomes of one service. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._last = 0.0
        self._otherwise: float | None = None
        self._failing: _Failing | None = None

    def succeeded(self) -> None:
        """Record a search that was answered."""
        self._failing, self._otherwise = None, self._ticks()

    def failed(self, error: BackendError) -> None:
        """Record a search that failed."""
        if isinstance(error, BackendRefused):
            return
        cause, known, now = (type(error).__name__, error.status), self._failing, self._ticks()
        if known is not None and known.cause != cause:
            self._otherwise, known = self._last, None
        self._failing = _Failing(cause, 1 if known is None else known.times + 1, error)
        self._last = now

    async def check(self) -> None:
        """Raises BackendFailing where every search of the last minute failed for the same cause."""
        now, failing = self._ticks(), self._failing
        if failing is None or failing.times < LEAST or now - self._last > SECONDS:
            return
        if self._otherwise is None or now - self._otherwise > SECONDS:
            raise BackendFailing(failing.error)
