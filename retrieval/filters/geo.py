"""Distances and polygons on the globe."""

from collections.abc import Callable
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt

from retrieval.filters.tree import Point, Polygon

RADIUS = 6371.0087714
"""Mean radius of the Earth in kilometres."""


def distance_to(point: Point) -> Callable[[float, float], float]:
    """Kilometres from `point` to a longitude and latitude, along a great circle of a sphere."""
    longitude, latitude = radians(point.longitude), radians(point.latitude)
    here = cos(latitude)

    def distance(to_longitude: float, to_latitude: float) -> float:
        there = radians(to_latitude)
        half = sin((there - latitude) / 2) ** 2
        half += here * cos(there) * sin((radians(to_longitude) - longitude) / 2) ** 2
        return 2 * RADIUS * asin(sqrt(min(1.0, half)))

    return distance


def inside(polygon: Polygon) -> Callable[[float, float], bool]:
    """Whether a longitude and latitude lie in the polygon or on its edge, with edges straight on the flat map.

    A ring wider than half the globe is taken to cross the 180th meridian, as the service does for rectangles.
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
