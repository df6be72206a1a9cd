"""A circuit breaker: a silent target is not called for a while, so that nobody waits a whole deadline for nothing.

Only silence counts: a call without an answer in its time. Any answer, even a refusal or a failure, shows that the
target is alive and resets the count. After the pause one trial call is made, and its outcome decides.
"""

import asyncio
import logging
from typing import Final

from retrieval.errors import BackendError, BackendSuspended, BackendTimeout

SILENCES: Final = 5
"""After so many calls in a row without an answer, the target is suspended."""

SILENT_SECONDS: Final = 3.0
"""A cancelled call counts as unanswered if it had at least this time."""

PAUSE_SECONDS: Final = 15.0

logger = logging.getLogger(__name__)


class Breaker:
    """The breaker of one target. `name` is for messages. Times are those of the running loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._silences = 0
        self._paused_until: float | None = None
        self._trying = False

    def call(self) -> "Calling":
        """Wraps one call of the target. Raises BackendSuspended, without a call, while the target is suspended."""
        return Calling(self)

    def begin(self) -> bool:
        """Whether this call is the trial for all others. Raises BackendSuspended."""
        if self._paused_until is None:
            return False
        left = self._paused_until - asyncio.get_running_loop().time()
        if left > 0 or self._trying:
            raise BackendSuspended(self._name, times=self._silences, seconds=max(left, 0))
        self._trying = True
        return True

    def end(self, error: BaseException | None, *, seconds: float, is_trial: bool) -> None:
        """A call ended after so many seconds."""
        if isinstance(error, BackendTimeout) or (
            isinstance(error, asyncio.CancelledError) and seconds >= SILENT_SECONDS
        ):
            self._was_silent()
        elif error is None or isinstance(error, BackendError):
            self._answered()
        if is_trial:
            self._trying = False

    def _answered(self) -> None:
        if self._paused_until is not None:
            logger.warning("%s answers again.", self._name)
        self._silences, self._paused_until = 0, None

    def _was_silent(self) -> None:
        """Counts a silence. Calls that began before a pause do not extend it."""
        self._silences += 1
        now = asyncio.get_running_loop().time()
        if self._silences >= SILENCES and (self._paused_until is None or self._paused_until <= now):
            self._paused_until = now + PAUSE_SECONDS
            logger.warning(
                "%s is not called for %.0f s: it did not answer %d times.", self._name, PAUSE_SECONDS, self._silences
            )


class Calling:
    """One call of a breaker's target. It is a class, since a generator would take twice as long."""

    __slots__ = ("_breaker", "_is_trial", "_start")

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker

    def __enter__(self) -> None:
        self._start, self._is_trial = asyncio.get_running_loop().time(), self._breaker.begin()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        seconds = asyncio.get_running_loop().time() - self._start
        self._breaker.end(error, seconds=seconds, is_trial=self._is_trial)
