"""The one filter tree. Grammars read into it and write it; `bind` checks it; `evaluate` runs it.

It expresses every `$filter` of Azure AI Search, independent of the syntax, and the patterns of SearchFilters:
https://learn.microsoft.com/azure/search/search-query-odata-filter

A path whose first name is the variable of the nearest enclosing Lambda means that lambda's element. Trees are
equal by value, and no position in a text is part of them. Comparing, hashing and printing never recurse, however deep
a tree is.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

RangeOperator: TypeAlias = Literal["gt", "ge", "lt", "le"]
Operator: TypeAlias = Literal["eq", "ne"] | RangeOperator
Quantifier: TypeAlias = Literal["any", "all"]
QueryType: TypeAlias = Literal["simple", "full"]
SearchMode: TypeAlias = Literal["any", "all"]


@dataclass(frozen=True, slots=True)
class String:
    value: str


@dataclass(frozen=True, slots=True)
class Integer:
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Float:
    """A number, equal by value. NaN equals NaN here, so that equal filters are equal."""

    value: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Float):
            return NotImplemented
        return self.value == other.value or (math.isnan(self.value) and math.isnan(other.value))

    def __hash__(self) -> int:
        return hash((Float, "NaN" if math.isnan(self.value) else self.value))


@dataclass(frozen=True, slots=True)
class Boolean:
    """A constant in a comparison. A Boolean by itself is the filter that every document passes, or that no document
    passes."""

    value: bool


@dataclass(frozen=True, slots=True)
class Null:
    pass


@dataclass(frozen=True, slots=True)
class DateTimeOffset:
    """A point in time: ticks of 100 ns since 0001-01-01T00:00:00Z (`moment` converts). Its zone is not kept."""

    ticks: int


@dataclass(frozen=True, slots=True)
class Point:
    """A point in degrees: longitude -180 to 180, latitude -90 to 90."""

    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed ring: four points or more, the first repeated as the last."""

    points: tuple[Point, ...]


Constant: TypeAlias = String | Integer | Float | Boolean | Null | DateTimeOffset


@dataclass(frozen=True, slots=True)
class Path:
    """A field, a sub-field (`Address/City`), a range variable (`t`) or its sub-field (`room/Rate`)."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names:
            raise ValueError("a path needs a name")

    def __str__(self) -> str:
        return "/".join(self.names)


class KeepsText:
    """A filter whose text may be long. It keeps its text once the text is written, since a filter never changes."""

    __slots__ = ("_text",)
    _text: str

    @property
    def text(self) -> str | None:
        """The text in the dialect of Azure AI Search; None until it is written."""
        return getattr(self, "_text", None)

    def keep(self, text: str) -> str:
        """Keep the text, and give it back."""
        object.__setattr__(self, "_text", text)
        return text


@dataclass(frozen=True, slots=True)
class Compare:
    """A field compared with a constant. A missing field is null: never in a range, and `ne` to anything but null."""

    path: Path
    operator: Operator
    constant: Constant


@dataclass(frozen=True, slots=True)
class Flag:
    """A Boolean field that is a test by itself."""

    path: Path


@dataclass(frozen=True, slots=True)
class In(KeepsText):
    """The text equals one of `values`, case-sensitive. No value is empty: the service's lists cannot hold that."""

    path: Path
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if "" in self.values:
            raise ValueError("In cannot hold an empty value; compare with eq instead")


