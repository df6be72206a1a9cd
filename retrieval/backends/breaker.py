"""A circuit breaker. A target that does not answer is not called for some time. So callers do not wait until their
deadlines.

The breaker counts silences. A silence is a call that ends with BackendTimeout, or that is cancelled after at least
SILENT_SECONDS. A success or any other BackendError resets the count. After SILENCES silences in a row, the target is
not called for PAUSE_SECONDS. Then one trial call is made. If it is a silence, a new pause starts. A success or any
other BackendError ends the suspension.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from retrieval.errors import BackendError, BackendSuspended, BackendTimeout

SILENCES: Final = 5
"""The target is suspended after this number of unanswered calls in a row."""

SILENT_SECONDS: Final = 3.0
"""A cancelled call counts as unanswered if it lasted at least this time."""

PAUSE_SECONDS: Final = 15.0

logger = logging.getLogger(__name__)


class Breaker:
    """The circuit breaker of one target. `name` is used in messages."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._silences = 0
        self._paused_until: float | None = None
        self._trying = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wraps one call to the target. During a pause or a running trial call, raises BackendSuspended and does not
        run the block."""
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
        """Whether this call is the trial call after a pause. Raises BackendSuspended during a pause, and while another
        trial call is running."""
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
        """Counts a silence. A silence during a pause, from an earlier call, does not extend the pause."""
        self._silences += 1
        now = asyncio.get_running_loop().time()
        if self._silences >= SILENCES and (self._paused_until is None or self._paused_until <= now):
            self._paused_until = now + PAUSE_SECONDS
            logger.warning(
                "%s is not called for %.0f s: it did not answer %d times.", self._name, PAUSE_SECONDS, self._silences
            )
