"""What a retrieve takes on this machine: its CPU, and the tokens of the prompt that plans it."""

import asyncio
import json
from datetime import date
from statistics import median
from time import process_time
from typing import Final

from retrieval.contracts.served_versions import contract
from retrieval.local.host import Host
from retrieval.model.definitions import Agent, Target
from retrieval.retrieve.plan import plan_by_model
from tests.benchmarks.deployment import over_azure, retrieve
from tests.benchmarks.sizing.load import Load
from tests.benchmarks.upstream import upstream
from tests.benchmarks.wall import QUESTION

ROUNDS: Final = 9
CALLERS: Final = 16
TODAY: Final = "2026-11-20"


async def load(cpu_ms: float | None = None) -> Load:
    """Measured, unless the CPU of a retrieve is given."""
    if cpu_ms is None:
        with upstream("wall") as address:
            async with over_azure(address) as host:
                rounds = [await _milliseconds(host) for _ in range(ROUNDS)]
        cpu_ms = median(rounds[1:])
    return Load(cpu_ms=round(cpu_ms, 1), tokens_in=tokens())


def tokens() -> float:
    """Of the prompt that plans the benchmark's question, with the schema of the reply; four bytes are a token."""
    agent = Agent(name="planner", targets=(Target(index="atlas"),))
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}
    asked = contract("agents", "2025-05-01-preview").parse(json.dumps(body).encode(), agent, user_token=None)
    prompt = plan_by_model.prompt(asked, today=date.fromisoformat(TODAY))
    sent = prompt.instructions + prompt.data + json.dumps(dict(prompt.schema))
    return float(len(sent.encode()) // 4)


async def _milliseconds(host: Host) -> float:
    """CPU of this process a retrieve: the local host, the functions, a model and three sub-queries of 50 documents."""
    start = process_time()
    await asyncio.gather(*(retrieve(host, QUESTION) for _ in range(CALLERS)))
    return (process_time() - start) * 1000 / CALLERS
