"""An evaluator that shares nothing with ours but the tree: no closures, no folding, one rule a line."""

import math
import operator
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import assert_never

from retrieval.filters.tree import (
    And,
    Boolean,
    Compare,
    DateTimeOffset,
    Distance,
    Filter,
    Flag,
    In,
    Intersects,
    IsMatch,
    Lambda,
    Like,
    Not,
    NotEmpty,
    Null,
    Or,
    Path,
    Point,
    Polygon,
)

Names = Mapping[str, object]


def holds(filter: Filter, names: Names) -> bool:
    """`names` are the fields of the document, and within a lambda its variable too."""
    match filter:
        case And(operands):
            return all(holds(one, names) for one in operands)
        case Or(operands):
            return any(holds(one, names) for one in operands)
        case Not(operand):
            return not holds(operand, names)
        case Lambda(path, quantifier, variable, body):
            each = [holds(body, {**names, variable: element}) for element in _list(path, names)]
            return any(each) if quantifier == "any" else all(each)
        case _:
            return _leaf(filter, names)


Leaf = Boolean | Flag | In | Like | NotEmpty | Compare | Distance | Intersects | IsMatch


def _leaf(leaf: Leaf, names: Names) -> bool:
    match leaf:
        case Boolean(value):
            return value
        case Flag(path):
            return _at(path, names) is True
        case In(path, values):
            return any(_at(path, names) == value for value in values)
        case Like(path, pattern, ignore_case):
            text = _at(path, names)
            return isinstance(text, str) and _fits(pattern, text.lower() if ignore_case else text, ignore_case)
        case NotEmpty(path):
            return len(_list(path, names)) > 0
        case Compare():
            return _compare(leaf, names)
        case Distance() | Intersects():
            return _geography(leaf, names)
        case IsMatch():
            raise NotImplementedError
        case _:
            assert_never(leaf)


def _fits(pattern: str, text: str, ignore_case: bool) -> bool:
    """One row of a table a character of the pattern: which beginnings of the text it covers so far."""
    covered = {0}
    for character in pattern.lower() if ignore_case else pattern:
        if character == "%":
            covered = set(range(min(covered, default=len(text) + 1), len(text) + 1))
        else:
            covered = {end + 1 for end in covered if end < len(text) and character in ("_", text[end])}
    return len(text) in covered


def _compare(test: Compare, names: Names) -> bool:
    value = _at(test.path, names)
    if isinstance(test.constant, Null):
        return (value is None) == (test.operator == "eq")
    if value is None:
        return test.operator == "ne"
    if isinstance(test.constant, DateTimeOffset):
        constant: object = datetime(1, 1, 1, tzinfo=UTC) + timedelta(microseconds=test.constant.value // 10)
        value = datetime.fromisoformat(str(value))
    else:
        constant = test.constant.value
        if isinstance(constant, int | float) and isinstance(value, str):
            value = float(value)
    return bool(getattr(operator, test.operator)(value, constant))


def _geography(test: Distance | Intersects, names: Names) -> bool:
    value = _at(test.path, names)
    if not isinstance(value, dict):
        return False
    place = Point(*value["coordinates"])
    if isinstance(test, Intersects):
        return _turns(place, test.polygon)
    kilometres = 6371.0087714 * _angle(place, test.point)
    return bool(getattr(operator, test.operator)(kilometres, test.kilometres.value))


def _angle(one: Point, other: Point) -> float:
    """The angle between two unit vectors."""
    a, b = _vector(one), _vector(other)
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(a, b, strict=True)))


def _vector(point: Point) -> tuple[float, float, float]:
    longitude, latitude = math.radians(point.longitude), math.radians(point.latitude)
    around = math.cos(latitude)
    return around * math.cos(longitude), around * math.sin(longitude), math.sin(latitude)


def _turns(place: Point, polygon: Polygon) -> bool:
    """Whether the ring winds round the place: the sum of the angles under which its edges are seen."""
    seen = 0.0
    for start, end in zip(polygon.points, polygon.points[1:], strict=False):
        ax, ay = start.longitude - place.longitude, start.latitude - place.latitude
        bx, by = end.longitude - place.longitude, end.latitude - place.latitude
        seen += math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    return abs(seen) > math.pi


def _at(path: Path, names: Names) -> object:
    value: object = names
    for name in path.names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _list(path: Path, names: Names) -> list[object]:
    value = _at(path, names)
    return value if isinstance(value, list) else []
