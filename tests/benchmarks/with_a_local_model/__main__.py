"""A small language model of this machine beside the rules, over later turns of MTRAG and two sets of several hops.

    python -m tests.benchmarks.with_a_local_model [SETS] [--questions N] [--efforts low auto]

It starts the model's server by itself (`tests/llama.py`), and ends with the reason where that is not there. Each prompt
is sent once: a run goes on where the last one stopped, and repeats a finished one in seconds. All sets and ways take
hours. `.cache/local-model/` keeps the replies, and after a run the prompts beside their replies.
"""

import argparse
import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from retrieval.model.definitions import ModelDeployment
from retrieval.models.chat_server import ChatServer
from retrieval.models.local_completions import LocalChatModel
from tests.benchmarks.collection import Collection, collections
from tests.benchmarks.with_a_local_model import tables
from tests.benchmarks.with_a_local_model.asking import (
    ANSWERS,
    EFFORTS,
    MOST,
    MOST_ANSWERS,
    RETRIEVES,
    SETS,
    Asked,
    Asking,
    chosen,
)
from tests.benchmarks.with_a_local_model.remembered import Remembered
from tests.environments import CACHE
from tests.llama import MODELS, NAME, lacking, llama

FOLDER: Final = CACHE.parent / "local-model"
CONTEXT: Final = 16_384


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.with_a_local_model")
    parser.add_argument("sets", nargs="*", default=[*SETS], metavar="SETS", help=f"of {', '.join(SETS)}")
    parser.add_argument("--questions", type=int, default=MOST, help="of each set, evenly; 30 at most")
    parser.add_argument("--efforts", nargs="+", default=[*EFFORTS], choices=EFFORTS, help="the ways with the model")
    parser.add_argument("--model", choices=[*MODELS], default="usual")
    parser.add_argument("--threads", type=int, default=2, help="of the model's server")
    given = parser.parse_args()
    if unknown := set(given.sets) - SETS.keys():
        parser.error(f"no such sets: {', '.join(sorted(unknown))}")
    return given


async def main() -> None:
    given = arguments()
    if reason := lacking(given.model):
        print(f"with a local model: skipped, {reason}")
        return
    name = Path(MODELS[given.model]).stem
    FOLDER.mkdir(parents=True, exist_ok=True)
    with llama(FOLDER, context=CONTEXT, model=given.model, threads=given.threads) as local:
        server = ChatServer(ModelDeployment(endpoint=local.url, deployment=NAME, api_key=None))
        client = LocalChatModel(server)
        model = Remembered(client, FOLDER / f"{name}.jsonl", ticks=time.monotonic, is_ending=_interrupted())
        async with AsyncExitStack() as held:
            held.push_async_callback(client.close)
            asked = {one.name: await _of_set(one, model, server, given) for one in collections(*given.sets)}
    print(*tables.of_plans(asked), "", *tables.of_uses(asked), "", sep="\n")
    tables.write_calls(FOLDER / f"{name}.md", asked)
    print(f"  {name}: {model.asked} prompts were sent; the others' replies were kept. {FOLDER / f'{name}.md'}")


def _interrupted() -> Callable[[], bool]:
    """Whether the task that calls this was cancelled since."""
    task = asyncio.current_task()
    return lambda: task is not None and task.cancelling() > 0


async def _of_set(
    collection: Collection, model: Remembered, server: ChatServer, given: argparse.Namespace
) -> tables.ByWay:
    """The questions of a set, asked in every way, whose figures are printed."""
    asking = Asking(collection=collection, model=model, server=server)
    asked: dict[str, Sequence[Asked]] = {}
    for way in _ways(RETRIEVES, given.efforts):
        asked[way] = [await asking.retrieve(one, way) for one in chosen(collection, given.questions)]
    if "answer" in given.efforts:
        for way in ANSWERS:
            most = min(given.questions, MOST_ANSWERS)
            asked[way] = [await asking.answer(one, way) for one in chosen(collection, most)]
    print(*tables.of_set(collection.name, asked), "", sep="\n", flush=True)
    return asked


def _ways(ways: Iterable[str], efforts: Sequence[str]) -> list[str]:
    """The ways without a model, and those that were chosen."""
    return [way for way in ways if way not in EFFORTS or way in efforts]


if __name__ == "__main__":
    asyncio.run(main())
