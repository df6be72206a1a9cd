"""Reciprocal rank fusion: several ranked lists into one.

A document scores the sum of weight / (60 + rank) over the lists that hold it, in single precision; ranks begin at zero,
as the service's published scores have it (0.016666668 for a first place, 0.033333335 for two).
https://learn.microsoft.com/azure/search/hybrid-search-ranking
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

CONSTANT: Final = 60
FIRST_RANK: Final = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ordinals of documents, best first."""

    ordinals: Sequence[int]
    weight: float = 1.0


def fuse(rankings: Sequence[Ranking]) -> list[tuple[float, int]]:
    """Pairs of score and ordinal: best first, equal scores in the order of the ordinals."""
    scores: dict[int, np.float32] = {}
    for ranking in rankings:
        weight = np.float32(ranking.weight)
        for rank, ordinal in enumerate(ranking.ordinals, FIRST_RANK):
            part = np.float32(weight * np.float32(1 / (CONSTANT + rank)))
            scores[ordinal] = np.float32(scores.get(ordinal, np.float32(0)) + part)
    return sorted(((float(score), ordinal) for ordinal, score in scores.items()), key=lambda one: (-one[0], one[1]))
