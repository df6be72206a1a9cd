"""The scripted Azure of a benchmark, in a process of its own: `python -m tests.benchmarks.upstream KIND`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final

from retrieval.local.server import serving
from tests.scripted_azure import ScriptedAzure, by_search, delayed, document, found, queries, replying
from tests.scripted_azure.scripts import Document
from tests.scripted_azure.streams import ending, paced, pieces

MODEL_SECONDS: Final = 0.3
WRITING_SECONDS: Final = 0.9
SLOW: Final = ("roads", "rivers", "harbours")
SEARCH_SECONDS: Final = {"roads by night": 0.1, "rivers by night": 0.15, "harbours by night": 0.2}
FIVE: Final = tuple(f"{name} by night" for name in ("roads", "rivers", "harbours", "bridges", "ferries"))
DOCUMENTS: Final = 50
SENTENCE: Final = "A street grid that is lit evenly shows from orbit as sharply as it does on a map. "


def page(name: str) -> tuple[Document, ...]:
    """Fifty documents of about 1.5 kB; sub-queries share some of them."""
    first = len(name) * 7
    return tuple(
        document(f"chunk-{first + n}", 3.9 - n * 0.05, title=f"{name}, part {n}", content=(SENTENCE * 18)[:1_400])
        for n in range(DOCUMENTS)
    )


def wall() -> ScriptedAzure:
    scripts = {name: delayed(seconds, found(*page(name))) for name, seconds in SEARCH_SECONDS.items()}
    plan = delayed(MODEL_SECONDS, queries(*SEARCH_SECONDS))
    return ScriptedAzure(search=by_search(scripts, otherwise=found()), chat=plan)


def planned(slow: str, *, streamed: bool) -> ScriptedAzure:
    """A plan that is written for 0.9 s, piece by piece or whole at the end, and searches of which one is slow."""
    text = json.dumps({"queries": list(SEARCH_SECONDS)})
    stream = paced(WRITING_SECONDS, *pieces(text, 4), ending())
    seconds = {name: 1.0 if name.startswith(slow) else 0.1 for name in SEARCH_SECONDS}
    return ScriptedAzure(
        search=by_search({name: delayed(seconds[name], found(*page(name))) for name in seconds}, otherwise=found()),
        chat=stream if streamed else delayed(WRITING_SECONDS, replying(text)),
    )


def cpu() -> ScriptedAzure:
    return ScriptedAzure(
        search=by_search({name: found(*page(name)) for name in FIVE}, otherwise=found()), chat=queries(*FIVE)
    )


def crowd() -> ScriptedAzure:
    """Five searches that take 0.1 to 0.2 s."""
    scripts = {name: delayed(0.1 + 0.025 * place, found(*page(name))) for place, name in enumerate(FIVE)}
    return ScriptedAzure(search=by_search(scripts, otherwise=found()), chat=delayed(MODEL_SECONDS, queries(*FIVE)))


KINDS: Final[Mapping[str, Callable[[], ScriptedAzure]]] = {
    "wall": wall,
    "crowd": crowd,
    "cpu": cpu,
    **{f"streamed {name}": partial(planned, name, streamed=True) for name in SLOW},
    **{f"written {name}": partial(planned, name, streamed=False) for name in SLOW},
}


@contextmanager
def upstream(kind: str, *, module: str = "tests.benchmarks.upstream") -> Iterator[str]:
    """The address of a scripted Azure that runs while the block does."""
    command = [sys.executable, "-m", module, kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def main(kind: str) -> None:
    async with serving(KINDS[kind]()) as address:
        print(address, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
