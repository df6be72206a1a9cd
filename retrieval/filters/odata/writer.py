"""Writes a tree as `$filter` text of Azure AI Search."""

import math
import re
from collections.abc import Collection
from itertools import chain
from typing import assert_never

from retrieval.errors import UnsupportedFilter
from retrieval.filters import moment
from retrieval.filters.odata.operands import INT64, LONGEST_NAME, MOST_NAMES, RESERVED
from retrieval.filters.tree import (
    And,
    Boolean,
    Compare,
    Constant,
    DateTimeOffset,
    Distance,
    Filter,
    Flag,
    Float,
    In,
    Integer,
    Intersects,
    IsMatch,
    KeepsText,
    Lambda,
    Like,
    Not,
    NotEmpty,
    Null,
    Or,
    Path,
    Point,
    Polygon,
    String,
)

_SIDE = "Azure AI Search"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def write(filter: Filter) -> str:
    """The canonical text of a tree. Raises UnsupportedFilter for a construct that `$filter` cannot express."""
    match filter:
        case Compare(path, operator, constant):
            return f"{_path(path)} {operator} {_constant(constant)}"
        case Flag(path):
            return _path(path)
        case Boolean(value):
            return "true" if value else "false"
        case Not(operand):
            compound = isinstance(operand, Compare | Distance | And | Or)
            return f"not ({write(operand)})" if compound else f"not {write(operand)}"
        case And(operands):
            return " and ".join(
                [f"({_part(operand)})" if isinstance(operand, Or) else _part(operand) for operand in operands]
            )
        case Or(operands):
            return " or ".join([_part(operand) for operand in operands])
        case NotEmpty(path):
            return f"{_path(path)}/any()"
        case Lambda(path, quantifier, variable, body):
            return f"{_path(path)}/{quantifier}({_name(variable, RESERVED)}: {write(body)})"
        case In() | Like() | IsMatch() | Distance() | Intersects():
            return _call(filter)
        case _:
            assert_never(filter)


def _part(filter: Filter) -> str:
    """The cached text of a part, or a new text. A new text is not cached here, because the texts of nested parts would
    use much memory."""
    return (filter.text if isinstance(filter, KeepsText) else None) or write(filter)


def text(filter: Filter) -> str:
    """The text that `write` returns. If `filter` is a KeepsText, it caches the text, because all sub-queries and
    records of a call share one filter."""
    if not isinstance(filter, KeepsText):
        return write(filter)
    return filter.text or filter.keep(write(filter))


def _call(test: In | Like | IsMatch | Distance | Intersects) -> str:
    match test:
        case In(path, values):
            return _search_in(_path(path), values)
        case Like(path):
            raise UnsupportedFilter(f"a pattern on {str(path)!r}", side=_SIDE)
        case IsMatch():
            return _is_match(test)
        case Distance(path, point, operator, kilometres):
            place = f"geography'POINT({_pair(point)})'"
            return f"geo.distance({_path(path)}, {place}) {operator} {_constant(kilometres)}"
        case Intersects(path, Polygon(points)):
            ring = ", ".join(map(_pair, points))
            return f"geo.intersects({_path(path)}, geography'POLYGON(({ring}))')"
        case _:
            assert_never(test)


def _search_in(field: str, values: tuple[str, ...]) -> str:
    """The call of `search.in`. Commas join the values if no value has a comma or a blank. Otherwise a character that no
    value contains joins them."""
    characters = set(chain.from_iterable(values))
    if characters.isdisjoint(" ,"):
        return f"search.in({field}, {_quote(','.join(values))})"
    marks = chain("|;", map(chr, range(0x21, 0xD800)))
    delimiter = next((mark for mark in marks if mark not in characters and mark != "'"), None)
    if delimiter is None:
        raise UnsupportedFilter("a list whose values use every character", side=_SIDE)
    return f"search.in({field}, {_quote(delimiter.join(values))}, '{delimiter}')"


def _is_match(test: IsMatch) -> str:
    name = "search.ismatchscoring" if test.scoring else "search.ismatch"
    count = 4 if (test.query_type, test.mode) != ("simple", "any") else 2 if test.fields else 1
    texts = (test.search, ",".join(test.fields), test.query_type, test.mode)[:count]
    return f"{name}({', '.join(map(_quote, texts))})"


def _constant(constant: Constant) -> str:
    match constant:
        case String(value):
            return _quote(value)
        case Boolean(value):
            return "true" if value else "false"
        case Null():
            return "null"
        case Integer(value):
            if value not in INT64:
                raise UnsupportedFilter("an integer of more than 64 bits", side=_SIDE)
            return str(value)
        case Float(value):
            return _float(value)
        case DateTimeOffset(ticks):
            try:
                return moment.text(ticks)
            except ValueError as error:
                raise UnsupportedFilter("a time outside the years 1 to 9999", side=_SIDE) from error
        case _:
            assert_never(constant)


def _float(value: float) -> str:
    """The text of a number. Adding zero turns -0.0 into 0.0."""
    return "NaN" if math.isnan(value) else repr(value + 0.0).replace("inf", "INF")


def _pair(point: Point) -> str:
    if not (abs(point.longitude) <= 180 and abs(point.latitude) <= 90):
        raise UnsupportedFilter("a point off the globe", side=_SIDE)
    return f"{_float(point.longitude)} {_float(point.latitude)}"


def _quote(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedFilter("text with half a surrogate pair", side=_SIDE) from error
    return "'" + text.replace("'", "''") + "'"


def _path(path: Path) -> str:
    if len(path.names) > MOST_NAMES:
        raise UnsupportedFilter(f"a path of {len(path.names)} names", side=_SIDE)
    return "/".join([_name(path.names[0], RESERVED), *map(_name, path.names[1:])])


def _name(name: str, reserved: Collection[str] = ()) -> str:
    if name in reserved or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UnsupportedFilter(f"a field named {name!r}", side=_SIDE)
    return name
