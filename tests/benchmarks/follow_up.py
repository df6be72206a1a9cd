"""What the follow-up without a model is worth: all needed documents among the eight selected, with it and without.

HotpotQA's questions need two documents each; SciFact's need one, so there it can only do harm.
"""

import asyncio
from typing import Final

from retrieval.local.evaluation import collections, configurations
from retrieval.local.evaluation.evaluate import Plan, evaluate
from retrieval.local.evaluation.results import Difference, RunResult
from tests.benchmarks.collection import found

NEEDS_TWO: Final = "hotpot100"
NEEDS_ONE: Final = ("scifact", "mtragmini")
PLACES: Final = 8
HARM: Final = 0.008
RUNS: Final = ("without=answer,followups=0", "with=answer")
ALL_GOLD: Final = f"all-gold@{PLACES}"
NDCG: Final = f"nDCG@{PLACES}"


async def measured(collection: collections.Collection) -> None:
    asked = [configurations.parse(one) for one in RUNS]
    evaluation = await evaluate(Plan(collection=collection, configurations=asked, k=(PLACES,)))
    without, given = evaluation.runs
    gold = [f"{round(run.measures[ALL_GOLD].value * run.measures[ALL_GOLD].n)}" for run in (without, given)]
    print(
        f"  {collection.name:<10} {given.measures[NDCG].n:>4} questions, followed up {followed(without, given):4.0%}   "
        f"{ALL_GOLD} {' → '.join(gold)}   {NDCG} {without.measures[NDCG].value:.4f} → {given.measures[NDCG].value:.4f}"
        f"   {verdict(collection.name, given.differences)}",
        flush=True,
    )


def followed(without: RunResult, given: RunResult) -> float:
    """The share of the judged questions that made more searches."""
    before, after = without.values["searches"], given.values["searches"]
    judged = given.values[NDCG]
    return sum(after[id] > before[id] for id in judged) / len(judged)


def verdict(name: str, differences: dict[str, Difference]) -> str:
    if name == NEEDS_TWO:
        return f"target: a gain  {'met' if differences[ALL_GOLD].value > 0 else 'MISSED'}"
    return f"target ≥ -{HARM}  {'met' if differences[NDCG].value >= -HARM else 'MISSED'}"


async def main() -> None:
    print("the follow-up without a model")
    for collection in found(NEEDS_TWO, *NEEDS_ONE):
        await measured(collection)
    print()


if __name__ == "__main__":
    asyncio.run(main())
