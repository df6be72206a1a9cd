"""Wall time of a retrieve over the ideal path: the model's delay and then the slowest search's."""

import asyncio
import json
from time import perf_counter
from typing import Final

from retrieval.local.host import Host
from tests.benchmarks.deployment import over_azure, retrieve
from tests.benchmarks.table import Row, quantile, show
from tests.benchmarks.upstream import MODEL_SECONDS, SEARCH_SECONDS, upstream

IDEAL: Final = MODEL_SECONDS + max(SEARCH_SECONDS.values())
QUESTION: Final = "Which roads follow rivers to harbours?"
ROUNDS: Final = 8


async def measure(host: Host, *, callers: int) -> Row:
    """Rounds in which that many callers ask at the same moment."""
    seconds: list[float] = []
    for _ in range(ROUNDS):
        seconds += await asyncio.gather(*(timed(host) for _ in range(callers)))
    middle, slow = quantile(seconds, 0.5), quantile(seconds, 0.95)
    note = f"p50 {middle * 1000:.0f} ms, p95 {slow * 1000:.0f} ms, ideal {IDEAL * 1000:.0f} ms"
    name, target = ("one caller", 1.05) if callers == 1 else (f"{callers} callers", 1.25)
    return Row(name=name, value=middle / IDEAL, target=target, note=note)


async def timed(host: Host) -> float:
    start = perf_counter()
    await retrieve(host, QUESTION)
    return perf_counter() - start


async def main() -> None:
    with upstream("wall") as address:
        async with over_azure(address) as host:
            answer = json.loads(await retrieve(host, QUESTION))
            assert [record["count"] for record in answer["activity"][1:4]] == [50, 50, 50]
            await asyncio.gather(*(retrieve(host, QUESTION) for _ in range(16)))
            show("wall time over the ideal path", [await measure(host, callers=count) for count in (1, 16)])


if __name__ == "__main__":
    asyncio.run(main())
