"""An event loop whose clock jumps to the next timer when there is nothing else to do.

A deadline of ten seconds passes in a moment, and nothing that is still moving is cut off by it: with client and server
on one loop, whatever is on its way over loopback is readable at once, so a loop without input waits for a timer only.
While anything moves, or a thread works for the loop, the clock stands still: how fast this machine is, and what else it
does, says nothing of a time.
"""

import asyncio
import selectors
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from math import ceil
from time import monotonic
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

PATIENCE: Final = 0.005
"""Seconds of real time without input after which the clock jumps."""

TICKS: Final = 2**20
"""In a second: times are whole ticks, so that their sums and differences are exact."""

THREADS: Final = 5.0
"""Seconds of real time that a thread may take before it counts as one that hangs."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class JumpingSelector(selectors.DefaultSelector):
    """Counts in `passed` the seconds that were jumped over; none while a thread is waited for."""

    def __init__(self, thread_seconds: float) -> None:
        super().__init__()
        self._thread_seconds = thread_seconds
        self.passed = 0.0
        self.threads: dict[asyncio.Future[Any], float] = {}

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        began = monotonic()
        ready = super().select(PATIENCE)
        if not ready and not any(began - since < self._thread_seconds for since in self.threads.values()):
            self.passed += ceil(timeout * TICKS) / TICKS
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """asyncio's loop on that clock."""

    def __init__(self, *, thread_seconds: float = THREADS) -> None:
        self._jumping = JumpingSelector(thread_seconds)
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.passed

    def jump(self, seconds: float) -> None:
        """Passes over so many seconds at once. A server's ticks within them are not waited for one by one."""
        self._jumping.passed += seconds

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._jumping.threads[future] = monotonic()
        future.add_done_callback(self._jumping.threads.pop)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Without the five minutes that Python 3.12 and later give the threads: the clock would jump over them."""
        await super().shutdown_default_executor()


def jump(seconds: float) -> None:
    """Passes over so many seconds on the clock of the running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, JumpingLoop)
    loop.jump(seconds)


@asynccontextmanager
async def standing() -> AsyncIterator[None]:
    """The clock stands still while another process answers: a thread waits beside it, for as long as threads may."""
    over = threading.Event()
    waiting = asyncio.create_task(asyncio.to_thread(over.wait))
    await asyncio.sleep(0)
    try:
        yield
    finally:
        over.set()
        await waiting
