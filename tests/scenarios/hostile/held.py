"""How long a loop was held: how much processor time passes between two beats of a heart on it.

What is held so long is everything else on the loop, `/health` with it. The time is that of the whole process: also a
thread holds the loop, while it stays within one call of a library. On a busy machine it grows no longer than the work.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.processor import process_time

BEAT: Final = 0.001
"""Seconds from one beat to the next. A beat at every turn would itself be most of the work."""


class Heart:
    """Beats on the running loop, and knows the `longest` time between two beats, in seconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = process_time()

    @contextmanager
    def beating(self) -> Iterator[None]:
        task = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            task.cancel()
            self._count()

    async def _beat(self) -> None:
        while True:
            self._count()
            await asyncio.sleep(BEAT)

    def _count(self) -> None:
        now = process_time()
        self.longest, self._last = max(self.longest, now - self._last), now
