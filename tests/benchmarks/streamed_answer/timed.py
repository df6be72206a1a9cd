"""What a chain measures of itself, in an environment of its own: the seconds to its first sentence and to its end.

It needs the standard library alone. A chain is a function that gives the pieces of an answer as they come.
"""

# mypy: ignore-errors

import asyncio
import json
import sys
from statistics import median
from time import perf_counter

QUESTION = "Which roads follow rivers to harbours?"
KEY = "benchmark-key"
FIRST = "as part 0 tells."


async def timed(chain) -> tuple[float, float]:
    start, text, first = perf_counter(), "", 0.0
    async for piece in chain():
        text += piece
        if not first and FIRST in text:
            first = perf_counter() - start
    return first, perf_counter() - start


async def measured(chain, callers: int) -> list[float]:
    await timed(chain)
    times = await asyncio.gather(*(timed(chain) for _ in range(callers)))
    return [median(first for first, _ in times), median(end for _, end in times)]


def run(chain_over) -> None:
    address, callers = sys.argv[1], int(sys.argv[2])

    async def main() -> None:
        async with chain_over(address) as chain:
            print(json.dumps(await measured(chain, callers)))

    asyncio.run(main())
