"""What the follow-up without a model is worth: all needed documents among the eight selected, with it and without.

HotpotQA's questions need two documents each; SciFact's need one, so there it can only do harm.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Final

from retrieval.model.answer import Answer
from retrieval.model.steps import RoundActivity
from tests.benchmarks.collection import Collection, collections, selected

NEEDS_TWO: Final = "hotpot100"
NEEDS_ONE: Final = ("scifact", "mtragmini")
PLACES: Final = 8
HARM: Final = 0.008


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """At the eight places of a selection, with the grades as gains."""
    best = _gain(sorted(grades.values(), reverse=True))
    return _gain([grades.get(key, 0) for key in found]) / best if best else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades[:PLACES]))


def followed(given: Answer) -> bool:
    return any(isinstance(one, RoundActivity) and one.round == 1 for one in given.activity)


async def measured(collection: Collection) -> None:
    judged = [question for question in collection.questions if question.gold]
    without = [await collection.answer(one, follow_ups=0) for one in judged]
    given = [await collection.answer(one) for one in judged]
    pairs = list(zip(judged, without, given, strict=True))
    rounds = sum(map(followed, given)) / len(judged)
    all_gold = [[one.gold <= {*selected(found)} for one, *both in pairs for found in (both[way],)] for way in (0, 1)]
    ranked = [[ndcg(selected(found), one.grades) for one, *both in pairs for found in (both[way],)] for way in (0, 1)]
    print(
        f"  {collection.name:<10} {len(judged):>4} questions, followed up {rounds:4.0%}   all gold@{PLACES} "
        f"{sum(all_gold[0])} → {sum(all_gold[1])}   nDCG@{PLACES} {mean(ranked[0]):.4f} → {mean(ranked[1]):.4f}   "
        f"{verdict(collection.name, all_gold, ranked)}".rstrip()
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def verdict(name: str, all_gold: Sequence[Sequence[bool]], ranked: Sequence[Sequence[float]]) -> str:
    if name == NEEDS_TWO:
        return f"target: a gain  {'met' if sum(all_gold[1]) > sum(all_gold[0]) else 'MISSED'}"
    return f"target ≥ -{HARM}  {'met' if mean(ranked[1]) >= mean(ranked[0]) - HARM else 'MISSED'}"


async def main() -> None:
    print("the follow-up without a model")
    for collection in collections(NEEDS_TWO, *NEEDS_ONE):
        await measured(collection)
    print()


if __name__ == "__main__":
    asyncio.run(main())
