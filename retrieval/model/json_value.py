"""A value of JSON, as `json.loads` returns it, and the parts of a document by the paths of its fields.

A slash separates the name of a complex field from a field within it, as in `details/body`. The path of a collection's
field, as in `rooms/description`, stands for the values of all its objects.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

JsonValue: TypeAlias = str | int | float | bool | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

Shape: TypeAlias = Mapping[str, "Shape | None"]
"""The fields of an object by name. None stands for the whole value, and a Shape for the named parts of each object."""


def values_at(document: Mapping[str, JsonValue], path: str) -> list[JsonValue]:
    """The values at a path in the order of the document, those of a collection one by one. Null values are left out."""
    values: list[JsonValue] = [document]
    for name in path.split("/"):
        values = [
            value
            for part in values
            if isinstance(part, Mapping)
            for value in _values(part.get(name))
            if value is not None
        ]
        if not values:
            break
    return values


def shape(paths: Iterable[str]) -> Shape:
    """The shape with the fields at these paths. If a complex field is named itself, it stays whole."""
    return _shape([path.split("/") for path in paths]) or {}


def part(document: Mapping[str, JsonValue], shape: Shape) -> dict[str, JsonValue]:
    """The named parts of a document. The value of a field that the document lacks is None."""
    return {name: _part(document.get(name), inner) for name, inner in shape.items()}


def _values(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else (value,)


def _shape(paths: Sequence[Sequence[str]]) -> Shape | None:
    groups: dict[str, list[Sequence[str]]] = {}
    for path in paths:
        if not path:
            return None
        groups.setdefault(path[0], []).append(path[1:])
    return {name: _shape(inner) for name, inner in groups.items()}


def _part(value: JsonValue, shape: Shape | None) -> JsonValue:
    if shape is None:
        return value
    if isinstance(value, list):
        return [_part(item, shape) for item in value]
    return part(value, shape) if isinstance(value, Mapping) else value
