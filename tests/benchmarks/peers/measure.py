"""What every peer measures of itself: CPU time, wall time at some callers, one call under a fault.

It needs the standard library alone, since it is imported beside a peer in the peer's own environment. A peer is an
`ask` that takes the question and returns how many documents came back.
"""

import asyncio
import gc
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from statistics import median
from time import perf_counter, process_time
from urllib.request import urlopen

QUESTION = "Which roads follow rivers to harbours?"
KEY = "benchmark-key"
ROUNDS_OF_CPU = 8
CALLS = 10
WARM_UP = 6
ROUNDS_OF_WALL = {1: 6, 16: 3, 64: 2}
"""Rounds by the number of callers who ask at once."""

Ask = Callable[[], Awaitable[int]]
Clock = Callable[[], Awaitable[float]]


async def own_cpu() -> float:
    """Seconds of this process, all threads."""
    return process_time()


async def cpu(ask: Ask, clock: Clock) -> float:
    """Milliseconds a call, one after the other: the median of the rounds."""
    await asyncio.gather(*(ask() for _ in range(CALLS)))
    spent = []
    for _ in range(ROUNDS_OF_CPU):
        gc.collect()
        start = await clock()
        for _ in range(CALLS):
            await ask()
        spent.append((await clock() - start) * 1000 / CALLS)
    return median(spent)


async def wall(ask: Ask) -> dict[str, float]:
    """Milliseconds of the median call by the number of callers."""
    await asyncio.gather(*(ask() for _ in range(4)))
    return {str(callers): await at_once(ask, callers, rounds) for callers, rounds in ROUNDS_OF_WALL.items()}


async def at_once(ask: Ask, callers: int, rounds: int) -> float:
    seconds: list[float] = []
    for _ in range(rounds):
        seconds += await asyncio.gather(*(timed(ask) for _ in range(callers)))
    return median(seconds) * 1000


async def timed(ask: Ask) -> float:
    start = perf_counter()
    await ask()
    return perf_counter() - start


async def fault(ask: Ask, address: str) -> dict[str, object]:
    """What one call came to after the trouble began: its documents or the error that a caller gets, and its seconds."""
    for _ in range(WARM_UP):
        await asyncio.gather(*(ask() for _ in range(4)))
    with urlopen(f"{address}/trouble", data=b"", timeout=10):
        pass
    start = perf_counter()
    try:
        came: dict[str, object] = {"documents": await ask()}
    except Exception as error:
        came = {"error": type(error).__name__}
    return {**came, "seconds": perf_counter() - start}


async def measured(name: str, ask: Ask, address: str, clock: Clock = own_cpu) -> dict[str, object]:
    if name == "cpu":
        return {"ms": await cpu(ask, clock)}
    return {"ms": await wall(ask)} if name == "wall" else await fault(ask, address)


def run(peer: Callable[[str], AbstractAsyncContextManager[Ask]]) -> None:
    """`peer` opens its clients at an address; address and measure are the command line's."""
    address, measure = sys.argv[1:]
    logging.disable(logging.CRITICAL)

    async def main() -> None:
        async with peer(address) as ask:
            print(json.dumps(await measured(measure, ask, address)), flush=True)

    asyncio.run(main())
