"""CPU time of finding the agent of a retrieval, which every call pays: from memory, and with the store asked again.

The ratio to a whole retrieve is what matters; `cpu` measures that one.
"""

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from retrieval.contracts.served_versions import definition_contract
from retrieval.definitions.cache import SECONDS, AgentCache
from retrieval.definitions.file_store import FileStore
from retrieval.definitions.seeded_store import SeededStore
from retrieval.definitions.stored_json import AGENTS, SOURCES
from tests.benchmarks.table import Row, show

AGENT: Final = {
    "name": "handbook",
    "description": "What the handbook says. " * 20,
    "models": [
        {
            "kind": "azureOpenAI",
            "azureOpenAIParameters": {"resourceUri": "https://m.openai.azure.com", "deploymentId": "planner"},
        }
    ],
    "targetIndexes": [{"indexName": "handbook-index", "defaultRerankerThreshold": 2.0}],
    "requestLimits": {"maxRuntimeInSeconds": 60, "maxOutputSize": 5_000},
}
ROUNDS: Final = 9

Call = Callable[[], Awaitable[object]]


class Clock:
    """Stands, or passes the time of the memory with every look."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


async def microseconds(call: Call, calls: int) -> float:
    """CPU time a call, one after the other, the middle of several rounds."""
    rounds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = process_time()
        for _ in range(calls):
            await call()
        rounds.append((process_time() - start) * 1e6 / calls)
    return median(rounds)


async def main() -> None:
    [agent] = definition_contract("agents", "2025-05-01-preview").read_all([AGENT])
    body, clock = json.dumps(AGENT).encode(), Clock()
    contract = definition_contract("agents", "2025-05-01-preview")

    async def parse() -> None:
        contract.parse(body, name="handbook", has_key=lambda model: False)

    with TemporaryDirectory() as folder:
        agents = SeededStore(FileStore(Path(folder, "agents.json"), AGENTS), AGENTS, seeds=[agent])
        sources = SeededStore(FileStore(Path(folder, "agents.sources.json"), SOURCES), SOURCES)
        cache = AgentCache(agents, sources, {}, ticks=clock)
        remembered = await microseconds(lambda: cache.find("handbook"), 20_000)
        clock.step = SECONDS
        asked = await microseconds(lambda: cache.find("handbook"), 500)
        parsed = await microseconds(parse, 2_000)
    rows = [
        Row(name="remembered", value=remembered, target=5, unit="µs", note="what a retrieve pays"),
        Row(
            name="asked again",
            value=asked,
            target=500,
            unit="µs",
            note=f"both files' states, once in {SECONDS:g} s",
        ),
        Row(name="definition", value=parsed, target=100, unit="µs", note="parsed from the body of a PUT"),
    ]
    show("the agent of a call, CPU time", rows)


if __name__ == "__main__":
    asyncio.run(main())