@dataclass(frozen=True, slots=True)
class Like:
    """The whole text fits an SQL pattern: `%` means any characters or none, `_` one character; there is no escape.

    A missing value fits no pattern. Azure's dialect lacks this test: `push` gives what an index can answer instead.
    """

    path: Path
    pattern: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IsMatch:
    """A full-text search as a test. No `fields` means every searchable one; `scoring` adds to the document's score."""

    search: str
    fields: tuple[str, ...] = ()
    query_type: QueryType = "simple"
    mode: SearchMode = "any"
    scoring: bool = False

    def __post_init__(self) -> None:
        if any(not name or "," in name or name != name.strip(" ") for name in self.fields):
            raise ValueError("a name in IsMatch.fields is empty, padded or holds a comma")


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance in kilometres between a field and a point, within a bound."""

    path: Path
    point: Point
    operator: RangeOperator
    kilometres: Float


@dataclass(frozen=True, slots=True)
class Intersects(KeepsText):
    """The point in a field lies within a polygon."""

    path: Path
    polygon: Polygon


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """A collection has an element: `any()`."""

    path: Path


class Nested(KeepsText):
    """A node that holds other filters. Equality, hash and repr work on the list that `_flat` returns."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nested):
            return NotImplemented
        return self is other or _flat(self) == _flat(other)

    def __hash__(self) -> int:
        return hash(tuple(_flat(self)))

    def __repr__(self) -> str:
        texts: list[str] = []
        for item in reversed(_flat(self)):
            if isinstance(item, _Branch):
                inner = [texts.pop() for _ in range(item.width)]
                texts.append(f"{item.kind.__name__}({', '.join([*map(repr, item.values), *inner])})")
            else:
                texts.append(repr(item))
        return texts[0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Not(Nested):
    operand: "Filter"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class And(Nested):
    """Two operands or more, none of them an And: `all_of` builds one from anything."""

    operands: tuple["Filter", ...]

    def __post_init__(self) -> None:
        if len(self.operands) < 2 or any(isinstance(operand, And) for operand in self.operands):
            raise ValueError("And takes two operands or more, and no And among them")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Or(Nested):
    """Two operands or more, none of them an Or: `any_of` builds one from anything."""

    operands: tuple["Filter", ...]

    def __post_init__(self) -> None:
        if len(self.operands) < 2 or any(isinstance(operand, Or) for operand in self.operands):
            raise ValueError("Or takes two operands or more, and no Or among them")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lambda(Nested):
    """`body` holds for any, or for all, of the elements in a collection; `variable` names the element within it."""

    path: Path
    quantifier: Quantifier
    variable: str
    body: "Filter"


Filter: TypeAlias = (
    Compare | Flag | Boolean | In | Like | IsMatch | Distance | Intersects | NotEmpty | Not | And | Or | Lambda
)


def all_of(filters: Iterable[Filter]) -> Filter | None:
    """The filter that passes what all of `filters` pass; None when there are none."""
    operands = tuple(part for filter in filters for part in (filter.operands if isinstance(filter, And) else (filter,)))
    return And(operands) if len(operands) > 1 else next(iter(operands), None)


def any_of(filters: Iterable[Filter]) -> Filter | None:
    """The filter that passes what at least one of `filters` passes; None when there are none."""
    operands = tuple(part for filter in filters for part in (filter.operands if isinstance(filter, Or) else (filter,)))
    return Or(operands) if len(operands) > 1 else next(iter(operands), None)


def walk(filter: Filter) -> Iterator[Filter]:
    """Every node, a parent before its children, from left to right."""
    waiting = [filter]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(_children(node)))


class _Branch(NamedTuple):
    """A nested node without its children: its class, its own values, and the number of its children."""

    kind: type[Nested]
    values: tuple[object, ...]
    width: int


def _children(node: object) -> tuple[Filter, ...]:
    match node:
        case And(operands) | Or(operands):
            return operands
        case Not(child) | Lambda(body=child):
            return (child,)
        case _:
            return ()


def _flat(root: Nested) -> list[object]:
    """Every node, a parent before its children: a nested one as its branch, any other as it is."""
    flat: list[object] = []
    waiting: list[object] = [root]
    while waiting:
        node = waiting.pop()
        inner = _children(node)
        values = (node.path, node.quantifier, node.variable) if isinstance(node, Lambda) else ()
        flat.append(_Branch(type(node), values, len(inner)) if isinstance(node, Nested) else node)
        waiting.extend(reversed(inner))
    return flat
