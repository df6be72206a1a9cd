"""This service: the functions behind the local host in a process of their own, called over HTTP.

Its CPU time is that of the process that serves, with HTTP, access and the answer's JSON; the peers are called in
process and answer nobody.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import process_time
from typing import Final

import aiohttp

from retrieval import compose
from retrieval.local.server import serving
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import Precondition
from tests.benchmarks.deployment import INDEX, KEY, over_azure
from tests.benchmarks.peers.measure import QUESTION, measured

FIVE: Final = Agent(name="five", targets=(Target(index=INDEX, max_documents=250, reranker_threshold=0),))
"""250 documents are five sub-queries of 50; a definition that comes over the wire stops at 200."""

TARGET: Final = f"/agents/{FIVE.name}/retrieve?api-version=2025-05-01-preview"
BODY: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}


async def serve(upstream: str) -> None:
    """Print the address; then for each line read, the seconds of CPU time so far."""
    model = {"AZURE_OPENAI_ENDPOINT": upstream, "AZURE_OPENAI_DEPLOYMENT": "planner", "AZURE_OPENAI_API_KEY": KEY}
    os.environ.update(model)
    async with over_azure(upstream) as host, serving(host) as address:
        await compose.service().agents.store.put(FIVE, when=Precondition())
        print(address, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(process_time(), flush=True)


@asynccontextmanager
async def served(upstream: str) -> AsyncIterator[asyncio.subprocess.Process]:
    command = (sys.executable, "-m", "tests.benchmarks.peers.service", upstream, "serve")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    try:
        yield process
    finally:
        process.terminate()
        await process.wait()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


async def measure(upstream: str, name: str) -> dict[str, object]:
    async with (
        served(upstream) as process,
        aiohttp.ClientSession(headers={"api-key": KEY}, connector=aiohttp.TCPConnector(limit=0)) as session,
    ):
        address = await line(process)
        told: list[str] = []

        async def ask() -> int:
            async with session.post(f"{address}{TARGET}", json=BODY) as response:
                answer = await response.json()
            response.raise_for_status()
            told[:] = [record["error"]["message"] for record in answer["activity"] if record.get("error")]
            return len(answer["references"])

        async def clock() -> float:
            assert process.stdin is not None
            process.stdin.write(b"\n")
            return float(await line(process))

        return {**await measured(name, ask, upstream, clock), "told": told}


def main(upstream: str, name: str) -> None:
    logging.disable(logging.CRITICAL)
    if name == "serve":
        return asyncio.run(serve(upstream))
    print(json.dumps(asyncio.run(measure(upstream, name))))
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
