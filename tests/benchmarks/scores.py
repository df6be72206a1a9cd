"""Where the scores of `lexical-v1` lie, by collection and by language: what a threshold keeps of what is needed.

Each question is one semantic search, without its earlier turns. xquad-* are the same passages and questions in six
languages. A threshold loses nothing but documents that the ranker scored, so those that it never saw do not count.
"""

import asyncio
from collections.abc import Mapping
from statistics import fmean, median
from typing import Final

from retrieval.local.corpora import THRESHOLD
from retrieval.local.evaluation.collections import Question
from tests.benchmarks import retrieve
from tests.benchmarks.collection import Collection, collections
from tests.benchmarks.table import quantile

LANGUAGES: Final = ("xquad-en", "xquad-de", "xquad-es", "xquad-ru", "xquad-th", "xquad-zh")
OTHERS: Final = ("scifact", "mtragmini", "hotpot100", "musique50", "multihoprag250")
LOST: Final = 0.1
FARTHEST: Final = 0.45
"""From the English median: half of what the German one was away when every text was read as English."""

FIRST: Final = 0.5

Scored = Mapping[str, float]
"""The documents that were ranked for a question, best first, with their scores."""


async def scored(collection: Collection, question: Question) -> Scored:
    outcome = await retrieve.retrieved(collection, question, "minimal", last=True, limits=retrieve.EVERYTHING)
    return {one.hit.key: one.hit.score for one in outcome.references if one.hit.score is not None}


async def measured(collection: Collection, *, english: float | None) -> float:
    """Prints the line of a collection; the median best score of what its questions need."""
    judged = [one for one in collection.questions if one.gold]
    found = [(one.gold, await scored(collection, one)) for one in judged]
    needed = [scores[key] for gold, scores in found for key in gold if key in scores]
    best = median(max((scores[key] for key in gold if key in scores), default=0.0) for gold, scores in found)
    first = fmean(next(iter(scores), "") in gold for gold, scores in found)
    kept = fmean(score >= THRESHOLD for score in needed)
    near = english is None or (abs(english - best) <= FARTHEST and first >= FIRST)
    print(
        f"  {collection.name:<16}median best {best:.2f}   first {first:4.0%}   90 % at {quantile(needed, LOST):.2f}   "
        f"{THRESHOLD} keeps {kept:4.0%}   {'met' if near else 'MISSED'}",
        flush=True,
    )
    return best


async def main() -> None:
    print(f"scores of what is needed; target of a language: within {FARTHEST} of English, first in {FIRST:.0%}")
    english = None
    for collection in collections(*LANGUAGES):
        best = await measured(collection, english=english)
        english = best if english is None else english
    for collection in collections(*OTHERS):
        await measured(collection, english=None)
    print()


if __name__ == "__main__":
    asyncio.run(main())
