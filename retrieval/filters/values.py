"""Reads a JSON value of a document as the type that a test needs. Also measures distances between places, and tests
places against polygons."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt

from retrieval.filters import moment
from retrieval.filters.tree import Path, Point, Polygon

_SPECIAL = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}
_LONGEST_MOMENT = 40

RADIUS = 6371.0087714
"""Mean radius of the Earth in kilometres."""


def getter(path: Path, *, skip: int = 0) -> Callable[[object], object]:
    """A function that reads the value of a path from a document; None if the value is missing. With `skip=1` it reads
    from the element of a lambda, because the first name is the variable."""
    names = path.names[skip:]
    if not names:
        return lambda row: row
    if len(names) == 1:
        only = names[0]
        return lambda row: row.get(only) if isinstance(row, dict) else None

    def get(row: object) -> object:
        for name in names:
            if not isinstance(row, dict):
                return None
            row = row.get(name)
        return row

    return get


def text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def number(value: object) -> float | None:
    """The number in a value. Integers stay integers, so that Edm.Int64 keeps its last digit."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    return _SPECIAL.get(value) if isinstance(value, str) else None


def truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def ticks(value: object) -> int | None:
    if isinstance(value, str):
        return _ticks(value) if len(value) <= _LONGEST_MOMENT else None
    return moment.of(value) if isinstance(value, datetime) else None


def elements(value: object) -> list[object]:
    """The elements of a collection. A value that is no list has no elements."""
    return value if isinstance(value, list) else []


def place(value: object) -> tuple[float, float] | None:
    """Longitude and latitude of a GeoJSON point; None for any other value."""
    if not isinstance(value, dict) or value.get("type") != "Point":
        return None
    match value.get("coordinates"):
        case [longitude, latitude, *_]:
            x, y = number(longitude), number(latitude)
            return None if x is None or y is None else (x, y)
        case _:
            return None


@lru_cache(maxsize=65_536)
def _ticks(value: str) -> int | None:
    try:
        return moment.ticks(value)
    except ValueError:
        return None


def distance_to(point: Point) -> Callable[[float, float], float]:
    """A function that returns the kilometres from `point` to a longitude and latitude, along a great circle."""
    longitude, latitude = radians(point.longitude), radians(point.latitude)
    here = cos(latitude)

    def distance(to_longitude: float, to_latitude: float) -> float:
        there = radians(to_latitude)
        half = sin((there - latitude) / 2) ** 2
        half += here * cos(there) * sin((radians(to_longitude) - longitude) / 2) ** 2
        return 2 * RADIUS * asin(sqrt(min(1.0, half)))

    return distance


def inside(polygon: Polygon) -> Callable[[float, float], bool]:
    """A function that tells whether a longitude and latitude lie in the polygon or on its edge. The edges are straight
    lines on a flat map of degrees. A ring of more than 180 degrees of longitude is assumed to cross the 180th meridian.
    Azure AI Search treats rectangles in the same way.
    """
    longitudes = [point.longitude for point in polygon.points]
    crosses = max(longitudes) - min(longitudes) > 180
    ring = [(_east(point.longitude, crosses), point.latitude) for point in polygon.points]
    edges = list(pairwise(ring))

    def holds(longitude: float, latitude: float) -> bool:
        x, y = _east(longitude, crosses), latitude
        within = False
        for (ax, ay), (bx, by) in edges:
            side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
            if side == 0 and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
                return True
            if (ay > y) != (by > y) and (side > 0) == (by > ay):
                within = not within
        return within

    return holds


def _east(longitude: float, crosses: bool) -> float:
    return longitude + 360 if crosses and longitude < 0 else longitude
