"""A base of Alibaba Cloud Model Studio, as a deployment names it for its agents.

Its scores are 0 to 1 and depend on the base's own model; no source relates them to Azure's 0 to 4. A calibration that a
deployer has measured does. Without it the base applies its own threshold, and its scores are multiplied by four.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from retrieval.filters.field_map import FieldMap

_FIRST: Final = (0.0, 0.0)
_LAST: Final = (1.0, 4.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps a score of 0 to 1 to a reranker score of 0 to 4: linear between anchors, from (0, 0) to (1, 4).

    Raises ValueError unless both sides of the anchors increase.
    """

    anchors: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if not all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(self._line)):
            raise ValueError('"calibration" must increase on both sides, between [0, 0] and [1, 4]')

    def reranker_score(self, score: float) -> float:
        """Strictly increasing in `score`, 0 to 1."""
        line = self._line
        place = min(bisect_right(line, score, key=lambda anchor: anchor[0]), len(line) - 1)
        (left, low), (right, high) = line[place - 1], line[place]
        return low + (score - left) / (right - left) * (high - low)

    @property
    def _line(self) -> tuple[tuple[float, float], ...]:
        return (_FIRST, *self.anchors, _LAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStudioBase:
    """Its address, the fields that filters may use, and the calibration of its scores.

    `endpoint` has a scheme and no path, since a path would not be signed. Without a `calibration` the base's own
    threshold applies instead of a request's.
    """

    workspace: str
    index: str
    endpoint: str
    fields: FieldMap = field(default_factory=dict)
    calibration: Calibration | None = None
