"""Checks that an index allows a filter. The checks cover the types, the filterable fields and the tests within lambdas.

Rules: https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators and
…/search-query-troubleshoot-collection-filters. An error names the field or the construct, but no position in a text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple, assert_never

from retrieval.errors import BadFilter
from retrieval.filters.schema import Field, FieldType, Schema
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
    Or,
    Path,
    Quantifier,
    String,
)

_WHOLE = ("Edm.Int32", "Edm.Int64")
_REAL = ("Edm.Double", "Edm.Single")
_EXPECTED: Mapping[type[Filter], tuple[FieldType, str]] = {
    Flag: ("Edm.Boolean", "as a condition by itself"),
    In: ("Edm.String", "in search.in"),
    Like: ("Edm.String", "in a pattern"),
    Distance: ("Edm.GeographyPoint", "in geo.distance"),
    Intersects: ("Edm.GeographyPoint", "in geo.intersects"),
}
"""The type of field that a test needs, and where."""

_TYPES: dict[type[Constant], FieldType] = {
    String: "Edm.String",
    Boolean: "Edm.Boolean",
    DateTimeOffset: "Edm.DateTimeOffset",
    Integer: "Edm.Int64",
    Float: "Edm.Double",
}


@dataclass(frozen=True, slots=True)
class _Scope:
    """The names that a path may begin with. Outside lambdas they are the fields of the index. Within a lambda the only
    name is the variable."""

    fields: Schema
    variable: str | None = None


def bind(filter: Filter, schema: Schema) -> Filter:
    """The same filter, with integers converted to floats for fields of type Edm.Double and Edm.Single. Raises BadFilter
    if the index does not allow the filter."""
    return _bind(filter, _Scope(schema))


def _bind(filter: Filter, scope: _Scope) -> Filter:
    match filter:
        case And(operands) | Or(operands):
            return type(filter)(tuple([_bind(operand, scope) for operand in operands]))
        case Not(operand):
            return Not(_bind(operand, scope))
        case Lambda():
            return _lambda(filter, scope)
        case Compare():
            return _compare(filter, scope)
        case Flag() | In() | Like() | Distance() | Intersects():
            return _test(filter, scope)
        case NotEmpty(path):
            _field(path, scope, collection=True)
        case IsMatch() if scope.variable is not None:
            reason = "has no parameter bound to the range variable"
            raise BadFilter(f"the function 'ismatch' {reason} {scope.variable!r}; move it out of any() or all()")
        case Boolean() | IsMatch():
            pass
        case _:
            assert_never(filter)
    return filter


def _test(test: Flag | In | Like | Distance | Intersects, scope: _Scope) -> Filter:
    field = _field(test.path, scope)
    type_of_test, where = _EXPECTED[type(test)]
    if field.type != type_of_test:
        raise BadFilter(f"{str(test.path)!r} is of type {field.type}; {where} it must be {type_of_test}")
    return test


def _lambda(node: Lambda, scope: _Scope) -> Filter:
    field = _field(node.path, scope, collection=True)
    element = Field(name=node.variable, type=field.type, filterable=field.filterable, fields=field.fields)
    body = _bind(node.body, _Scope({node.variable: element}, node.variable))
    if field.type != "Edm.ComplexType":
        _check_elements(body, node.quantifier, field.type)
    return Lambda(node.path, node.quantifier, node.variable, body)


def _compare(node: Compare, scope: _Scope) -> Filter:
    field = _field(node.path, scope)
    if field.type == "Edm.ComplexType":
        raise BadFilter(f"{str(node.path)!r} is of type Edm.ComplexType; compare one of its sub-fields")
    is_range = node.operator not in ("eq", "ne")
    if isinstance(node.constant, Null):
        if is_range:
            raise BadFilter(f"null can only be compared by 'eq' and 'ne', not by {node.operator!r}")
        return node
    if field.type == "Edm.GeographyPoint":
        raise BadFilter(f"{str(node.path)!r} is of type Edm.GeographyPoint; use geo.distance or geo.intersects")
    constant = _constant(node, field)
    if is_range and field.type == "Edm.Boolean":
        raise BadFilter(f"true and false can only be compared by 'eq' and 'ne', not by {node.operator!r}")
    if is_range and field.type == "Edm.String" and scope.variable is not None:
        raise BadFilter(f"text can only be compared by 'eq' and 'ne' within any() or all(), not by {node.operator!r}")
    return Compare(node.path, node.operator, constant)


def _constant(node: Compare, field: Field) -> Constant:
    match node.constant:
        case Integer(value) if field.type in _REAL:
            return Float(float(value))
        case Float(value) if field.type in _WHOLE and value - value != 0:
            raise BadFilter(f"{str(node.path)!r} is of type {field.type} and cannot be compared with NaN or INF")
        case Integer() | Float() if field.type in (*_WHOLE, *_REAL):
            return node.constant
    constant_type = _TYPES[type(node.constant)]
    if constant_type == field.type:
        return node.constant
    hint = "; put the constant in quotes" if field.type == "Edm.String" else ""
    if constant_type == "Edm.String":
        hint = "; write the constant without quotes"
    types = f"operand types {field.type!r} and {constant_type!r}"
    raise BadFilter(f"incompatible types: found {types} for {node.operator!r} on {str(node.path)!r}{hint}")


def _field(path: Path, scope: _Scope, *, collection: bool = False) -> Field:
    field = _resolve(path, scope)
    if collection and not field.collection:
        raise BadFilter(f"{str(path)!r} is not a collection, so any() and all() do not apply")
    if field.collection and not collection:
        raise BadFilter(f"{str(path)!r} is a collection; test its elements with {path}/any(x: …) or {path}/all(x: …)")
    return field


def _resolve(path: Path, scope: _Scope) -> Field:
    first, *rest = path.names
    if scope.variable is not None and first != scope.variable:
        reason = "only what is bound to the range variable may be used within any() or all()"
        raise BadFilter(f"{str(path)!r} is not bound to the range variable {scope.variable!r}; {reason}")
    field = _property(first, scope.fields, "the index")
    for name in rest:
        if field.collection:
            raise BadFilter(f"{str(path)!r} goes through the collection {field.name!r}; use any() or all() there")
        field = _property(name, {sub.name: sub for sub in field.fields}, repr(field.name))
    if field.type != "Edm.ComplexType" and not field.filterable:
        raise BadFilter(f"{str(path)!r} is not a filterable field; only filterable fields can be used in filters")
    return field


def _property(name: str, fields: Schema, owner: str) -> Field:
    field = fields.get(name)
    if field is None:
        raise BadFilter(f"could not find a property named {name[:60]!r} on {owner}")
    return field


_ADVICE: dict[tuple[FieldType, Quantifier], str] = {
    ("Edm.String", "any"): "'x eq …' or search.in(x, …)",
    ("Edm.String", "all"): "'x ne …', 'not (x eq …)' or 'not search.in(x, …)'",
    ("Edm.GeographyPoint", "any"): "geo.distance with 'lt' or 'le', or geo.intersects",
    ("Edm.GeographyPoint", "all"): "geo.distance with 'gt' or 'ge', or 'not geo.intersects'",
}
"""The tests that a lambda over texts or points may have: with `any` those that a look-up answers, with `all` their
opposites."""


class _Sense(NamedTuple):
    """What a test asks, and whether this shall hold: `ne` is the opposite of `eq`, and `gt` of `le` for a distance."""

    kind: Literal["equal", "range", "near", "inside"]
    holds: bool


class _Junction(NamedTuple):
    """Two or more parts, joined by AND or by OR. If a part is a _Junction too, it has the other operator."""

    word: Literal["and", "or"]
    parts: tuple["_Sense | _Junction", ...]


def _check_elements(body: Filter, quantifier: Quantifier, type: FieldType) -> None:
    """Raises BadFilter if a lambda over plain values of this type may not have this `body`.

    Azure AI Search answers such filters from inverted indexes. Therefore, for texts and points, `any` allows only tests
    that a look-up answers, and `all` allows only the opposite tests. For other types the body of `any` has ORs outside
    and ANDs inside, and the body of `all` has the reverse. An inner group of `any` may not have `ne`, and an inner
    group of `all` may not have `eq`, because one look-up cannot answer it. Before the check, the negations of the body
    are moved down to the single tests.
    """
    shape, within, is_any = _shape(body, False), f"within {quantifier}() over Collection({type})", quantifier == "any"
    outer, inner, operator = ("or", "and", "ne") if is_any else ("and", "or", "eq")
    parts = shape.parts if isinstance(shape, _Junction) and shape.word == outer else (shape,)
    groups = [part.parts for part in parts if isinstance(part, _Junction)]
    if type == "Edm.Boolean":
        if isinstance(shape, _Junction):
            raise BadFilter("a lambda over Collection(Edm.Boolean) holds one test, without 'and' and 'or'")
    elif (type, quantifier) in _ADVICE:
        if groups:
            raise BadFilter(f"{within}, tests can only be joined by {outer!r}")
        if any(part.holds is not is_any for part in parts if isinstance(part, _Sense)):
            raise BadFilter(f"{within}, a test must have the form {_ADVICE[type, quantifier]}")
    elif any(isinstance(part, _Junction) or part == ("equal", not is_any) for group in groups for part in group):
        form = f"{outer.upper()}s of {inner.upper()}s"
        raise BadFilter(f"{within}, conditions must be {form}, and {operator!r} cannot be joined by {inner!r}")


def _shape(filter: Filter, negated: bool) -> _Sense | _Junction:
    match filter:
        case Not(operand):
            return _shape(operand, not negated)
        case And(operands) | Or(operands):
            word: Literal["and", "or"] = "and" if isinstance(filter, And) is not negated else "or"
            shapes = [_shape(operand, negated) for operand in operands]
            parts = [part.parts if isinstance(part, _Junction) and part.word == word else (part,) for part in shapes]
            return _Junction(word, tuple(chain.from_iterable(parts)))
        case Compare(operator="eq" | "ne" as operator):
            return _Sense("equal", (operator == "eq") is not negated)
        case In() | Flag():
            return _Sense("equal", not negated)
        case Compare():
            return _Sense("range", not negated)
        case Distance(operator=operator):
            return _Sense("near", (operator in ("lt", "le")) is not negated)
        case Intersects():
            return _Sense("inside", not negated)
        case _:
            raise BadFilter("within any() and all() over plain values, each test must be about the range variable")
