"""The operands of `$filter` text: constants and calls of functions, with their limits and the reserved words.

The functions take a piece of the text or the arguments of a call, and its position. They raise BadFilter with that
position. Rules: https://learn.microsoft.com/azure/search/search-query-odata-search-in-function,
…/search-query-odata-full-text-search-functions and …/search-query-odata-geo-spatial-functions.

Azure AI Search allows requests of 16 MB, ten levels of sub-fields and field names of 128 characters. It warns that a
filter with "hundreds of clauses" may fail. This project chose the limits for which it publishes no figure.
"""

import math
import re
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from retrieval.errors import BadFilter
from retrieval.filters import moment
from retrieval.filters.tree import (
    Constant,
    DateTimeOffset,
    Float,
    In,
    Integer,
    Intersects,
    IsMatch,
    Path,
    Point,
    Polygon,
    QueryType,
    SearchMode,
    String,
)

LONGEST = 16 * 1024 * 1024
"""The most characters of a filter."""

DEEPEST = 200
"""The most levels of nesting. Parentheses, calls, lambdas and `not` each add a level."""

MOST_CLAUSES = 3_000
MOST_TOKENS = 40_000
"""The most tokens of a filter. Reading a token takes seven microseconds."""
MOST_POINTS = 10_000
"""The most points in a polygon."""

MOST_FIELDS = 3_000
"""The most fields that one full-text search may name."""

MOST_NAMES = 16
"""The most names in a path."""

LONGEST_NAME = 128
INT64 = range(-(2**63), 2**63)
RESERVED = frozenset({"not", "true", "false", "null", "NaN", "INF"})
"""The reserved words. The grammar reads them as operators or constants where a path may begin, so a path cannot begin
with one."""
GUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")

_LONGEST_NUMBER = 400

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(_NUMBER)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?")
_NO_NUMBER = {
    GUID: "is a GUID; the index holds them as text, so put it in quotes",
    re.compile(f"{_NUMBER}[LlMmDdFf]"): "has a type suffix; write the number without it",
    re.compile(r"\..*|.*\."): "is not a number; digits are needed on both sides of the point",
    re.compile(".*", re.DOTALL): "is neither a number nor a date; put text in single quotes",
}
"""What is wrong with a text that is neither a number nor a date. The first pattern that it fits decides."""
_PAIR = re.compile(rf" *({_NUMBER}) +({_NUMBER}) *")
_GEOGRAPHY = re.compile(r"geography'(POINT|POLYGON) *\((.*)\)'", re.DOTALL)


def digits(text: str, position: int) -> Integer | Float | DateTimeOffset:
    """The number or date that a piece of text means. The piece begins like a number."""
    if len(text) <= _LONGEST_NUMBER and _WHOLE.fullmatch(text):
        if int(text) in INT64:
            return Integer(int(text))
        reason = "is too large for Edm.Int64"
    elif len(text) <= _LONGEST_NUMBER and _DECIMAL.fullmatch(text):
        if math.isfinite(value := float(text)):
            return Float(value)
        reason = "is too large for Edm.Double"
    elif _DATE.fullmatch(text):
        try:
            return DateTimeOffset(moment.ticks(text))
        except ValueError as error:
            reason = f"is not a date and time: {error}"
    else:
        reason = next(reason for pattern, reason in _NO_NUMBER.items() if pattern.fullmatch(text))
    raise BadFilter(f"{_short(text)} {reason}", position=position)


def geography(text: str, position: int) -> Point | Polygon:
    """A point, or a polygon whose ring is closed and has four points or more. The points may run clockwise or
    counter-clockwise, because Microsoft's pages show both."""
    match = _GEOGRAPHY.fullmatch(text)
    if match is None:
        reason = "a place is written geography'POINT(longitude latitude)' or geography'POLYGON((…))'"
        raise BadFilter(reason, position=position)
    return (_point if match[1] == "POINT" else _polygon)(match[2], position)


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


@dataclass(frozen=True, slots=True)
class Measure:
    """A call of `geo.distance(…)` without the comparison around the call."""

    path: Path
    point: Point


Test: TypeAlias = In | IsMatch | Intersects
Value: TypeAlias = Path | Constant | Point | Polygon | Measure | Test


V = TypeVar("V", bound=Value, covariant=True)


class PlacedValue(NamedTuple, Generic[V]):
    """A value and the position in the text where it starts."""

    value: V
    position: int


_QUERY_TYPES: dict[str, QueryType] = {"simple": "simple", "full": "full"}
_SEARCH_MODES: dict[str, SearchMode] = {"any": "any", "all": "all"}


_TAKES = {
    "search.in": "search.in takes a field, a quoted list and, if wanted, delimiters: "
    "search.in(field, 'a,b') or search.in(field, 'a|b', '|')",
    **dict.fromkeys(
        ("search.ismatch", "search.ismatchscoring"),
        "search.ismatch takes 1, 2 or 4 quoted texts: what to search, fields, 'simple' or 'full', 'any' or 'all'",
    ),
    "geo.distance": "geo.distance takes a field and a point: geo.distance(field, geography'POINT(longitude latitude)')",
    "geo.intersects": "geo.intersects takes a field and a polygon: geo.intersects(field, geography'POLYGON((…))')",
}
FUNCTIONS = _TAKES.keys()


def call(name: str, arguments: list[Value], position: int) -> Measure | Test:
    """The node that the call of a function becomes."""
    texts = [argument.value for argument in arguments if isinstance(argument, String)]
    match name, arguments:
        case "search.in", [Path() as path, String(values)]:
            return In(path, _split(values, " ,"))
        case "search.in", [Path() as path, String(values), String(delimiters)] if delimiters:
            return In(path, _split(values, delimiters))
        case "search.ismatch" | "search.ismatchscoring", _ if len(texts) == len(arguments) and len(texts) in (1, 2, 4):
            return _is_match(texts, scoring=name == "search.ismatchscoring", position=position)
        case "geo.distance", [Path() as path, Point() as point] | [Point() as point, Path() as path]:
            return Measure(path, point)
        case "geo.intersects", [Path() as path, Polygon() as polygon]:
            return Intersects(path, polygon)
    raise BadFilter(_TAKES[name], position=position)


def _split(values: str, delimiters: str) -> tuple[str, ...]:
    """The values of a list. Each character of `delimiters` separates values. Empty values are dropped, so that `'a, b'`
    has two values."""
    delimiter = delimiters[0]
    return tuple(filter(None, values.translate(dict.fromkeys(map(ord, set(delimiters)), delimiter)).split(delimiter)))


def _is_match(texts: list[str], *, scoring: bool, position: int) -> IsMatch:
    query_type, mode = texts[2:] or ("simple", "any")
    if query_type not in _QUERY_TYPES:
        raise BadFilter(f"the query type is 'simple' or 'full', not {query_type[:60]!r}", position=position)
    if mode not in _SEARCH_MODES:
        raise BadFilter(f"the search mode is 'any' or 'all', not {mode[:60]!r}", position=position)
    names = "".join(texts[1:2]).split(",")
    if len(names) > MOST_FIELDS:
        raise BadFilter(f"a full-text search names at most {MOST_FIELDS} fields", position=position)
    return IsMatch(
        search=texts[0],
        fields=tuple(filter(None, (name.strip(" ") for name in names))),
        query_type=_QUERY_TYPES[query_type],
        mode=_SEARCH_MODES[mode],
        scoring=scoring,
    )
