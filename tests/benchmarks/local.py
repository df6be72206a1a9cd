"""A whole retrieve over the sample corpus: local host, functions, pipeline, local search service, in one process."""

import asyncio
import json
from time import perf_counter
from typing import Final

from tests.benchmarks.deployment import over_the_sample, retrieve
from tests.benchmarks.table import Row, quantile, show

AGENT: Final = "earth-at-night"
QUESTIONS: Final = (
    "Why is the Phoenix nighttime street grid so sharply visible from space, whereas large stretches of the interstate "
    "between midwestern cities remain comparatively dim?",
    "How do fishing fleets show up at night?",
    "What do gas flares look like from orbit?",
    "Which lights vanish when the power fails after a storm?",
    "How bright is the Moon on snow?",
)
ROUNDS: Final = 40


async def main() -> None:
    host = await over_the_sample()
    sizes = [len(json.loads(await retrieve(host, text, agent=AGENT))["references"]) for text in QUESTIONS]
    seconds = []
    for _ in range(ROUNDS):
        for text in QUESTIONS:
            start = perf_counter()
            await retrieve(host, text, agent=AGENT)
            seconds.append(perf_counter() - start)
    middle, slow = quantile(seconds, 0.5) * 1000, quantile(seconds, 0.95) * 1000
    note = f"p95 {slow:.2f} ms, {len(seconds)} calls, {min(sizes)} to {max(sizes)} references"
    show("a retrieve over the sample corpus", [Row(name="p50", value=middle, target=10, unit="ms", note=note)])


if __name__ == "__main__":
    asyncio.run(main())
