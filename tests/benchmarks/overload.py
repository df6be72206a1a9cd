"""More callers than an instance takes: what a refusal costs, and the answers that there are beside the refusals.

The functions run behind the local host in a process of their own, with 64 requests in flight. A caller asks one
question after the other; who is refused waits as long as he is told, and asks again. Rounds of 64 and of 256 callers
take turns. Counted are the answers for each second of the server's processor time, which other programs on this machine
do not change; the note has those a second, by the clock.
"""

import asyncio
import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final, NamedTuple

from aiohttp import ClientSession

from retrieval import compose
from retrieval.local.wire import WireRequest
from tests.benchmarks.deployment import KEY, over_azure
from tests.benchmarks.soak.load import CALLERS, TARGET, processor, session, settings, started
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import upstream
from tests.benchmarks.wall import QUESTION

CROWD: Final = 4 * CALLERS
ROUNDS: Final = 7
SETTLE: Final = 2.0
SECONDS: Final = 6.0
"""A crowd is counted for so long, after the time in which it settles."""

REFUSALS: Final = 500
ASKED: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}


class Seen(NamedTuple):
    """Answers for each second of processor time, answers and refusals for each second of the clock."""

    worth: float
    answers: float
    refusals: float


async def crowd(opened: ClientSession, process: int, callers: int) -> Seen:
    """So many callers, each of whom asks one question after the other."""
    statuses: Counter[int] = Counter()

    async def caller() -> None:
        while True:
            async with opened.post(TARGET, json=ASKED) as response:
                await response.read()
            statuses[response.status] += 1
            if response.status != 200:
                await asyncio.sleep(float(response.headers["retry-after"]))

    asking = [asyncio.create_task(caller()) for _ in range(callers)]
    await asyncio.sleep(SETTLE)
    statuses.clear()
    start, (ran, _) = perf_counter(), processor(process)
    await asyncio.sleep(SECONDS)
    elapsed, worked, seen = perf_counter() - start, processor(process)[0] - ran, Counter(statuses)
    for task in asking:
        task.cancel()
    await asyncio.wait(asking)
    await asyncio.sleep(SETTLE)
    assert set(seen) <= {200, 429}, seen
    return Seen(seen[200] / worked, seen[200] / elapsed, seen[429] / elapsed)


async def goodput(address: str) -> Row:
    serve = [sys.executable, "-m", "retrieval.local", "serve", "--port", "0"]
    with TemporaryDirectory() as folder:
        environ, log = settings(Path(folder), address), Path(folder, "serve.log")
        with started(serve, environ, log) as (process, server):
            async with session(server) as opened:
                rounds = [[await crowd(opened, process, count) for count in (CALLERS, CROWD)] for _ in range(ROUNDS)]
    few, many = (Seen(*map(median, zip(*one, strict=True))) for one in zip(*rounds, strict=True))
    ratio = median(one.answers / other.answers for one, other in rounds)
    note = f"{few.answers:.0f} and {many.answers:.0f} a second, beside {many.refusals:.0f} refusals"
    worth = f"{few.worth:.0f} and {many.worth:.0f} a second of CPU"
    return Row(name="goodput", value=ratio, target=1.05, note=f"{note}; {worth}")


async def refusal(address: str) -> Row:
    """CPU of a refusal, from the request that the host hands to the function to its answer."""
    body = json.dumps(ASKED).encode()
    headers = (("api-key", KEY), ("content-type", "application/json"), ("content-length", str(len(body))))
    request = WireRequest(method="POST", target=TARGET, headers=headers, body=body)
    async with over_azure(address) as host:
        in_flight = compose.service().process.in_flight
        with ExitStack() as held:
            for _ in range(CALLERS):
                held.enter_context(in_flight.request())
            assert (await host(request)).status == 429
            rounds = []
            for _ in range(ROUNDS):
                start = process_time()
                for _ in range(REFUSALS):
                    await host(request)
                rounds.append((process_time() - start) * 1000 / REFUSALS)
    return Row(name="refusal", value=min(rounds), target=0.2, unit="ms", note="CPU, the local host's routes included")


async def main() -> None:
    with upstream("wall") as address:
        rows = [await refusal(address), await goodput(address)]
    show(f"{CROWD} callers over {CALLERS}, of an instance that takes {CALLERS}", rows)


if __name__ == "__main__":
    asyncio.run(main())
