"""Wall time of a planned retrieve where the model writes its plan for 0.9 s: read as a stream, and as one JSON.

A search saves time where it would have been the last: of three queries the last is complete when the plan is. So one of
the searches takes a second, the first, the second or the third, and the others a tenth of it. One process asks all.
"""

import asyncio
import json
from contextlib import AsyncExitStack
from statistics import mean, median
from time import perf_counter
from typing import Final

from retrieval import compose
from retrieval.local.host import Host
from tests.benchmarks.deployment import over_azure, retrieve
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import WRITING_SECONDS, upstream

QUESTION: Final = "Which roads follow rivers to harbours?"
ROUNDS: Final = 3
LESS: Final = {"roads": 0.3, "rivers": 0.2, "harbours": -0.03}
"""By how many seconds a stream is to be sooner where that search is slow: the last one leaves nothing to save."""


async def timed(host: Host) -> float:
    start = perf_counter()
    answer = json.loads(await retrieve(host, QUESTION))
    assert [record["count"] for record in answer["activity"][1:4]] == [50, 50, 50]
    return perf_counter() - start


async def measure(kind: str) -> float:
    """The median of the seconds of each round, after one to warm up."""
    compose.service.cache_clear()
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(over_azure(stack.enter_context(upstream(kind))))
        await timed(host)
        return median([await timed(host) for _ in range(ROUNDS)])


async def main() -> None:
    rows: list[Row] = []
    saved: list[float] = []
    for name, less in LESS.items():
        streamed, whole = await measure(f"streamed {name}"), await measure(f"written {name}")
        saved.append(whole - streamed)
        note = f"{whole:.2f} s as one JSON"
        rows.append(Row(name=f"{name} slow", value=streamed, target=round(whole - less, 2), unit="s", note=note))
    title = f"wall time where the plan is written for {WRITING_SECONDS} s: {mean(saved):.2f} s less on average"
    show(title, rows)


if __name__ == "__main__":
    asyncio.run(main())
