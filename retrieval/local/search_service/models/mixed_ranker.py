"""The ranker beside an embedding model: `lexical-v1` reads the words, the cosine of question and document the meaning.

A document's share is .3 of its score by words over the best one, and .7 of its cosine: the weights of a trial on six
public collections, of two that were tried (docs/local-search.md). The order is by shares.
"""

from typing import Final

from retrieval.local.search_service.models.lexical_ranker import MAX_SCORE
from retrieval.local.search_service.models.ports import Candidates

WORDS: Final = 0.3
MEANING: Final = 0.7


class MixedRanker:
    """By words alone where an index has no vectors of this model."""

    def __init__(self, model: str) -> None:
        self.label = f"mixed-v1; model={model}"

    def scores(self, query: str, among: Candidates) -> list[float]:
        words, near = among.words(), among.near()
        return words if near is None else mixed(words, near)


def mixed(words: list[float], near: list[float]) -> list[float]:
    """The scores of both together, 0 to 4."""
    best = max(words, default=0.0) or 1.0
    shares = [WORDS * one / best + MEANING * max(cosine, 0.0) for one, cosine in zip(words, near, strict=True)]
    return [round(MAX_SCORE * min(share, 1.0), 4) for share in shares]
