"""A process's first reading of its stores of definitions, which begins with the first call of any kind.

It stores the configured definitions, and the log names the definitions that callers have changed. Only `GET ready`
waits for it, and not for long. If it fails, the next lookup that needs it tries again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from retrieval.errors import BackendError

PATIENCE_SECONDS: Final = 1.0

logger = logging.getLogger(__name__)


class FirstLook:
    """Reads each store once. `looks` are the functions that read, one for each store; each may raise BackendError."""

    def __init__(self, *looks: Callable[[], Awaitable[None]]) -> None:
        self._looks = looks
        self._looking: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin the reading, if it has not begun, in a task of the event loop. This returns at once."""
        if self._looks and self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="first look")

    async def ended(self) -> None:
        """Return when the reading has ended, or after a second."""
        self.begin()
        if self._looking is not None and not self._looking.done():
            await asyncio.wait([self._looking], timeout=PATIENCE_SECONDS)

    async def close(self) -> None:
        """Give up a reading that is under way."""
        if self._looking is not None and self._looking.cancel():
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        for look in self._looks:
            try:
                await look()
            except BackendError as error:
                logger.warning("the definitions that are kept were not looked at: %s", type(error).__name__)
