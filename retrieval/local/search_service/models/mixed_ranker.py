"""The ranker beside an embedding model: `lexical-v1` reads the words, the cosine of question and document the meaning.

A document's share is .3 of its score by words over the best one, and .7 of its cosine; the weights and what follows are
measured in docs/developing/local-search.md.
A score is four times the square of the share over .8, above 3 rising slowly: so
the scores of documents that answer, and of those that do not, are about where those of `lexical-v1` are.

Exact words are not lost: a number, a code or a name that few documents have puts these far before the others by their
words, and there they stay; the best by words is among the first three. No cosine knows that a document answers
completely: where the words do not say so either, the score stays below 3.5.
"""

from collections.abc import Sequence
from typing import Final

from retrieval.local.search_service.models.lexical_ranker import MAX_SCORE
from retrieval.local.search_service.models.ports import Candidates

WORDS: Final = 0.3
MEANING: Final = 0.7

FEW: Final = 5
FAR: Final = 0.6
"""So few documents keep their places where the next one has at most this share of their score by words."""

KEPT: Final = 3

WHOLE: Final = 0.8
"""From here on little more can be had: few questions and passages are so near."""

_RELEVANT: Final = 3.0
_SAYS_ALL: Final = 3.5
_SHORT_OF_IT: Final = 0.15  # above 3 so much slower: the highest share scores 3.49
_TO_COMPLETE: Final = 0.3  # where the words say so too, 3.98
_STEP: Final = 0.0001


class MixedRanker:
    """By words alone where an index has no vectors of this model."""

    def __init__(self, model: str) -> None:
        self.label = f"mixed-v1; model={model}"

    def scores(self, query: str, among: Candidates) -> list[float]:
        words, near = among.words(), among.near()
        return words if near is None else mixed(words, near)


def mixed(words: Sequence[float], near: Sequence[float]) -> list[float]:
    """The scores of both together, 0 to 4."""
    best = max(words, default=0.0)
    scores = [_score(one, cosine, best=best or 1.0) for one, cosine in zip(words, near, strict=True)]
    if not best:
        return scores
    by_words = sorted(range(len(words)), key=lambda place: -words[place])
    exact = by_words[: _far_before([words[place] for place in by_words])]
    if exact and len(exact) < len(scores):
        return _lifted(scores, exact, above=max(score for place, score in enumerate(scores) if place not in exact))
    return _lifted(scores, by_words[:1], above=sorted(scores, reverse=True)[:KEPT][-1])


def _lifted(scores: Sequence[float], places: Sequence[int], *, above: float) -> list[float]:
    """With these documents above a score, in the order that their own gives them."""
    below = sorted((place for place in places if scores[place] <= above), key=lambda place: scores[place])
    lifted = {place: min(round(above + _STEP * step, 4), MAX_SCORE) for step, place in enumerate(below, 1)}
    return [lifted.get(place, score) for place, score in enumerate(scores)]


def _score(words: float, cosine: float, *, best: float) -> float:
    share = WORDS * words / best + MEANING * max(cosine, 0.0)
    score = MAX_SCORE * (share / WHOLE) ** 2
    if score > _RELEVANT:
        slower = _TO_COMPLETE if words >= _SAYS_ALL else _SHORT_OF_IT
        score = _RELEVANT + slower * (score - _RELEVANT)
    return round(min(score, MAX_SCORE), 4)


def _far_before(falling: Sequence[float]) -> int:
    """How many documents are far before the next one: at most a few, 0 where none is."""
    few = range(1, min(FEW, len(falling) - 1) + 1)
    return next((count for count in few if falling[count] <= FAR * falling[count - 1]), 0)
