"""The callers, and what they see: an answer each, the time it took, the memory of the server as it goes on."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from tests.benchmarks.deployment import AGENT, FIELDS, INDEX, KEY, ROOT
from tests.benchmarks.soak.check import faults
from tests.benchmarks.soak.fates import question

CALLERS: Final = 64
DEADLINE: Final = 10
APART: Final = 0.05
"""Seconds from one caller's first request to the next one's."""

HEALTH_SECONDS: Final = 0.1
SAMPLE: Final = 100
TOLD: Final = 500
TARGET: Final = f"/agents('{AGENT}')/retrieve?api-version=2025-05-01-preview"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """After so many answers: MB of the server's memory, and how long the answers since the last sample took, in s."""

    answers: int
    memory: float
    seconds: tuple[float, ...]


@dataclass(slots=True, kw_only=True)
class Seen:
    """All that was seen. `wrong` counts what was wrong with an answer, in words, `health` is the time of `/health`.

    `processor` is for how many seconds the server had a processor, and for how many it waited for one that others had.
    """

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    processor: tuple[float, float] = (0.0, 0.0)


@contextmanager
def started(command: list[str], environ: dict[str, str], log: Path) -> Iterator[tuple[int, str]]:
    """A program's process id, and the address that it prints when it is there: `ready http://…`."""
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environ}, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            ready = next(line for line in process.stdout if line.startswith("ready "))
            yield process.pid, ready.split()[1]
        finally:
            process.terminate()


@contextmanager
def deployed(folder: Path) -> Iterator[tuple[int, str]]:
    """The functions behind the local host, over the Azure of the soak: its process id and its address."""
    upstream = [sys.executable, "-m", "tests.benchmarks.soak.fates"]
    serve = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0"]
    with (
        started(upstream, {}, folder / "upstream.log") as (_, azure),
        started(serve, settings(folder, azure), folder / "serve.log") as server,
    ):
        yield server


def settings(folder: Path, azure: str) -> dict[str, str]:
    parameters = {"resourceUri": azure, "deploymentId": "planner-model", "apiKey": KEY}
    agent = {
        "name": AGENT,
        "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
        "targetIndexes": [{"indexName": INDEX, "defaultRerankerThreshold": 1.0}],
        "requestLimits": {"maxRuntimeInSeconds": DEADLINE, "maxOutputSize": 5_000},
    }
    agents = folder / "agents.json"
    agents.write_text(json.dumps([agent]))
    return {
        "LOCAL": "0",
        "AZURE_SEARCH_ENDPOINT": azure,
        "AZURE_SEARCH_API_KEY": KEY,
        "API_KEYS": KEY,
        "AGENTS_FILE": str(agents),
        "AGENTS_STORE": str(folder / "store.json"),
        "INDEX_FIELDS": json.dumps({INDEX: FIELDS}),
        "MAX_CONCURRENT_REQUESTS": str(CALLERS),
    }


@asynccontextmanager
async def session(address: str) -> AsyncIterator[ClientSession]:
    connector, timeout = TCPConnector(limit=0), ClientTimeout(total=None)
    async with ClientSession(address, connector=connector, timeout=timeout, headers={"api-key": KEY}) as opened:
        yield opened


async def soak(requests: int) -> Seen:
    """Send them all, 64 at a time, and look at every answer."""
    seen, numbers = Seen(), iter(range(requests))
    with TemporaryDirectory() as folder, deployed(Path(folder)) as (process, address):
        async with session(address) as opened:
            await _one(opened, Seen(), -1)
            start = perf_counter()

            async def caller(place: int) -> None:
                await asyncio.sleep(place * APART)
                for number in numbers:
                    await _one(opened, seen, number)
                    _sample(seen, process, start=start, of=requests)

            beside = asyncio.create_task(_ask_health(opened, seen))
            async with asyncio.TaskGroup() as group:
                for place in range(CALLERS):
                    group.create_task(caller(place))
            seen.elapsed = perf_counter() - start
            beside.cancel()
            seen.processor = processor(process)
    return seen


async def _ask_health(opened: ClientSession, seen: Seen) -> None:
    """What takes this long here takes a timer of the server that much longer too."""
    while True:
        start = perf_counter()
        async with opened.get("/health") as response:
            await response.read()
        seen.health.append(perf_counter() - start)
        await asyncio.sleep(HEALTH_SECONDS)


async def _one(opened: ClientSession, seen: Seen, number: int) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": question(number)}]}]}
    start = perf_counter()
    async with opened.post(TARGET, json=body) as response:
        content = await response.read()
    seen.seconds.append(perf_counter() - start)
    seen.statuses[response.status] += 1
    seen.wrong.update(faults(number, response.status, content))


def _sample(seen: Seen, process: int, *, start: float, of: int) -> None:
    answers = len(seen.seconds)
    if answers % SAMPLE:
        return
    seen.samples.append(
        Sample(answers=answers, memory=memory(process), seconds=tuple(seen.seconds[answers - SAMPLE :]))
    )
    if answers % TOLD == 0:
        told = f"{answers:,} of {of:,} answers, {perf_counter() - start:.0f} s"
        print(f"  {told}, {seen.samples[-1].memory:.0f} MB, {sum(seen.wrong.values())} wrong", flush=True)


def processor(process: int) -> tuple[float, float]:
    """Seconds that the main thread of a process ran, and that it was kept waiting for a processor."""
    ran, waited, _ = map(int, Path(f"/proc/{process}/schedstat").read_text().split())
    return ran / 1e9, waited / 1e9


def memory(process: int) -> float:
    """MB that a process has in memory (VmRSS)."""
    status = Path(f"/proc/{process}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(kilobytes) / 1000
