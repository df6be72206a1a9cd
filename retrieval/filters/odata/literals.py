"""The constants of `$filter` text: numbers, dates, quoted strings, points and polygons.

The functions take a piece of the text. If the piece can be wrong, the function also takes its position and raises
BadFilter with that position.
"""

import re

from retrieval.errors import BadFilter
from retrieval.filters import moment
from retrieval.filters.odata.limits import INT64, MOST_POINTS
from retrieval.filters.tree import DateTimeOffset, Float, Integer, Point, Polygon

_LONGEST_NUMBER = 400

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(_NUMBER)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?")
_GUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PAIR = re.compile(rf" *({_NUMBER}) +({_NUMBER}) *")
_GEOGRAPHY = re.compile(r"geography'(POINT|POLYGON) *\((.*)\)'", re.DOTALL)


def digits(text: str, position: int) -> Integer | Float | DateTimeOffset:
    """The number or date that a piece of text means. The piece begins like a number."""
    if len(text) <= _LONGEST_NUMBER and (_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return _number(text, position)
    if _DATE.fullmatch(text):
        try:
            return DateTimeOffset(moment.ticks(text))
        except ValueError as error:
            raise BadFilter(f"{_short(text)} is not a date and time: {error}", position=position) from error
    raise BadFilter(f"{_short(text)} {_why_no_number(text)}", position=position)


def geography(text: str, position: int) -> Point | Polygon:
    """A point, or a polygon whose ring is closed and has four points or more. The points may run clockwise or
    counter-clockwise, because Microsoft's pages show both."""
    match = _GEOGRAPHY.fullmatch(text)
    if match is None:
        reason = "a place is written geography'POINT(longitude latitude)' or geography'POLYGON((…))'"
        raise BadFilter(reason, position=position)
    if match[1] == "POINT":
        return _point(match[2], position)
    return _polygon(match[2], position)


def _number(text: str, position: int) -> Integer | Float:
    if not _WHOLE.fullmatch(text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise BadFilter(f"{_short(text)} is too large for Edm.Double", position=position)
        return Float(value)
    whole = int(text)
    if whole not in INT64:
        raise BadFilter(f"{_short(text)} is too large for Edm.Int64", position=position)
    return Integer(whole)


def _why_no_number(text: str) -> str:
    if _GUID.fullmatch(text):
        return "is a GUID; the index holds them as text, so put it in quotes"
    if text[-1] in "LlMmDdFf" and _DECIMAL.fullmatch(text[:-1]):
        return "has a type suffix; write the number without it"
    if text.startswith(".") or text.endswith("."):
        return "is not a number; digits are needed on both sides of the point"
    return "is neither a number nor a date; put text in single quotes"


def _polygon(ring: str, position: int) -> Polygon:
    inner = ring.strip(" ")
    if not (inner.startswith("(") and inner.endswith(")")) or "(" in inner[1:]:
        raise BadFilter("a polygon is one ring: geography'POLYGON((…))'", position=position)
    pairs = inner[1:-1].split(",", MOST_POINTS)
    if len(pairs) > MOST_POINTS:
        raise BadFilter(f"a polygon has at most {MOST_POINTS} points", position=position)
    points = tuple(_point(pair, position) for pair in pairs)
    if len(points) < 4 or points[0] != points[-1]:
        raise BadFilter("a polygon needs four points or more, the first repeated as the last", position=position)
    return Polygon(points)


def _point(pair: str, position: int) -> Point:
    match = _PAIR.fullmatch(pair) if len(pair) <= _LONGEST_NUMBER else None
    if match is None:
        raise BadFilter(f"{_short(pair)} is not a point: longitude, a space, latitude", position=position)
    longitude, latitude = float(match[1]), float(match[2])
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):
        reason = f"{_short(pair)} is off the globe: longitude -180 to 180, then latitude -90 to 90"
        raise BadFilter(reason, position=position)
    return Point(longitude, latitude)


def _short(text: str) -> str:
    return repr(str(text) if len(text) <= 60 else text[:57] + "…")
