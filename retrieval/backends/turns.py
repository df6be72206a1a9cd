"""Searches begin a few in each turn of the event loop, those that came first before the others.

Sending a search is work. Where 64 calls have their plans at the same moment, all 320 searches would be sent before the
loop looks at the first answer, and all 64 calls would be answered at the end. So the answers that are there are read
between them: in paired rounds the median call was answered 14 to 27 % sooner (tests/benchmarks/wall.py).
"""

import asyncio


class Turns:
    """Lets `at_once` calls begin in a turn of the loop."""

    def __init__(self, at_once: int) -> None:
        self._places = asyncio.Semaphore(at_once)

    async def take(self) -> None:
        """Return in the first turn of the loop that has a place: at once where this turn has one."""
        await self._places.acquire()
        asyncio.get_running_loop().call_soon(self._places.release)
