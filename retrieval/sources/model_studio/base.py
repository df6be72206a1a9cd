"""Converts between Model Studio's scores, 0 to 1, and reranker scores, 0 to 4. No published source relates these
scores, and Model Studio's scores depend on the model of a base. A straight line keeps the order and can be inverted
exactly. A calibration that a deployer has measured is better.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from retrieval.filters.schema import FieldMap

SYSTEM: Final = "alibaba.model_studio"
"""The name of the service in telemetry."""

HIGHEST: Final = 4.0
_FIRST: Final = (0.0, 0.0)
_LAST: Final = (1.0, HIGHEST)


@dataclass(frozen=True, slots=True)
class ScoreCalibration:
    """Maps a score of 0 to 1 to a reranker score of 0 to 4: linear between anchors, from (0, 0) to (1, 4).

    Raises ValueError unless the scores and the reranker scores of the anchors both increase.
    """

    anchors: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if not all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(self._line)):
            raise ValueError('"calibration" must increase on both sides, between [0, 0] and [1, 4]')

    def reranker_score(self, score: float) -> float:
        """The reranker score for a `score` of 0 to 1. A higher score always gives a higher reranker score."""
        line = self._line
        place = min(bisect_right(line, score, key=lambda anchor: anchor[0]), len(line) - 1)
        (left, low), (right, high) = line[place - 1], line[place]
        return low + (score - left) / (right - left) * (high - low)

    @property
    def _line(self) -> tuple[tuple[float, float], ...]:
        return (_FIRST, *self.anchors, _LAST)


LINEAR: Final = ScoreCalibration()
"""The straight line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStudioBase:
    """The address of a base, the fields that filters may use, and the calibration of its scores.

    `endpoint` has a scheme and no path, since a path would not be signed. Without a `calibration` the base's own
    threshold applies instead of the threshold of a request.
    """

    workspace: str
    index: str
    endpoint: str
    fields: FieldMap = field(default_factory=dict)
    calibration: ScoreCalibration | None = None
