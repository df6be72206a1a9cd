"""Seconds to the first block, the last words and the end of an answer at 60 tokens a second, and its CPU.

Over HTTP from the local host in this process. The chains stream to their caller in process, and check nothing; both
call a model once before the writer writes, and the model writes the same reply for them as for us. "As text" it writes
the sentences alone, as for a chain that cites nothing. "Its reading" compares the CPU that a stream takes more with
what every reader of the model's stream takes: aiohttp receives the writer's reply as it comes, and nothing looks at it.
"""

import asyncio
import gc
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Final

import aiohttp

from retrieval import compose
from retrieval.local.server import serving
from tests.benchmarks.deployment import AGENT, KEY, over_azure
from tests.benchmarks.streamed_answer.timed import AS_BLOCKS, QUESTION
from tests.benchmarks.streamed_answer.upstream import SENTENCES, TOKENS_A_SECOND, UPSTREAM
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import upstream
from tests.third_parties import peer

HERE: Final = Path(__file__).parent
CALLERS: Final = (1, 64)
CHAINS: Final = {
    "LangChain": ("langchain_retriever", "langchain_chain.py"),
    "LlamaIndex": ("llamaindex", "llamaindex_chain.py"),
}
BODY: Final = {
    "messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}],
    "limits": {"maxFollowUps": 0},
}
BLOCK: Final = b"event: block\n"
LAST: Final = SENTENCES[-1].rstrip(".").encode()
"""The judgement follows them in the model's reply, and the list of sources in the answer; the chains have neither."""

EVENTS: Final = {"accept": "text/event-stream"}
STREAM: Final = {"messages": [{"role": "user", "content": AS_BLOCKS}], "stream": True}
ROUNDS, CALLS = 8, 8
LATER, CPU_MORE, READING_MORE = 1.1, 1.3, 2


async def asked(session: aiohttp.ClientSession, headers: dict[str, str]) -> tuple[float, float, float]:
    """Seconds to the first block, to the last words, and to the end."""
    start, seen, times = perf_counter(), b"", dict[bytes, float]()
    async with session.post(f"/agents/{AGENT}/answer", json=BODY, headers=headers) as response:
        async for content in response.content.iter_any():
            seen += content
            times |= {sign: perf_counter() - start for sign in (BLOCK, LAST) if sign not in times and sign in seen}
    end = perf_counter() - start
    return times.get(BLOCK, end), times.get(LAST, end), end


async def measured(session: aiohttp.ClientSession, headers: dict[str, str], callers: int) -> list[float]:
    """Seconds to the first block, to the last words and to the end, and milliseconds of CPU a call, the client's with
    it."""
    gc.collect()
    start = process_time()
    times = await asyncio.gather(*(asked(session, headers) for _ in range(callers)))
    cpu = (process_time() - start) * 1000 / callers
    return [*(median(kind) for kind in zip(*times, strict=True)), cpu]


async def milliseconds(session: aiohttp.ClientSession, headers: dict[str, str]) -> float:
    """CPU a call, the client's with it."""
    gc.collect()
    start = process_time()
    for _ in range(CALLS):
        await asked(session, headers)
    return (process_time() - start) * 1000 / CALLS


@asynccontextmanager
async def ours(kind: str) -> AsyncIterator[aiohttp.ClientSession]:
    compose.service.cache_clear()
    with upstream(kind, module=UPSTREAM) as address:
        async with over_azure(address) as host, serving(host) as served:
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(served, headers={"api-key": KEY}, connector=connector) as session:
                for headers in (EVENTS, {}):
                    await asked(session, headers)
                yield session


async def reading_alone(callers: int) -> float:
    """Milliseconds of CPU to receive one streamed reply of the model, of so many at once."""
    with upstream("paced", module=UPSTREAM) as address:
        async with aiohttp.ClientSession(address, connector=aiohttp.TCPConnector(limit=0)) as session:

            async def receive() -> None:
                async with session.post("/openai/deployments/planner/chat/completions", json=STREAM) as response:
                    async for _ in response.content.iter_any():
                        pass

            await receive()
            start = process_time()
            await asyncio.gather(*(receive() for _ in range(callers)))
            return (process_time() - start) * 1000 / callers


def chain(name: str, callers: int, reply: str) -> list[float]:
    environment, program = CHAINS[name]
    environ = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with upstream("paced", module=UPSTREAM) as address:
        command: list[str | Path] = [peer(environment), "-W", "ignore", HERE / program, address, str(callers), reply]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environ)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


async def main() -> None:
    for callers in CALLERS:
        async with ours("paced") as session:
            (first, words, end, cpu), (_, _, whole, least) = [
                await measured(session, headers, callers) for headers in (EVENTS, {})
            ]
        alone = await reading_alone(callers)
        rows = [
            Row(name="one body", value=end, target=round(whole + 0.1, 2), unit="s", note=f"{whole:.2f} s in one body"),
            Row(name="CPU", value=cpu / least, target=CPU_MORE, note=f"{cpu:.1f} ms, {least:.1f} ms in one body"),
            Row(name="its reading", value=(cpu - least) / alone, target=READING_MORE, note=f"{alone:.1f} ms alone"),
        ]
        for name in CHAINS:
            theirs, text = [await asyncio.to_thread(chain, name, callers, reply) for reply in ("blocks", "text")]
            for at, (what, value) in enumerate((("first", first), ("last words", words))):
                note = f"{theirs[at]:.2f} s; as text {text[at]:.2f} s"
                target = round(theirs[at] * LATER, 2)
                rows.append(Row(name=f"{name} {what}", value=round(value, 2), target=target, unit="s", note=note))
            note = f"{theirs[2]:.1f} ms; as text {text[2]:.1f} ms"
            rows.append(Row(name=f"{name} CPU", value=cpu / theirs[2], target=1, note=note))
        show(f"an answer at {TOKENS_A_SECOND} tokens a second, {callers} callers", rows)
    async with ours("quick") as session:
        rounds = [[await milliseconds(session, headers) for headers in (EVENTS, {})] for _ in range(ROUNDS)]
    streamed, whole = (median(one[way] for one in rounds) for way in (0, 1))
    note = f"{streamed:.1f} ms streamed, {whole:.1f} ms in one body"
    show(
        "CPU of an answer that a model writes at once",
        [Row(name="CPU", value=streamed / whole, target=CPU_MORE, note=note)],
    )


if __name__ == "__main__":
    asyncio.run(main())
