"""Checks that an index allows a filter. The checks cover the types, the filterable fields and the tests within lambdas.

Rules: https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators and
…/search-query-troubleshoot-collection-filters. An error names the field or the construct, but no position in a text.
"""

from dataclasses import dataclass
from typing import NoReturn, assert_never

from retrieval.errors import BadFilter
from retrieval.filters import lambdas
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
    String,
)

_WHOLE = ("Edm.Int32", "Edm.Int64")
_REAL = ("Edm.Double", "Edm.Single")


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
        case And(operands):
            return And(tuple([_bind(operand, scope) for operand in operands]))
        case Or(operands):
            return Or(tuple([_bind(operand, scope) for operand in operands]))
        case Not(operand):
            return Not(_bind(operand, scope))
        case Lambda():
            return _lambda(filter, scope)
        case Compare():
            return _compare(filter, scope)
        case Boolean():
            return filter
        case Flag() | In() | Like() | IsMatch() | Distance() | Intersects() | NotEmpty():
            _test(filter, scope)
            return filter
        case _:
            assert_never(filter)


def _test(test: Flag | In | Like | IsMatch | Distance | Intersects | NotEmpty, scope: _Scope) -> None:
    match test:
        case Flag(path):
            _expect(path, "Edm.Boolean", scope, "as a condition by itself")
        case In(path):
            _expect(path, "Edm.String", scope, "in search.in")
        case Like(path):
            _expect(path, "Edm.String", scope, "in a pattern")
        case Distance(path):
            _expect(path, "Edm.GeographyPoint", scope, "in geo.distance")
        case Intersects(path):
            _expect(path, "Edm.GeographyPoint", scope, "in geo.intersects")
        case NotEmpty(path):
            _collection(path, scope)
        case IsMatch():
            if scope.variable is not None:
                reason = "has no parameter bound to the range variable"
                raise BadFilter(f"the function 'ismatch' {reason} {scope.variable!r}; move it out of any() or all()")
        case _:
            assert_never(test)


def _lambda(node: Lambda, scope: _Scope) -> Filter:
    field = _collection(node.path, scope)
    element = Field(name=node.variable, type=field.type, filterable=field.filterable, fields=field.fields)
    body = _bind(node.body, _Scope({node.variable: element}, node.variable))
    if field.type != "Edm.ComplexType":
        lambdas.check(body, node.quantifier, field.type)
    return Lambda(node.path, node.quantifier, node.variable, body)


def _compare(node: Compare, scope: _Scope) -> Filter:
    field = _single(node.path, scope)
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
            return Float(_float(value))
        case Float(value) if field.type in _WHOLE:
            if value - value != 0:
                raise BadFilter(f"{str(node.path)!r} is of type {field.type} and cannot be compared with NaN or INF")
            return node.constant
        case Integer() if field.type in _WHOLE:
            return node.constant
        case Float() if field.type in _REAL:
            return node.constant
        case _ if _TYPES.get(type(node.constant)) == field.type:
            return node.constant
        case _:
            _mismatch(node, field)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadFilter("the number is too large for Edm.Double") from None


_TYPES: dict[type[Constant], FieldType] = {
    String: "Edm.String",
    Boolean: "Edm.Boolean",
    DateTimeOffset: "Edm.DateTimeOffset",
    Integer: "Edm.Int64",
    Float: "Edm.Double",
}


def _mismatch(node: Compare, field: Field) -> NoReturn:
    constant_type = _TYPES[type(node.constant)]
    hint = ""
    if isinstance(node.constant, String):
        hint = "; write the constant without quotes"
    elif field.type == "Edm.String":
        hint = "; put the constant in quotes"
    types = f"operand types {field.type!r} and {constant_type!r}"
    raise BadFilter(f"incompatible types: found {types} for {node.operator!r} on {str(node.path)!r}{hint}")


def _expect(path: Path, type: FieldType, scope: _Scope, where: str) -> None:
    field = _single(path, scope)
    if field.type != type:
        raise BadFilter(f"{str(path)!r} is of type {field.type}; {where} it must be {type}")


def _single(path: Path, scope: _Scope) -> Field:
    field = _resolve(path, scope)
    if field.collection:
        raise BadFilter(f"{str(path)!r} is a collection; test its elements with {path}/any(x: …) or {path}/all(x: …)")
    return field


def _collection(path: Path, scope: _Scope) -> Field:
    field = _resolve(path, scope)
    if not field.collection:
        raise BadFilter(f"{str(path)!r} is not a collection, so any() and all() do not apply")
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
