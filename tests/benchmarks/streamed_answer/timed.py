"""What a chain measures of itself, in an environment of its own: the seconds to its first sentence or block, and to its
end, and the CPU of a call.

It needs the standard library alone. A chain is a function that gives the pieces of an answer as they come.
"""

# mypy: ignore-errors

import asyncio
import json
import sys
from statistics import median
from time import perf_counter, process_time

QUESTION = "Which roads follow rivers to harbours?"
KEY = "benchmark-key"
AS_BLOCKS = "Reply as our writer does, in JSON."
"""What the scripted model replies to with the blocks that it writes for us."""

FIRST = {"text": "as part 0 tells.", "blocks": "}"}
"""The end of the first sentence, or block."""


async def timed(chain, end: str) -> tuple[float, float]:
    start, text, first = perf_counter(), "", 0.0
    async for piece in chain():
        text += piece
        if not first and end in text:
            first = perf_counter() - start
    return first, perf_counter() - start


async def measured(chain, callers: int, end: str) -> list[float]:
    """Seconds to the first sentence or block and to the end, and milliseconds of CPU a call."""
    await timed(chain, end)
    start = process_time()
    times = await asyncio.gather(*(timed(chain, end) for _ in range(callers)))
    cpu = (process_time() - start) * 1000 / callers
    return [median(first for first, _ in times), median(end for _, end in times), cpu]


def run(chain_over) -> None:
    address, callers, reply = sys.argv[1], int(sys.argv[2]), sys.argv[3]

    async def main() -> None:
        async with chain_over(address, AS_BLOCKS if reply == "blocks" else "") as chain:
            print(json.dumps(await measured(chain, callers, FIRST[reply])))

    asyncio.run(main())
