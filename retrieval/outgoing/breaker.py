"""A circuit breaker. A target that does not answer is not called for some time. So callers do not wait until their
deadlines.

The breaker counts silences. A silence is a call that ends with BackendTimeout, or that is cancelled after at least
SILENT_SECONDS (`in_time`). A silence of a slow target is a connection that is refused, or closed without an answer; its
timeouts say nothing (`is_away`). A success or any other BackendError resets the count. After SILENCES silences in a
row, the target is not called for PAUSE_SECONDS. Then one trial call is made. If it is a silence, a new pause starts. A
success or any other BackendError ends the suspension.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

from retrieval import telemetry
from retrieval.errors import BackendError, BackendSuspended, BackendTimeout, BackendUnanswered

SILENCES: Final = 5
"""The target is suspended after this number of unanswered calls in a row."""

SILENT_SECONDS: Final = 3.0
"""A cancelled call counts as unanswered if it lasted at least this time."""

PAUSE_SECONDS: Final = 15.0

logger = logging.getLogger(__name__)


Ending: TypeAlias = Literal["silence", "answer", "unknown"]
"""What the end of a call says of its target."""


def in_time(error: BaseException, seconds: float) -> Ending:
    """What a failed call says of a target that answers soon."""
    if isinstance(error, BackendTimeout):
        return "silence"
    if isinstance(error, asyncio.CancelledError):
        return "silence" if seconds >= SILENT_SECONDS else "unknown"
    return "answer" if isinstance(error, BackendError) else "unknown"


def is_away(error: BaseException, seconds: float) -> Ending:
    """What a failed call says of a slow target."""
    if isinstance(error, BackendUnanswered) and error.may_pass:
        return "silence"
    return "answer" if isinstance(error, BackendError) and not isinstance(error, BackendTimeout) else "unknown"


class Breaker:
    """The circuit breaker of one target. `name` is used in messages. `ending_of` tells what a failed call of so many
    seconds says of the target."""

    def __init__(self, name: str, *, ending_of: Callable[[BaseException, float], Ending] = in_time) -> None:
        self._name = name
        self._ending_of = ending_of
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
        except BaseException as error:
            ending = self._ending_of(error, asyncio.get_running_loop().time() - start)
            if ending == "silence":
                self._note_silence()
            elif ending == "answer":
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
            telemetry.suspended(self._name, "closed")
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
            telemetry.suspended(self._name, "opened")
