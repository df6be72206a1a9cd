"""`$orderby`: clauses over sortable fields, `geo.distance` and `search.score()`.

https://learn.microsoft.com/azure/search/search-query-odata-orderby: null comes first ascending and last descending, and
equal documents follow one another by score.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol, TypeAlias, TypeVar

from retrieval.filters import values
from retrieval.filters.tree import Point
from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.errors import InvalidArgument

MAX_CLAUSES = 32
MAX_TEXT = 16_000
"""Characters of all the clauses."""

_NUMBER = r"-?\d{1,12}(?:\.\d{1,20})?"
_PATH = r"[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*"


def _place(number: int) -> str:
    coordinates = rf"(?P<longitude{number}>{_NUMBER})\s+(?P<latitude{number}>{_NUMBER})"
    return rf"geography'POINT\(\s*{coordinates}\s*\)'"


_CLAUSE = re.compile(
    rf"""\s*(?:
           (?P<score> search\.score\(\s*\) )
         | geo\.distance\(\s*(?:
               (?P<place1> {_PATH} )\s*,\s*{_place(1)}
             | {_place(2)}\s*,\s*(?P<place2> {_PATH} ) )\s*\)
         | (?P<field> {_PATH} )
       )(?:\s+(?P<direction>asc|desc))?\s*""",
    re.VERBOSE | re.ASCII,
)

Comparable: TypeAlias = str | float | int
Measure: TypeAlias = Callable[["Ranked"], Comparable | None]


class Ranked(Protocol):
    """What is put in order."""

    @property
    def ordinal(self) -> int: ...

    @property
    def score(self) -> float: ...


_Ranked = TypeVar("_Ranked", bound=Ranked)


@dataclass(frozen=True, slots=True)
class Clause:
    """`field` is None for the score; `point` is what distances are measured from."""

    field: IndexField | None
    point: Point | None
    descending: bool


def read(text: str, fields: Mapping[str, IndexField]) -> tuple[Clause, ...]:
    """`fields` are those of the index by path. Raises InvalidArgument with the position and the reason."""
    if len(text) > MAX_TEXT:
        raise InvalidArgument(f"The $orderby expression is longer than {MAX_TEXT} characters.")
    clauses: list[Clause] = []
    at = 0
    while True:
        match = _CLAUSE.match(text, at)
        if match is None:
            raise InvalidArgument(f"The $orderby expression is not valid at position {at}: {text[at : at + 40]!r}.")
        clauses.append(_clause(match, fields))
        if len(clauses) > MAX_CLAUSES:
            raise InvalidArgument(f"The $orderby expression has more than {MAX_CLAUSES} clauses.")
        at = match.end()
        if at == len(text):
            return tuple(clauses)
        if text[at] != ",":
            raise InvalidArgument(f"The $orderby expression is not valid at position {at}: {text[at : at + 40]!r}.")
        at += 1


def _clause(match: re.Match[str], fields: Mapping[str, IndexField]) -> Clause:
    descending = match["direction"] == "desc"
    if match["score"]:
        return Clause(None, None, descending)
    path = match["field"] or match["place1"] or match["place2"]
    field = fields.get(path)
    if field is None or not field.sortable:
        raise InvalidArgument(f"The field {path[:128]!r} in $orderby is not a sortable field of the index.")
    is_place = field.type == "Edm.GeographyPoint"
    if is_place != (match["field"] is None):
        raise InvalidArgument(f"The field {path[:128]!r} of type {field.type} in $orderby: geo.distance is for points.")
    return Clause(field, _point(match) if is_place else None, descending)


def _point(match: re.Match[str]) -> Point:
    longitude = float(match["longitude1"] or match["longitude2"])
    latitude = float(match["latitude1"] or match["latitude2"])
    if abs(longitude) > 180 or abs(latitude) > 90:
        raise InvalidArgument("A point in $orderby lies outside the globe.")
    return Point(longitude, latitude)


def ordered(found: Sequence[_Ranked], clauses: Sequence[Clause], document: Callable[[int], Document]) -> list[_Ranked]:
    """`found` by `clauses`, then by score, then as it was."""
    in_order = sorted(found, key=lambda one: -one.score)
    for clause in reversed(clauses):
        measure = _measure(clause, document)
        measured = [(measure(one), one) for one in in_order]
        missing = [one for value, one in measured if value is None]
        present = [(value, one) for value, one in measured if value is not None]
        present.sort(key=itemgetter(0), reverse=clause.descending)
        known = [one for _, one in present]
        in_order = known + missing if clause.descending else missing + known
    return in_order


def _measure(clause: Clause, document: Callable[[int], Document]) -> Measure:
    field = clause.field
    if field is None:
        return lambda one: one.score
    read = _distance(clause.point) if clause.point else _READ[field.type]
    path = field.name

    def measure(one: Ranked) -> Comparable | None:
        found = paths.values(document(one.ordinal), path)
        return read(found[0]) if found else None

    return measure


def _distance(point: Point) -> Callable[[object], Comparable | None]:
    measure = values.distance_to(point)

    def distance(value: object) -> float | None:
        place = values.place(value)
        return None if place is None else measure(*place)

    return distance


def _number(value: object) -> float | None:
    """NaN comes before every other number."""
    number = values.number(value)
    return float("-inf") if number is not None and number != number else number


_READ: Mapping[str, Callable[[object], Comparable | None]] = {
    "Edm.String": values.text,
    "Edm.Int32": _number,
    "Edm.Int64": _number,
    "Edm.Double": _number,
    "Edm.Boolean": values.truth,
    "Edm.DateTimeOffset": values.ticks,
}
