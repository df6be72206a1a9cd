"""CPU time of a retrieve with a model and five sub-queries, beside the same six calls by the SDKs and by bare HTTP.

Three ways, in turns, in one process, in the reverse order in every other round: the service, from the call that the
Functions host hands over to the answer's bytes; the SDKs, `SearchClient.search()` with its results iterated and
`chat.completions.create()`; and the floor, the six requests by aiohttp with their JSON parsed, by pydantic-core, which
takes as long as orjson. The other two do not merge, ground or answer. Only this process's CPU time counts; the servers
are in another one.
"""

import asyncio
import gc
from collections.abc import Sequence
from functools import partial
from statistics import median
from time import process_time
from typing import Final

from tests.benchmarks.by_hand import Asking, bare, typed
from tests.benchmarks.served import composed, ours
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import upstream

ROUNDS: Final = 48
CALLS: Final = 8
WARM_UP: Final = 10


async def milliseconds(call: Asking) -> float:
    """CPU time a call, one after the other, collected garbage aside."""
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        await call()
    return (process_time() - start) * 1000 / CALLS


async def one_round(ways: Sequence[Asking], *, backwards: bool) -> list[float]:
    """CPU time a call of each way, in the order of `ways`. What a way leaves in the caches burdens the next."""
    figures = [await milliseconds(call) for call in (reversed(ways) if backwards else ways)]
    return figures[::-1] if backwards else figures


async def main() -> None:
    with upstream("cpu") as address:
        async with composed(address) as service, typed(address) as theirs, bare(address) as floor:
            ways = (partial(ours, service), theirs, floor)
            for call in ways:
                await asyncio.gather(*(call() for _ in range(WARM_UP)))
            rounds = [await one_round(ways, backwards=place % 2 == 1) for place in range(ROUNDS)]
    ours_ms, theirs_ms, floor_ms = (median(one) for one in zip(*rounds, strict=True))
    over_floor, over_sdks = (median(one[0] / one[way] for one in rounds) for way in (2, 1))
    show(
        "CPU time of a retrieve, five sub-queries",
        [
            Row(name="floor", value=over_floor, target=4.5, note=f"{ours_ms:.2f} ms, aiohttp alone {floor_ms:.2f} ms"),
            Row(name="SDKs", value=over_sdks, target=0.28, note=f"SearchClient.search() and openai {theirs_ms:.2f} ms"),
        ],
    )


if __name__ == "__main__":
    asyncio.run(main())
