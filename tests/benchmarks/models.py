"""What an embedding model is worth in the local search service: all-MiniLM-L6-v2, beside the service without a model.

Public collections. The weights are those of a trial on six collections; the scale of the scores and the rule
for exact words were chosen on these, all questions seen, so that no figure is of a set that was kept back; the halves
only show the spread. The first run embeds every document, which takes
minutes on a few cores; the vectors are kept in .local, so the next one does not.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Final

import numpy as np

from retrieval.local.evaluation import statistics
from retrieval.local.evaluation.collections import Question
from retrieval.local.search_service.engine.vectors import Vectors
from retrieval.local.search_service.models.fastembed_models import FastembedEmbeddings
from retrieval.local.search_service.models.wanted import Wanted
from retrieval.local.stand_in import NO_MODEL
from tests.benchmarks import retrieve
from tests.benchmarks.collection import Collection, collections
from tests.benchmarks.passages import result
from tests.benchmarks.retrieve import ALL_GOLD, NDCG, RECALL, of, one_half, other_half
from tests.benchmarks.table import Row, show
from tests.environments import NoEnvironment
from tests.third_parties import minilm

NEEDS_TWO: Final = 0.96
NEEDS_UP_TO_FOUR: Final = 0.58
CONVERSATIONS: Final = 0.915
SINGLE: Final = 0.72
EVIDENCE: Final = 0.80
PASSAGES, DIMENSIONS, NEAREST = 100_000, 384, 50
EXACT_TARGET: Final = 30.0
QUERY_TARGET: Final = 20.0
TIMED: Final = 40

Half = Callable[[Question], bool]


async def compared(name: str, measure: str, target: float, *, last: bool = False, models: Wanted) -> None:
    """A line: without the model, with it, and its two halves."""
    runs = [
        (await retrieve.run(collection, name, "minimal" if last else "auto", last=last))[0]
        for wanted in (NO_MODEL, models)
        for collection in collections(name, models=wanted)
    ]
    if runs:
        before, after = (of(run, measure) for run in runs)
        halves = [of(runs[1], measure, half) for half in (one_half, other_half)]
        line(f"{name}, {'last turn' if last else 'all turns'}, {measure}", before, after, halves, target)


def line(name: str, before: float, after: float, halves: list[float], target: float) -> None:
    verdict = f"target ≥ {target}  {'met' if after >= target else 'MISSED'}" if target else ""
    shown = f"{before:.3f} → {after:.3f}   halves {halves[0]:.3f} and {halves[1]:.3f}"
    print(f"  {name:<36}{shown}   {verdict}".rstrip(), flush=True)


async def evidence(name: str, models: Wanted) -> None:
    """How often an answerable question has the higher best score than an unanswerable one."""
    found = [
        await _best_scores(collection)
        for wanted in (NO_MODEL, models)
        for collection in collections(name, models=wanted)
    ]
    if found:
        before, after = (_auroc(one, lambda question: True) for one in found)
        line(
            f"{name}, evidence, AUROC",
            before,
            after,
            [_auroc(found[1], half) for half in (one_half, other_half)],
            EVIDENCE,
        )


async def _best_scores(collection: Collection) -> list[tuple[Question, float]]:
    judged = [one for one in collection.questions if one.answerable is not None]
    return [(one, result(one, await collection.answer(one)).top) for one in judged]


def _auroc(found: list[tuple[Question, float]], half: Half) -> float:
    sides = [[value for one, value in found if half(one) and one.answerable is side] for side in (True, False)]
    return statistics.auroc(*sides).value


def exact_search() -> Row:
    """CPU time of all threads for the nearest of 100,000 passages."""
    random = np.random.default_rng(1)
    rows = random.standard_normal((PASSAGES, DIMENSIONS)).astype(np.float32)
    store = Vectors(DIMENSIONS, "cosine")
    for ordinal, row in enumerate(rows):
        store.add(ordinal, row)
    spent = median(partial(store.nearest, rows[7], NEAREST))
    return Row(name="exact search", value=spent, target=EXACT_TARGET, unit="ms", note=f"{PASSAGES:,} × {DIMENSIONS}")


def query(folder: str) -> Row:
    model = FastembedEmbeddings(folder)
    spent = median(partial(model.query, "Which ships of the harbour lay at anchor in winter?"))
    return Row(name="a query", value=spent, target=QUERY_TARGET, unit="ms", note="embedded")


def median(work: Callable[[], object]) -> float:
    """Milliseconds of CPU time."""
    spent = []
    for _ in range(TIMED):
        start = process_time()
        work()
        spent.append((process_time() - start) * 1000)
    return sorted(spent)[TIMED // 2]


async def main() -> None:
    try:
        folder = str(minilm())
    except NoEnvironment as error:
        print(f"a real embedding model: skipped, {error}\n")
        return
    models = Wanted(model=folder)
    show("CPU time with all-MiniLM-L6-v2", [exact_search(), query(folder)])
    print("all-MiniLM-L6-v2: without → with")
    await compared("hotpot100", ALL_GOLD, NEEDS_TWO, models=models)
    await compared("musique50", ALL_GOLD, NEEDS_UP_TO_FOUR, models=models)
    await compared("scifact", NDCG, SINGLE, models=models)
    await compared("mtragmini", RECALL, 0.0, last=True, models=models)
    await compared("mtragmini", RECALL, CONVERSATIONS, models=models)
    await evidence("mtragmini", models)
    print()


if __name__ == "__main__":
    asyncio.run(main())
