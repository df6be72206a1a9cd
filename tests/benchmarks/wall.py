"""Wall time of a retrieve, of a plan and its searches, over the ideal path, and with a crowd over that of bare HTTP.

The ideal is the model's delay and then the slowest search's. 64 callers at once compute, too: their time is compared
with the floor's, the same six requests by aiohttp with their JSON parsed and nothing else (`cpu.bare`), in turns.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Final

from retrieval.local.host import Host
from tests.benchmarks.cpu import bare, composed, ours
from tests.benchmarks.deployment import over_azure, retrieve
from tests.benchmarks.table import Row, quantile, show
from tests.benchmarks.upstream import MODEL_SECONDS, SEARCH_SECONDS, upstream

IDEAL: Final = MODEL_SECONDS + max(SEARCH_SECONDS.values())
QUESTION: Final = "Which roads follow rivers to harbours?"
ROUNDS: Final = 8
CROWD: Final = 64


async def measure(host: Host, *, callers: int) -> Row:
    """Rounds in which that many callers ask at the same moment."""
    asking = partial(retrieve, host, QUESTION)
    seconds = [one for _ in range(ROUNDS) for one in await at_once(asking, callers)]
    middle, slow = quantile(seconds, 0.5), quantile(seconds, 0.95)
    note = f"p50 {middle * 1000:.0f} ms, p95 {slow * 1000:.0f} ms, ideal {IDEAL * 1000:.0f} ms"
    name, target = ("one caller", 1.05) if callers == 1 else (f"{callers} callers", 1.25)
    return Row(name=name, value=middle / IDEAL, target=target, note=note)


async def at_once(asking: Callable[[], Awaitable[object]], callers: int) -> list[float]:
    async def timed() -> float:
        start = perf_counter()
        await asking()
        return perf_counter() - start

    return await asyncio.gather(*(timed() for _ in range(callers)))


async def crowded(address: str) -> Row:
    """Five searches for each caller: 320 connections to the index, where aiohttp's default would be 100."""
    async with composed(address) as service, bare(address) as floor:
        ways = (partial(ours, service), floor)
        for way in ways:
            await at_once(way, CROWD)
        rounds = [[await middle(way) for way in ways] for _ in range(ROUNDS)]
    (mine, work), (least, least_work) = (map(median, zip(*one, strict=True)) for one in zip(*rounds, strict=True))
    ratio = median(one[0] / other[0] for one, other in rounds)
    note = f"p50 {mine * 1000:.0f} ms, floor {least * 1000:.0f} ms; CPU of a call {work:.1f} and {least_work:.1f} ms"
    return Row(name=f"{CROWD} × 5", value=ratio, target=1.25, note=note)


async def middle(way: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """The median of a crowd, in seconds, and the CPU of a call in ms."""
    start = process_time()
    seconds = quantile(await at_once(way, CROWD), 0.5)
    return seconds, (process_time() - start) * 1000 / CROWD


async def main() -> None:
    with upstream("wall") as address:
        async with over_azure(address) as host:
            answer = json.loads(await retrieve(host, QUESTION))
            assert [record["count"] for record in answer["activity"][1:4]] == [50, 50, 50]
            await asyncio.gather(*(retrieve(host, QUESTION) for _ in range(16)))
            show("wall time over the ideal path", [await measure(host, callers=count) for count in (1, 16)])
    with upstream("crowd") as address:
        show("wall time over that of bare HTTP, plan and five searches", [await crowded(address)])


if __name__ == "__main__":
    asyncio.run(main())
