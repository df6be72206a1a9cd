"""From the start of a process to its first answer: `function_app` and one retrieve, beside the six calls by the SDKs.

CPU time, of the interpreter and all its threads, since both use one core at most and wait for the same servers. The
bytecode is there, as it is from the second start on a machine.
"""

import asyncio
import sys
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from tests.benchmarks.imports import run
from tests.benchmarks.table import Row, show
from tests.benchmarks.upstream import upstream

ROUNDS: Final = 7


async def ours(address: str) -> None:
    import function_app  # noqa: F401
    from tests.benchmarks.served import composed, ours

    async with composed(address) as service:
        await ours(service)


async def theirs(address: str) -> None:
    from tests.benchmarks.by_hand import typed

    async with typed(address) as call:
        await call()


def first(way: str, address: str, bytecode: str) -> tuple[float, float]:
    """Milliseconds of CPU time and of wall time, until the process ends."""
    start = perf_counter()
    spent = run(["-m", "tests.benchmarks.first", way, address], bytecode)
    return float(spent), (perf_counter() - start) * 1000


def main() -> None:
    with upstream("cpu") as address, TemporaryDirectory() as bytecode:
        rounds = [(first("ours", address, bytecode), first("theirs", address, bytecode)) for _ in range(ROUNDS + 1)]
    rounds = rounds[1:]
    (mine, my_wall), (other, other_wall) = (
        (median(one[way][0] for one in rounds), median(one[way][1] for one in rounds)) for way in (0, 1)
    )
    ratio = median(one[0][0] / one[1][0] for one in rounds)
    note = (
        f"{mine:.0f} ms of CPU time, the SDKs by hand {other:.0f}; until the end {my_wall:.0f} and {other_wall:.0f} ms"
    )
    show("from the start of a process to its first answer", [Row(name="first", value=ratio, target=1, note=note)])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        asyncio.run({"ours": ours, "theirs": theirs}[sys.argv[1]](sys.argv[2]))
        print(process_time() * 1000)
