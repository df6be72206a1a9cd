"""A document's JSON value, read as the type that a test needs, or None."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache

from retrieval.filters import moment
from retrieval.filters.tree import Path

_SPECIAL = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}
_LONGEST_MOMENT = 40


def getter(path: Path, *, skip: int = 0) -> Callable[[object], object]:
    """Reads a path from a document, or from a lambda's element when its variable's name is skipped. Missing is None."""
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
    """Integers stay integers, so that Edm.Int64 keeps its last digit."""
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
    """The elements of a collection; null is an empty one."""
    return value if isinstance(value, list) else []


def place(value: object) -> tuple[float, float] | None:
    """Longitude and latitude of a GeoJSON point."""
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
