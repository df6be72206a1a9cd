"""The filter tree.

The tree can express every `$filter` of Azure AI Search and the patterns of SearchFilters:
https://learn.microsoft.com/azure/search/search-query-odata-filter

If a path begins with the variable of the nearest enclosing Lambda, it refers to the element of that Lambda. Trees
compare by value, and do not store positions in a text. Comparing, hashing and printing a tree never recurse.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    """A number. Two NaN are equal here, so that two filters with the same NaN are equal."""

    value: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Float):
            return NotImplemented
        return self.value == other.value or (math.isnan(self.value) and math.isnan(other.value))

    def __hash__(self) -> int:
        return hash((Float, "NaN" if math.isnan(self.value) else self.value))


@dataclass(frozen=True, slots=True)
class Boolean:
    """A constant in a comparison. If a Boolean stands alone as a filter, true selects every document and false selects
    none."""

    value: bool


@dataclass(frozen=True, slots=True)
class Null:
    pass


@dataclass(frozen=True, slots=True)
class DateTimeOffset:
    """A point in time, as ticks of 100 ns since 0001-01-01T00:00:00Z. The zone is not stored. `moment` converts texts
    and datetimes."""

    value: int


@dataclass(frozen=True, slots=True)
class Point:
    """A point in degrees: longitude -180 to 180, latitude -90 to 90."""

    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed ring of four points or more. The last point equals the first."""

    points: tuple[Point, ...]


Constant: TypeAlias = String | Integer | Float | Boolean | Null | DateTimeOffset


@dataclass(frozen=True, slots=True)
class Path:
    """A field, a sub-field (`Address/City`), a range variable (`t`) or its sub-field (`room/Rate`)."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "/".join(self.names)


class KeepsText:
    """A filter that can cache its text, which may be long. The cached text stays valid, because a filter never
    changes."""

    __slots__ = ("_text",)
    _text: str

    @property
    def text(self) -> str | None:
        """The cached `$filter` text; None if no text is cached."""
        return getattr(self, "_text", None)

    def keep(self, text: str) -> str:
        """Cache the text, and return it."""
        object.__setattr__(self, "_text", text)
        return text


@dataclass(frozen=True, slots=True)
class Compare:
    """A field compared with a constant. A missing field counts as null. For null, a range operator is false, and `ne`
    is true for every constant except null."""

    path: Path
    operator: Operator
    constant: Constant


@dataclass(frozen=True, slots=True)
class Flag:
    """A test that a Boolean field is true."""

    path: Path


@dataclass(frozen=True, slots=True)
class In(KeepsText):
    """A test that a text equals one of `values`. The test is case-sensitive. No value is empty, because the lists of
    `search.in` cannot contain an empty value."""

    path: Path
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if "" in self.values:
            raise ValueError("In cannot hold an empty value; compare with eq instead")


@dataclass(frozen=True, slots=True)
class Like:
    """A test that a whole text fits an SQL pattern. `%` stands for any number of characters, and `_` for one character.
    There is no escape character.

    A missing value fits no pattern. `$filter` has no such test; `push` replaces the test with one that an index can
    answer, or leaves it out.
    """

    path: Path
    pattern: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IsMatch:
    """A full-text search as a test. If `fields` is empty, all searchable fields are searched. With `scoring`, the
    search adds to the score of a document."""

    search: str
    fields: tuple[str, ...] = ()
    query_type: QueryType = "simple"
    mode: SearchMode = "any"
    scoring: bool = False


@dataclass(frozen=True, slots=True)
class Distance:
    """Compares the distance between a field and a point with `kilometres`."""

    path: Path
    point: Point
    operator: RangeOperator
    kilometres: Float


@dataclass(frozen=True, slots=True)
class Intersects(KeepsText):
    """A test that the point in a field lies within a polygon."""

    path: Path
    polygon: Polygon


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """A test that a collection has an element: `any()`."""

    path: Path


class Nested(KeepsText):
    """A node that contains other filters. Equality, hash and repr use the list that `_flat` returns, so they do not
    recurse."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nested):
            return NotImplemented
        return self is other or _flat(self) == _flat(other)

    def __hash__(self) -> int:
        return hash(tuple(_flat(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{_flat(self)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Not(Nested):
    operand: "Filter"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Joined(Nested):
    """Two operands or more. No operand is of the same class."""

    operands: tuple["Filter", ...]

    def __post_init__(self) -> None:
        if len(self.operands) < 2 or any(isinstance(operand, type(self)) for operand in self.operands):
            name = type(self).__name__
            raise ValueError(f"{name} takes two operands or more, and no {name} among them")


class And(Joined):
    """Operands joined by AND. `all_of` builds an And from any filters."""

    __slots__ = ()


class Or(Joined):
    """Operands joined by OR. `any_of` builds an Or from any filters."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lambda(Nested):
    """A test that `body` is true for any element, or for all elements, of a collection. In `body`, `variable` is the
    name of the element."""

    path: Path
    quantifier: Quantifier
    variable: str
    body: "Filter"


Filter: TypeAlias = (
    Compare | Flag | Boolean | In | Like | IsMatch | Distance | Intersects | NotEmpty | Not | And | Or | Lambda
)


def all_of(filters: Iterable[Filter]) -> Filter | None:
    """`filters` joined by AND; None if there are no filters."""
    operands = tuple(part for filter in filters for part in (filter.operands if isinstance(filter, And) else (filter,)))
    return And(operands) if len(operands) > 1 else next(iter(operands), None)


def any_of(filters: Iterable[Filter]) -> Filter | None:
    """`filters` joined by OR; None if there are no filters."""
    operands = tuple(part for filter in filters for part in (filter.operands if isinstance(filter, Or) else (filter,)))
    return Or(operands) if len(operands) > 1 else next(iter(operands), None)


def walk(filter: Filter) -> Iterator[Filter]:
    """All nodes of a filter, from left to right. A parent comes before its children."""
    waiting = [filter]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(_children(node)))


def _children(node: object) -> tuple[Filter, ...]:
    match node:
        case And(operands) | Or(operands):
            return operands
        case Not(child) | Lambda(body=child):
            return (child,)
        case _:
            return ()


def _flat(root: Nested) -> list[object]:
    """All nodes of a filter. A parent comes before its children. A Nested node is replaced by a tuple without them."""
    return [_head(root), *(_head(node) for child in _children(root) for node in walk(child))]


def _head(node: object) -> object:
    match node:
        case Lambda(path, quantifier, variable):
            return Lambda, path, quantifier, variable
        case Nested():
            return type(node), len(_children(node))
        case _:
            return node
