"""A circuit breaker: a silent target is not called for a while, so that nobody waits a whole deadline for nothing.

Only a silence counts, which is a call without an answer in its time. Any answer, even a refusal or a failure, shows
that the target is alive and resets the count. After the pause one trial call is made, and its outcome decides.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from retrieval.errors import BackendError, BackendSuspended, BackendTimeout

SILENCES: Final = 5
"""The number of calls in a row without an answer after which the target is suspended."""

SILENT_SECONDS: Final = 3.0
"""A cancelled call counts as unanswered if it lasted at least this time."""

PAUSE_SECONDS: Final = 15.0

logger = logging.getLogger(__name__)


class Breaker:
    """The breaker of one target. `name` is for messages. Times are those of the running loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._silences = 0
        self._paused_until: float | None = None
        self._trying = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wraps one call of the target. Raises BackendSuspended, without a call, while the target is suspended."""
        start, is_trial = asyncio.get_running_loop().time(), self._is_trial()
        try:
            yield
        except BackendTimeout:
            self._note_silence()
            raise
        except asyncio.CancelledError:
            if asyncio.get_running_loop().time() - start >= SILENT_SECONDS:
                self._note_silence()
            raise
        except BackendError:
            self._note_answer()
            raise
        else:
            self._note_answer()
        finally:
            if is_trial:
                self._trying = False

    def _is_trial(self) -> bool:
        """Whether this call is the trial for all others. Raises BackendSuspended."""
        if self._paused_until is None:
            return False
        seconds_left = self._paused_until - asyncio.get_running_loop().time()
        if seconds_left > 0 or self._trying:
            raise BackendSuspended(self._name, times=self._silences, seconds=max(seconds_left, 0))
        self._trying = True
        return True

    def _note_answer(self) -> None:
        if self._paused_until is not None:
            logger.warning("%s answers again.", self._name)
        self._silences, self._paused_until = 0, None

    def _note_silence(self) -> None:
        """Counts a silence. Calls that began before a pause do not extend it."""
        self._silences += 1
        now = asyncio.get_running_loop().time()
        if self._silences >= SILENCES and (self._paused_until is None or self._paused_until <= now):
            self._paused_until = now + PAUSE_SECONDS
            logger.warning(
                "%s is not called for %.0f s: it did not answer %d times.", self._name, PAUSE_SECONDS, self._silences
            )
