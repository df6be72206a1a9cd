"""Turns a filter into a function that tests documents. The function is built once and used for many documents.

A document is a dict of JSON values: dicts, lists, strings, numbers, booleans and None. Dates are ISO strings or
datetimes. Points are GeoJSON. A numeric test reads the strings "NaN", "INF" and "-INF" as numbers. A value of the wrong
type counts as missing, except in a comparison with null. A test is either true or false. A test of a missing value is
false, except `eq null`, `ne` with any other constant, and `all`. `not` inverts the result.
https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, assert_never

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
    RangeOperator,
    String,
)

Document: TypeAlias = Mapping[str, object]
Predicate: TypeAlias = Callable[[Document], bool]
Matches: TypeAlias = Callable[[IsMatch], Predicate]

_Test: TypeAlias = Callable[[object], bool]
_Get: TypeAlias = Callable[[object], object]
_Key: TypeAlias = tuple[Path, _Get]
_T = TypeVar("_T", str, float)
_R = TypeVar("_R")


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
            return _every(_tests(operands, "ne", scope))
        case Or(operands):
            return _some(_tests(operands, "eq", scope))
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
            return _member(values.text, get, leaf.values)
        case Like(_, pattern, ignore_case):
            fits = patterns.matcher(pattern, ignore_case=ignore_case)
            return lambda row: (text := values.text(get(row))) is not None and fits(text)
        case NotEmpty():
            return lambda row: bool(values.elements(get(row)))
        case Distance(_, point, operator, kilometres):
            measure = values.distance_to(point)
            return _range(lambda value: _at(value, measure), get, operator, kilometres.value)
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
    verdict = node.quantifier == "any"

    def test(row: object) -> bool:
        for element in values.elements(get(row)):
            if body(element) is verdict:
                return verdict
        return not verdict

    return test


def _match(node: IsMatch, scope: _Scope) -> _Test:
    if scope.variable is not None:
        raise BadFilter("full-text search is not allowed within any() or all()")
    if scope.matches is None:
        raise UnsupportedFilter("search.ismatch", side="A filter without a text index")
    matches = scope.matches(node)
    return lambda row: isinstance(row, Mapping) and matches(row)


def _compare(get: _Get, operator: Operator, constant: Constant) -> _Test:
    match constant:
        case Null():
            return (lambda row: get(row) is None) if operator == "eq" else (lambda row: get(row) is not None)
        case String(value):
            return _ordered(values.text, get, operator, value)
        case Boolean(value):
            return _ordered(values.truth, get, operator, value)
        case DateTimeOffset(ticks):
            return _ordered(values.ticks, get, operator, ticks)
        case Integer(value) | Float(value):
            return _ordered(values.number, get, operator, value)
        case _:
            assert_never(constant)


def _ordered(value_of: Callable[[object], _T | None], get: _Get, operator: Operator, constant: _T) -> _Test:
    if operator == "eq":
        return lambda row: value_of(get(row)) == constant
    if operator == "ne":
        return lambda row: value_of(get(row)) != constant
    return _range(value_of, get, operator, constant)


def _range(value_of: Callable[[object], _T | None], get: _Get, operator: RangeOperator, constant: _T) -> _Test:
    match operator:
        case "gt":
            return lambda row: (value := value_of(get(row))) is not None and value > constant
        case "ge":
            return lambda row: (value := value_of(get(row))) is not None and value >= constant
        case "lt":
            return lambda row: (value := value_of(get(row))) is not None and value < constant
        case "le":
            return lambda row: (value := value_of(get(row))) is not None and value <= constant


def _tests(operands: Iterable[Filter], operator: Literal["eq", "ne"], scope: _Scope) -> list[_Test]:
    """The tests for the operands. `x eq a or x eq b …` becomes one look-up in a set, and so does `x ne a and x ne b
    …`."""
    sets, lone_operands = _fold(operands, operator)
    look_up = _member if operator == "eq" else _stranger
    tests = [look_up(value_of, _getter(path, scope), constants) for (path, value_of), constants in sets.items()]
    for operand in lone_operands:
        tests.append(_test(operand, scope))  # noqa: PERF401 - a comprehension adds a frame for each level
    return tests


def _every(tests: list[_Test]) -> _Test:
    def test(row: object) -> bool:
        for passes in tests:  # noqa: SIM110 - a generator adds a frame for each level
            if not passes(row):
                return False
        return True

    return test


def _some(tests: list[_Test]) -> _Test:
    def test(row: object) -> bool:
        for passes in tests:  # noqa: SIM110 - a generator adds a frame for each level
            if passes(row):
                return True
        return False

    return test


def _member(value_of: _Get, get: _Get, constants: Iterable[object]) -> _Test:
    among = frozenset(constants)
    return lambda row: value_of(get(row)) in among


def _stranger(value_of: _Get, get: _Get, constants: Iterable[object]) -> _Test:
    among = frozenset(constants)
    return lambda row: value_of(get(row)) not in among


def _fold(operands: Iterable[Filter], operator: Operator) -> tuple[dict[_Key, list[object]], list[Filter]]:
    """Groups the texts, numbers and dates that `operator` compares, by path and type. The second result is the list of
    the remaining operands."""
    sets: dict[_Key, list[object]] = {}
    lone_operands: list[Filter] = []
    for operand in operands:
        match operand:
            case Compare(path, test_operator, String(value)) if test_operator == operator:
                sets.setdefault((path, values.text), []).append(value)
            case Compare(path, test_operator, Integer(value) | Float(value)) if (
                test_operator == operator and value == value
            ):
                sets.setdefault((path, values.number), []).append(value)
            case Compare(path, test_operator, DateTimeOffset(ticks)) if test_operator == operator:
                sets.setdefault((path, values.ticks), []).append(ticks)
            case In(path, texts) if operator == "eq":
                sets.setdefault((path, values.text), []).extend(texts)
            case _:
                lone_operands.append(operand)
    return sets, lone_operands
