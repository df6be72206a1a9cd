"""Writes a filter tree as SearchFilters of Model Studio. Raises UnsupportedFilter with the name of a construct that
SearchFilters cannot express.

Negations are first moved down to the single tests. The written filter may select fewer documents than the tree, but
never more. `not (x gt 5)` selects documents without x, and `lte` does not. `search.ismatch('abc*', 'x')` compares every
word, and `like` compares only the beginning of the value. Model Studio does not document how `neq` treats a missing
value.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn, TypeAlias, TypeGuard, assert_never

from retrieval.errors import UnsupportedFilter
from retrieval.filters import moment
from retrieval.filters.schema import FieldMap, MappedField
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
    all_of,
    any_of,
)

Scalar: TypeAlias = str | int | float
Json: TypeAlias = Scalar | list["Json"] | dict[str, "Json"]
Group: TypeAlias = dict[str, Json]
Names: TypeAlias = Mapping[Path, tuple[str, MappedField]]

_SIDE: Final = "Model Studio"
_DEEPEST: Final = 16
_LONGEST: Final = 80_000
_WORDS: Final[Mapping[Operator, str]] = {"eq": "eq", "ne": "neq", "gt": "gt", "ge": "gte", "lt": "lt", "le": "lte"}
_OPPOSITES: Final[Mapping[Operator, Operator]] = {
    "eq": "ne",
    "ne": "eq",
    "gt": "le",
    "ge": "lt",
    "lt": "ge",
    "le": "gt",
}


def write(filter: Filter, fields: FieldMap) -> list[Group]:
    """The same filter as a list of groups with the names of `fields`. If a field has several names, the first one is
    used. The list is empty if the filter selects every document. Raises UnsupportedFilter for a construct that
    SearchFilters cannot express, more than 16 levels, more than 80,000 bytes, or a filter that selects no document.
    """
    tree = positive(filter)
    if isinstance(tree, Boolean):
        return [] if tree.value else _refuse("a filter that excludes everything")
    names = {field.path: (name, field) for name, field in reversed(list(fields.items()))}
    groups = [_group(part, names, 1) for part in (tree.operands if isinstance(tree, And) else (tree,))]
    if len(json.dumps(groups, ensure_ascii=False).encode("utf-8", "replace")) > _LONGEST:
        _refuse(f"a filter of more than {_LONGEST} bytes")
    return groups


def positive(filter: Filter, negated: bool = False) -> Filter:
    """The same filter, or its opposite if `negated` is true. In the result, `not` occurs only before any(), and no
    operand of And or Or is true or false."""
    match filter:
        case Not(operand):
            return positive(operand, not negated)
        case And(operands) | Or(operands):
            return _join([positive(operand, negated) for operand in operands], isinstance(filter, And) is not negated)
        case Boolean(truth):
            return Boolean(truth is not negated)
        case Lambda():
            return _elements(filter, negated)
        case Flag(path):
            return Compare(path, "eq", Boolean(not negated))
        case Compare(path, operator, constant):
            return Compare(path, _OPPOSITES[operator], constant) if negated else filter
        case In(path, texts):
            if negated:
                return _join([Compare(path, "ne", String(text)) for text in texts], True)
            return filter if texts else Boolean(False)
        case Like() | IsMatch() | Distance() | Intersects() | NotEmpty():
            return _refuse(f"not {_CONSTRUCTS[type(filter)]}") if negated else filter
        case _:
            assert_never(filter)


def _join(parts: Sequence[Filter], by_and: bool) -> Filter:
    conditions = [part for part in parts if part != Boolean(by_and)]
    if Boolean(not by_and) in conditions:
        return Boolean(not by_and)
    whole = all_of(conditions) if by_and else any_of(conditions)
    return Boolean(by_and) if whole is None else whole


def _elements(node: Lambda, negated: bool) -> Filter:
    """The filter for a lambda. `any(t: t eq 'a' or …)` stays an any(). `all(t: t ne 'a' and …)` becomes a `not any(…)`
    for each value."""
    body = positive(node.body, negated)
    if (node.quantifier == "any") is not negated:
        return Lambda(node.path, "any", node.variable, body)
    return _join([Not(Lambda(node.path, "any", node.variable, _equal(part))) for part in _parts(body, And)], True)


def _equal(test: Filter) -> Filter:
    if isinstance(test, Compare) and test.operator == "ne":
        return Compare(test.path, "eq", test.constant)
    return _refuse("all() of anything but 'ne'")


def _parts(filter: Filter, kind: type[And] | type[Or]) -> tuple[Filter, ...]:
    return filter.operands if isinstance(filter, kind) else (filter,)


def _group(filter: Filter, names: Names, depth: int) -> Group:
    if depth > _DEEPEST:
        _refuse(f"a filter that nests deeper than {_DEEPEST}")
    if isinstance(filter, Or) and (values := _list(filter, names)) is not None:
        return values
    if isinstance(filter, And | Or):
        word = "AND" if isinstance(filter, And) else "OR"
        conditions: list[Json] = [_group(operand, names, depth + 1) for operand in filter.operands]
        return {"_operator": word, "_conditions": conditions, "_conditions_operator": word}
    return _member(filter, names)


def _list(filter: Or, names: Names) -> Group | None:
    """A group with a list for `x eq 1 or x eq 2`; None if the operands have another form."""
    paths = {operand.path for operand in filter.operands if isinstance(operand, In) or _is_equality(operand)}
    if len(paths) != 1 or not all(isinstance(operand, In) or _is_equality(operand) for operand in filter.operands):
        return None
    path = paths.pop()
    name, field = _field(path, names)
    return {name: [_value(constant, field) for constant in _values(filter, path)]}


def _is_equality(test: Filter) -> TypeGuard[Compare]:
    return isinstance(test, Compare) and test.operator == "eq"


def _values(filter: Filter, path: Path) -> list[Constant]:
    """The constants that `path` is compared with. Raises UnsupportedFilter for any other test."""
    constants: list[Constant] = []
    for test in _parts(filter, Or):
        if isinstance(test, In) and test.path == path:
            constants += map(String, test.values)
        elif _is_equality(test) and test.path == path:
            constants.append(test.constant)
        else:
            _refuse("any() of anything but 'eq' and search.in")
    return constants


def _member(filter: Filter, names: Names) -> Group:
    match filter:
        case Compare():
            return _compare(filter, names)
        case In(path, texts):
            name, field = _field(path, names)
            return {name: [_value(String(text), field) for text in texts]}
        case IsMatch():
            return _search(filter, names)
        case NotEmpty(path):
            return _anything(*_field(path, names, collection=True))
        case Lambda(path, _, variable, body):
            name, field = _field(path, names, collection=True)
            return {name: [_value(constant, field) for constant in _values(body, Path((variable,)))]}
        case Not(Lambda(path, _, variable, body)):
            name, field = _field(path, names, collection=True)
            return {name: {"neq": _value(_values(body, Path((variable,)))[0], field)}}
        case _:
            return _refuse(_CONSTRUCTS.get(type(filter), "this filter"))


def _compare(test: Compare, names: Names) -> Group:
    name, field = _field(test.path, names)
    if test.operator == "ne" and isinstance(test.constant, Null):
        return _anything(name, field)
    is_range = test.operator not in ("eq", "ne")
    if is_range and field.type in ("Edm.String", "Edm.Boolean"):
        _refuse(f"a range of {field.type}")
    scalar = _value(test.constant, field)
    if is_range and isinstance(scalar, str):
        _refuse(f"a range of times of {name!r}, which does not hold them as numbers")
    if test.operator == "eq" and not (isinstance(scalar, str) and scalar.lstrip()[:1] in ("[", "{", '"')):
        return {name: scalar}
    return {name: {_WORDS[test.operator]: scalar}}


def _anything(name: str, field: MappedField) -> Group:
    """A group that tests whether a text exists, with the pattern `%`. Raises UnsupportedFilter for other types."""
    return {name: {"like": "%"}} if field.type == "Edm.String" else _refuse("a comparison with null")


def _search(match: IsMatch, names: Names) -> Group:
    """A group for a full-text search of one field for the beginning of a word, such as `abc*`. The pattern compares
    `abc` with the beginning of the whole value."""
    if len(match.fields) != 1 or match.scoring:
        _refuse("search.ismatch over several fields, over all, or for its score")
    name, _ = _field(Path(tuple(match.fields[0].split("/"))), names)
    word = match.search.removesuffix("*")
    if match.query_type != "simple" or word == match.search or not word.isalnum():
        _refuse("search.ismatch for more than the beginning of a word")
    return {name: {"like": f"{word}%"}}


def _field(path: Path, names: Names, *, collection: bool = False) -> tuple[str, MappedField]:
    entry = names.get(path)
    if entry is None:
        return _refuse(f"a test of {str(path)!r}, which has no name in its field map")
    if entry[1].collection is not collection:
        _refuse(f"this test of {str(path)!r}, which is {'no' if collection else 'a'} collection")
    return entry


def _refuse(construct: str) -> NoReturn:
    raise UnsupportedFilter(construct, side=_SIDE)


def _value(constant: Constant, field: MappedField) -> Scalar:
    """The value for a constant in SearchFilters. Raises UnsupportedFilter if the field cannot be compared with the
    constant."""
    match constant:
        case String(text) if field.type == "Edm.String":
            return text
        case Integer() | Float() if field.type in ("Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Single"):
            return _plain(constant.value, field)
        case Boolean(truth) if field.type == "Edm.Boolean":
            return "true" if truth else "false"
        case DateTimeOffset(ticks) if field.type == "Edm.DateTimeOffset":
            return _since_epoch(ticks, field) if field.epoch else moment.text(ticks)
        case Null():
            raise UnsupportedFilter("a comparison with null", side=_SIDE)
        case _:
            raise UnsupportedFilter(f"a comparison of {field.type} with {type(constant).__name__}", side=_SIDE)


def _plain(number: int | float, field: MappedField) -> int | float:
    if not math.isfinite(number):
        raise UnsupportedFilter("NaN and INF", side=_SIDE)
    if isinstance(number, float) and number.is_integer() and field.type in ("Edm.Int32", "Edm.Int64"):
        return int(number)
    return number


def _since_epoch(ticks: int, field: MappedField) -> int:
    unit = moment.TICKS[field.epoch or "s"]
    since, remainder = divmod(ticks - moment.EPOCH, unit)
    if remainder:
        raise UnsupportedFilter(f"a time finer than its field, {field.path}", side=_SIDE)
    return since


_CONSTRUCTS: Final[Mapping[type[Filter], str]] = {
    Like: "a pattern",
    IsMatch: "search.ismatch",
    Distance: "geo.distance",
    Intersects: "geo.intersects",
    NotEmpty: "any() without a condition",
}
