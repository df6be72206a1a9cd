"""Scores of 0 to 1, as Model Studio has them, and reranker scores of 0 to 4: a straight line, and its inverse.

No source relates the two services' scores; a straight line keeps the order and can be inverted exactly.
"""

from typing import Final

from retrieval.model.retrieval import Reference

HIGHEST: Final = 4.0


def score(reranker_score: float) -> float:
    """0 to 1; scores outside 0 to 4 are clamped."""
    return min(max(reranker_score / HIGHEST, 0.0), 1.0)


def reranker_score(score: float) -> float:
    """0 to 4 for 0 to 1: `score(reranker_score(s)) == s`."""
    return score * HIGHEST


def scores(references: tuple[Reference, ...]) -> list[float]:
    """A score for each reference, falling. Those without a reranker score share what is left below the last that has
    one, by their rank: 3/4, 2/4 and 1/4 of it for three of them."""
    ranked = [score(reference.hit.score) for reference in references if reference.hit.score is not None]
    ceiling, others = min(ranked, default=1.0), len(references) - len(ranked)
    return [*ranked, *(ceiling * (1 - rank / (others + 1)) for rank in range(1, others + 1))]
