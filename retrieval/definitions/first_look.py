"""The first read of a process's definition stores. The first call that needs a credential, or an earlier `GET ready`,
starts this read.

At the first read, the configured definitions are also written to the stores. The log names the configured definitions
that callers have changed. `GET ready` waits for the first read, but at most a second. If the first read fails, the next
lookup that needs the configured definitions tries again.
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
    """Runs each function in `looks` once. The functions read the stores and may raise BackendError."""

    def __init__(self, *looks: Callable[[], Awaitable[None]]) -> None:
        self._looks = looks
        self._looking: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the read in a task of the event loop, if it has not started. Returns at once."""
        if self._looks and self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="first look")

    async def ended(self) -> None:
        """Return when the read has ended, or after a second."""
        self.begin()
        if self._looking is not None and not self._looking.done():
            await asyncio.wait([self._looking], timeout=PATIENCE_SECONDS)

    async def close(self) -> None:
        """Cancel a running read."""
        if self._looking is not None and self._looking.cancel():
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        for look in self._looks:
            try:
                await look()
            except BackendError as error:
                logger.warning("the definitions that are kept were not looked at: %s", type(error).__name__)
