"""What a vector query says about a document: its similarity, its score, and thresholds on either.

Reference: https://learn.microsoft.com/azure/search/vector-search-ranking and vector-search-how-to-query.
Numbers are those of single precision, as the service's are: a threshold that equals what was shown keeps the document.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.local.search_service.definitions.vector_search import Metric
from retrieval.local.search_service.engine.vectors import Neighbours
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.problems import sentence

_MOST: Final = float(np.finfo(np.float32).max)

_Number = Annotated[float, Field(ge=-_MOST, le=_MOST)]


class _ThresholdWire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Literal["vectorSimilarity", "searchScore"]
    value: _Number


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least similarity or score that a vector query takes; of a distance, the greatest."""

    kind: Literal["vectorSimilarity", "searchScore"]
    value: float

    def passes(self, likeness: float, metric: Metric) -> bool:
        if self.kind == "searchScore":
            return search_score(likeness, metric) >= self.value
        similarity = vector_similarity(likeness, metric)
        return similarity <= self.value if metric == "euclidean" else similarity >= self.value


def read_threshold(value: dict[str, Any] | None, metrics: Sequence[Metric]) -> Threshold | None:
    """`metrics` are those of the fields that the query names. Raises InvalidArgument."""
    if value is None:
        return None
    try:
        wire = _ThresholdWire.model_validate(value)
    except ValidationError as error:
        raise InvalidArgument(f"The threshold of a vector query is invalid: {sentence(error)}") from error
    if len(set(metrics)) > 1:
        raise InvalidArgument("A vector query with a threshold names fields of one similarity metric only.")
    return Threshold(wire.kind, _single(wire.value))


def kept(found: Neighbours, threshold: Threshold | None, metric: Metric) -> Neighbours:
    """The neighbours that `threshold` leaves, which are the first ones: `found` is best first."""
    if threshold is None:
        return found
    return found[: bisect_left(found, True, key=lambda one: not threshold.passes(one[0], metric))]


def vector_similarity(likeness: float, metric: Metric) -> float:
    """The metric itself: cosine, dot product, or the euclidean distance."""
    return _single(-likeness if metric == "euclidean" else likeness)


def search_score(likeness: float, metric: Metric) -> float:
    """`@search.score` of one vector query by itself.

    Documented for cosine; for the euclidean distance the same formula is taken, and the dot product stays what it is.
    """
    match metric:
        case "cosine":
            score = 1 / (2 - likeness)
        case "euclidean":
            score = 1 / (1 - likeness)
        case "dotProduct":
            score = likeness
    return _single(score)


def _single(number: float) -> float:
    return float(np.float32(min(max(number, -_MOST), _MOST)))
