"""Buckets of facets: the lower end of the interval that a value lies in."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from retrieval.filters.moment import TICKS_A_SECOND, of
from retrieval.local.search_service.errors import InvalidArgument

Bucket: TypeAlias = Callable[[Any], Any]

_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
_MOST = 1e15  # beyond it a double has no digits left for a fraction
_FIXED = {"minute": 60, "hour": 3600, "day": 86_400, "week": 7 * 86_400}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def numbers(text: str) -> Bucket:
    """Raises InvalidArgument unless `text` is a number greater than 0."""
    if not re.fullmatch(r"\d{1,15}(?:\.\d{1,15})?", text, re.ASCII) or not float(text):
        raise InvalidArgument(f"The interval of a facet is a number greater than 0, not {text[:64]!r}.")
    width = float(text)

    def bucket(value: float) -> float:
        if math.isinf(value):
            return value
        if width.is_integer() and isinstance(value, int):
            return value // int(width) * int(width)
        place = value / width
        return round(math.floor(place) * width, 9) if abs(place) < _MOST else value

    return bucket


def moments(text: str, shift: timedelta) -> Bucket:
    """Ticks to ticks. Days and what is longer begin at midnight where clocks are `shift` ahead of UTC, weeks on Monday.

    Raises InvalidArgument for another word than those of the REST API.
    """
    ahead = int(shift.total_seconds()) * TICKS_A_SECOND
    if text in _FIXED:
        width = _FIXED[text] * TICKS_A_SECOND
        return lambda ticks: max((ticks + ahead) // width * width - ahead, 0)
    if text in _MONTHS:
        months = _MONTHS[text]
        return lambda ticks: max(_month(ticks + ahead, months) - ahead, 0)
    allowed = ", ".join((*_FIXED, *_MONTHS))
    raise InvalidArgument(f"The interval of a facet of time is one of {allowed}, not {text[:64]!r}.")


def _month(ticks: int, months: int) -> int:
    seconds = min(max(ticks // TICKS_A_SECOND, 0), of(datetime.max) // TICKS_A_SECOND)
    day = _BEGINNING + timedelta(seconds=seconds)
    return of(datetime(day.year, (day.month - 1) // months * months + 1, 1, tzinfo=UTC))
