"""A calibration: what the signals of evidence are on one index, so that a confidence means the same on every index."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Quantiles of each signal at equal steps, from its least to its greatest value, and a threshold.

    `evidence_threshold` is a confidence, 0 to 1, from which on an answer is sufficient.
    """

    index: str
    signals: Mapping[str, tuple[float, ...]]
    evidence_threshold: float | None = None

    def rank(self, signal: str, value: float) -> float | None:
        """The share of the index's questions with a smaller value, 0 to 1; None for a signal that it does not know."""
        steps = self.signals.get(signal, ())
        if len(steps) < 2:
            return None
        below = sum(one < value for one in steps)
        if below in (0, len(steps)):
            return below / len(steps)
        low, high = steps[below - 1], steps[below]
        return (below - 1 + (value - low) / (high - low)) / (len(steps) - 1)
