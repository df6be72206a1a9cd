"""Turns a filter into a function that tests documents. The function is built once and used for many documents.

A document is a dict of JSON values: dicts, lists, strings, numbers, booleans and None. Dates are ISO strings or
datetimes. Points are GeoJSON. A numeric test reads the strings "NaN", "INF" and "-INF" as numbers. A value of the wrong
type counts as missing, except in a comparison with null. A test is either true or false. A test of a missing value is
false, except `eq null`, `ne` with any other constant, and `all`. `not` inverts the result.
https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal, TypeAlias, TypeVar, assert_never

from retrieval.errors import BadFilter, UnsupportedFilter
from retrieval.filters import patterns, values
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
    Lambda,
    Like,
    Not,
    NotEmpty,
    Null,
    Operator,
    Or,
    Path,
    String,
)

Document: TypeAlias = Mapping[str, object]
Predicate: TypeAlias = Callable[[Document], bool]
Matches: TypeAlias = Callable[[IsMatch], Predicate]

_Test: TypeAlias = Callable[[object], bool]
_Get: TypeAlias = Callable[[object], object]
_Key: TypeAlias = tuple[Path, _Get]
_R = TypeVar("_R")

_READERS: Mapping[type[Constant], _Get] = {
    String: values.text,
    Boolean: values.truth,
    DateTimeOffset: values.ticks,
    Integer: values.number,
    Float: values.number,
}
_OPERATORS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "eq": eq,
    "ne": ne,
    "gt": gt,
    "ge": ge,
    "lt": lt,
    "le": le,
}


@dataclass(frozen=True, slots=True)
class _Scope:
    """`variable` is the variable of the nearest enclosing lambda. A test within a lambda receives the element instead
    of the document."""

    variable: str | None
    matches: Matches | None


def predicate(filter: Filter, *, matches: Matches | None = None) -> Predicate:
    """A function that tells whether a document passes `filter`. If there is an index definition, check the filter with
    `bind.bind` first.

    `matches` turns a full-text search of the filter into a predicate. Raises UnsupportedFilter for a full-text search
    if `matches` is missing. Raises BadFilter if a lambda contains a full-text search, or a path that does not begin
    with its variable.
    """
    return _test(filter, _Scope(None, matches))


def _test(filter: Filter, scope: _Scope) -> _Test:
    match filter:
        case And(operands):
            return _joined(_tests(operands, "ne", scope), False)
        case Or(operands):
            return _joined(_tests(operands, "eq", scope), True)
        case Not(operand):
            test = _test(operand, scope)
            return lambda row: not test(row)
        case Boolean(value):
            return lambda row: value
        case Lambda():
            return _lambda(filter, scope)
        case Compare(path, operator, constant):
            return _compare(_getter(path, scope), operator, constant)
        case IsMatch():
            return _match(filter, scope)
        case Flag() | In() | Like() | NotEmpty() | Distance() | Intersects():
            return _leaf(filter, _getter(filter.path, scope))
        case _:
            assert_never(filter)


def _leaf(leaf: Flag | In | Like | NotEmpty | Distance | Intersects, get: _Get) -> _Test:
    match leaf:
        case Flag():
            return lambda row: get(row) is True
        case In():
            return _among(values.text, get, leaf.values, True)
        case Like(_, pattern, ignore_case):
            fits = patterns.matcher(pattern, ignore_case=ignore_case)
            return lambda row: (text := values.text(get(row))) is not None and fits(text)
        case NotEmpty():
            return lambda row: bool(values.elements(get(row)))
        case Distance(_, point, operator, kilometres):
            measure = values.distance_to(point)
            return _ordered(lambda value: _at(value, measure), get, operator, kilometres.value)
        case Intersects(_, polygon):
            inside = values.inside(polygon)
            return lambda row: _at(get(row), inside) is True
        case _:
            assert_never(leaf)


def _at(value: object, ask: Callable[[float, float], _R]) -> _R | None:
    place = values.place(value)
    return None if place is None else ask(*place)


def _getter(path: Path, scope: _Scope) -> _Get:
    if scope.variable is None:
        return values.getter(path)
    if path.names[0] != scope.variable:
        raise BadFilter(f"{str(path)!r} is not bound to the range variable {scope.variable!r}")
    return values.getter(path, skip=1)


def _lambda(node: Lambda, scope: _Scope) -> _Test:
    get = _getter(node.path, scope)
    body = _test(node.body, _Scope(node.variable, scope.matches))
    decide = any if node.quantifier == "any" else all
    return lambda row: decide(map(body, values.elements(get(row))))


def _match(node: IsMatch, scope: _Scope) -> _Test:
    if scope.variable is not None:
        raise BadFilter("full-text search is not allowed within any() or all()")
    if scope.matches is None:
        raise UnsupportedFilter("search.ismatch", side="A filter without a text index")
    matches = scope.matches(node)
    return lambda row: isinstance(row, Mapping) and matches(row)


def _compare(get: _Get, operator: Operator, constant: Constant) -> _Test:
    if isinstance(constant, Null):
        return (lambda row: get(row) is None) if operator == "eq" else (lambda row: get(row) is not None)
    return _ordered(_READERS[type(constant)], get, operator, constant.value)


def _ordered(value_of: _Get, get: _Get, operator: Operator, constant: object) -> _Test:
    holds = _OPERATORS[operator]
    if operator in ("eq", "ne"):
        return lambda row: holds(value_of(get(row)), constant)
    return lambda row: (value := value_of(get(row))) is not None and holds(value, constant)


def _tests(operands: Iterable[Filter], operator: Literal["eq", "ne"], scope: _Scope) -> list[_Test]:
    """The tests for the operands. The texts, numbers and dates that `operator` compares become one look-up in a set for
    each path and type: `x eq a or x eq b …`, and `x ne a and x ne b …`."""
    sets: dict[_Key, list[object]] = {}
    tests: list[_Test] = []
    for operand in operands:
        match operand:
            case Compare(path, test_operator, String() | Integer() | Float() | DateTimeOffset() as constant) if (
                test_operator == operator and constant.value == constant.value
            ):
                sets.setdefault((path, _READERS[type(constant)]), []).append(constant.value)
            case In(path, texts) if operator == "eq":
                sets.setdefault((path, values.text), []).extend(texts)
            case _:
                tests.append(_test(operand, scope))
    look_ups = (_among(of, _getter(path, scope), constants, operator == "eq") for (path, of), constants in sets.items())
    return [*look_ups, *tests]


def _joined(tests: list[_Test], verdict: bool) -> _Test:
    """A test that gives `verdict` if one of the tests gives it."""

    def test(row: object) -> bool:
        for passes in tests:
            if passes(row) is verdict:
                return verdict
        return not verdict

    return test


def _among(value_of: _Get, get: _Get, constants: Iterable[object], verdict: bool) -> _Test:
    among = frozenset(constants)
    return lambda row: (value_of(get(row)) in among) is verdict
