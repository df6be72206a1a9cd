"""Converts between Model Studio's scores, 0 to 1, and reranker scores, 0 to 4, by a straight line. No published source
relates these scores. A straight line keeps the order and can be inverted exactly."""

from typing import Final

HIGHEST: Final = 4.0
"""The highest reranker score."""


def reranker_score(score: float) -> float:
    return score * HIGHEST


def score(reranker_score: float) -> float:
    """The score of 0 to 1. Reranker scores outside 0 to 4 are clamped."""
    return min(max(reranker_score / HIGHEST, 0.0), 1.0)
