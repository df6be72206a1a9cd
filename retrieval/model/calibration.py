"""A calibration: the probability that the documents of an index contain an answer, by the best score among them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`probabilities` are pairs of a score and a share. The share is the fraction of questions with an answer, among
    those with a best score between this score and the next pair's. The scores rise from pair to pair.

    `sufficient_from` is the lowest best score for which the evidence counts as sufficient; None if no score is high
    enough.
    """

    index: str
    probabilities: tuple[tuple[float, float], ...]
    sufficient_from: float | None = None

    def probability(self, score: float) -> float | None:
        """The probability that the question has an answer, 0 to 1. None where there are no pairs."""
        at = bisect_right(self.probabilities, score, key=lambda pair: pair[0])
        return self.probabilities[max(at - 1, 0)][1] if self.probabilities else None


def best_score(scores: Sequence[float | None]) -> float:
    """The input of a calibration: the ranker's best score, or 0 where nothing was ranked."""
    return max((score for score in scores if score is not None), default=0.0)
