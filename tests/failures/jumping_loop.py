"""An event loop whose clock jumps to the next timer when there is nothing else to do.

A deadline of ten seconds passes in a moment, and nothing that is still moving is cut off by it: with client and server
on one loop, whatever is on its way over loopback is readable at once, so a loop without input waits for a timer only.
"""

import asyncio
import selectors
from typing import Final

PATIENCE: Final = 0.005
"""Seconds of real time without input after which the clock jumps; a hop through a thread takes less."""


class JumpingSelector(selectors.DefaultSelector):
    """Counts in `ahead` how many seconds were jumped over."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= PATIENCE:
            return super().select(timeout)
        ready = super().select(PATIENCE)
        if not ready:
            self.ahead += timeout - PATIENCE
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """asyncio's loop on that clock."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return super().time() + self._jumping.ahead
