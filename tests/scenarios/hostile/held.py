"""How long a loop was held: how much processor time passes between two of its turns.

What is held so long is everything else on the loop, `/health` with it. The time is that of the whole process: also a
thread holds the loop, while it stays within one call of a library. On a busy machine it grows no longer than the work.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from tests.processor import process_time


class Heart:
    """Beats at every turn of the running loop, and knows the `longest` time between two beats, in seconds."""

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
            await asyncio.sleep(0)

    def _count(self) -> None:
        now = process_time()
        self.longest, self._last = max(self.longest, now - self._last), now
