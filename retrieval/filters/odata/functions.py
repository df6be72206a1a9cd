"""The functions of `$filter` text: the arguments of each function, and the node that a call becomes.

Rules: https://learn.microsoft.com/azure/search/search-query-odata-search-in-function,
…/search-query-odata-full-text-search-functions and …/search-query-odata-geo-spatial-functions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from retrieval.errors import BadFilter
from retrieval.filters.odata.limits import MOST_FIELDS
from retrieval.filters.tree import (
    Constant,
    In,
    Intersects,
    IsMatch,
    Path,
    Point,
    Polygon,
    QueryType,
    SearchMode,
    String,
)


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


def _search_in(arguments: list[Value], position: int) -> In:
    match arguments:
        case [Path() as path, String(values)]:
            return In(path, _split(values, " ,"))
        case [Path() as path, String(values), String(delimiters)] if delimiters:
            return In(path, _split(values, delimiters))
        case _:
            form = "search.in(field, 'a,b') or search.in(field, 'a|b', '|')"
            raise BadFilter(
                f"search.in takes a field, a quoted list and, if wanted, delimiters: {form}", position=position
            )


def _split(values: str, delimiters: str) -> tuple[str, ...]:
    """The values of a list. Each character of `delimiters` separates values. Empty values are dropped, so that `'a, b'`
    has two values."""
    delimiter = delimiters[0]
    return tuple(filter(None, values.translate(dict.fromkeys(map(ord, set(delimiters)), delimiter)).split(delimiter)))


def _is_match(arguments: list[Value], position: int) -> IsMatch:
    texts = [argument.value for argument in arguments if isinstance(argument, String)]
    if len(texts) != len(arguments) or len(texts) not in (1, 2, 4):
        reason = (
            "search.ismatch takes 1, 2 or 4 quoted texts: what to search, fields, 'simple' or 'full', 'any' or 'all'"
        )
        raise BadFilter(reason, position=position)
    query_type, mode = texts[2:] or ("simple", "any")
    if query_type not in _QUERY_TYPES:
        raise BadFilter(f"the query type is 'simple' or 'full', not {query_type[:60]!r}", position=position)
    if mode not in _SEARCH_MODES:
        raise BadFilter(f"the search mode is 'any' or 'all', not {mode[:60]!r}", position=position)
    if texts[1:] and texts[1].count(",") >= MOST_FIELDS:
        raise BadFilter(f"a full-text search names at most {MOST_FIELDS} fields", position=position)
    names = (name.strip(" ") for name in "".join(texts[1:2]).split(","))
    fields = tuple(name for name in names if name)
    return IsMatch(search=texts[0], fields=fields, query_type=_QUERY_TYPES[query_type], mode=_SEARCH_MODES[mode])


def _is_match_scoring(arguments: list[Value], position: int) -> IsMatch:
    return replace(_is_match(arguments, position), scoring=True)


def _distance(arguments: list[Value], position: int) -> Measure:
    match arguments:
        case [Path() as path, Point() as point] | [Point() as point, Path() as path]:
            return Measure(path, point)
        case _:
            form = "geo.distance(field, geography'POINT(longitude latitude)')"
            raise BadFilter(f"geo.distance takes a field and a point: {form}", position=position)


def _intersects(arguments: list[Value], position: int) -> Intersects:
    match arguments:
        case [Path() as path, Polygon() as polygon]:
            return Intersects(path, polygon)
        case _:
            form = "geo.intersects(field, geography'POLYGON((…))')"
            raise BadFilter(f"geo.intersects takes a field and a polygon: {form}", position=position)


FUNCTIONS: dict[str, Callable[[list[Value], int], Measure | Test]] = {
    "search.in": _search_in,
    "search.ismatch": _is_match,
    "search.ismatchscoring": _is_match_scoring,
    "geo.distance": _distance,
    "geo.intersects": _intersects,
}
