"""A calibration: how likely an answer is among what an index returned, by the best score of it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`probabilities` are pairs of a score and the share of questions with an answer from there on, both rising.

    `sufficient_from` is the score from which on that share is high enough to call the evidence sufficient; None where
    no score is.
    """

    index: str
    probabilities: tuple[tuple[float, float], ...]
    sufficient_from: float | None = None

    def probability(self, score: float) -> float | None:
        """How likely it is that the question has an answer, 0 to 1; None without any pair."""
        at = bisect_right(self.probabilities, score, key=lambda pair: pair[0])
        return self.probabilities[max(at - 1, 0)][1] if self.probabilities else None


def best_score(scores: Sequence[float | None]) -> float:
    """The signal that is calibrated: the ranker's best score, 0 where nothing was ranked."""
    return max((score for score in scores if score is not None), default=0.0)
