"""Tells whether all searches of the last minute failed for the same cause. A search that the service refused as a wrong
request is not counted, because the cause is usually the caller's query or filter. A cancelled search is not counted
either.
"""

from dataclasses import dataclass
from typing import Final

from retrieval.errors import BackendError, BackendFailing, BackendRefused
from retrieval.ports import Ticks

SECONDS: Final = 60.0
LEAST: Final = 3
"""The fewest failures that make `check` fail. Fewer may be a short disturbance."""


@dataclass(frozen=True, slots=True)
class _Failing:
    """The cause of the latest failures, their number in a row, and the last error."""

    cause: tuple[str, int | None]
    times: int
    error: BackendError


class Outcomes:
    """The outcomes of searches. `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Ticks) -> None:
        self._ticks = ticks
        self._last = 0.0
        self._otherwise: float | None = None
        self._failing: _Failing | None = None

    def succeeded(self) -> None:
        """Record a successful search."""
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
        """Raises BackendFailing if every search of the last minute failed for the same cause. At least three failures
        in a row are needed."""
        now, failing = self._ticks(), self._failing
        if failing is None or failing.times < LEAST or now - self._last > SECONDS:
            return
        if self._otherwise is None or now - self._otherwise > SECONDS:
            raise BackendFailing(failing.error)
