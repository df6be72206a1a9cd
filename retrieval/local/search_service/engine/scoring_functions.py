"""Scoring functions, over all the documents of a search at once.

How near a document is to the best that a function knows is a number from 0 to 1, NaN where the function does not apply.
Its result is 1 + (boost - 1) * curve(nearness), and 1 where it does not apply: recorded scores of the service fit this
for linear and for quadratic, which is the square of linear, steep near the best and flat at the end. One passage of the
documentation says so, another the opposite. Scores with a logarithmic curve were not seen: here it is flat at the best.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from retrieval.filters.tree import Point
from retrieval.filters.values import RADIUS
from retrieval.local.search_service.definitions.scoring_profile import Aggregation, Curve, Magnitude

Floats: TypeAlias = NDArray[np.float64]

LARGEST: Final = float(np.finfo(np.float32).max)
"""Results and scores end here, so that they stay numbers."""


def of_magnitude(numbers: Floats, measure: Magnitude) -> Floats:
    with np.errstate(over="ignore"):
        nearness = (numbers - measure.start) / (measure.end - measure.start)
    beyond = np.where(nearness > 1, 1.0 if measure.beyond else np.nan, nearness)
    return np.where(beyond < 0, np.nan, beyond)


def of_age(seconds: Floats, now: float, duration: float) -> Floats:
    """`duration` is below zero where moments ahead are meant."""
    return _left((now - seconds) / duration)


def of_distance(longitudes: Floats, latitudes: Floats, point: Point, kilometres: float) -> Floats:
    """Along a great circle of a sphere, as `retrieval.filters.geo` measures."""
    here, there = np.radians(point.latitude), np.radians(latitudes)
    half = np.sin((there - here) / 2) ** 2
    half += np.cos(here) * np.cos(there) * np.sin(np.radians(longitudes - point.longitude) / 2) ** 2
    return _left(2 * RADIUS * np.arcsin(np.sqrt(np.minimum(1.0, half))) / kilometres)


def of_tags(tagged: NDArray[np.bool_]) -> Floats:
    """One tag is as good as several."""
    return np.where(tagged, 1.0, np.nan)


def _left(used: Floats) -> Floats:
    return np.where((used >= 0) & (used <= 1), 1 - used, np.nan)


def result(nearness: Floats, boost: float, curve: Curve) -> Floats:
    """What a function says of each document; NaN where it does not apply."""
    return 1 + (boost - 1) * _curved(nearness, curve)


def _curved(nearness: Floats, curve: Curve) -> Floats:
    match curve:
        case "linear":
            return nearness
        case "quadratic":
            return nearness**2
        case "logarithmic":
            return np.asarray(np.log10(1 + 9 * nearness))
        case "constant":
            return np.where(np.isnan(nearness), np.nan, 1.0)
    assert_never(curve)


def aggregate(results: Sequence[Floats], aggregation: Aggregation) -> Floats:
    """The multiplier of each document, from at least one function."""
    table = np.array(results)
    applies = ~np.isnan(table)
    table = np.where(applies, table, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        combined = _combined(table, applies, aggregation)
    return np.nan_to_num(combined, nan=0.0, posinf=LARGEST, neginf=-LARGEST)


def _combined(table: Floats, applies: NDArray[np.bool_], aggregation: Aggregation) -> Floats:
    match aggregation:
        case "sum":
            return np.asarray(table.sum(axis=0))
        case "average":
            return np.asarray(table.mean(axis=0))
        case "minimum":
            return np.asarray(table.min(axis=0))
        case "maximum":
            return np.asarray(table.max(axis=0))
        case "product":
            return np.asarray(table.prod(axis=0))
        case "firstMatching":
            return np.asarray(np.take_along_axis(table, applies.argmax(axis=0)[np.newaxis], axis=0)[0])
    assert_never(aggregation)
