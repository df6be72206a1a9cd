"""Checks arguments against a tool's input schema: types, members, values, lengths and ranges.

The schema comes from a server that is not trusted, so only cheap checks are made. No pattern is run, and no reference
is followed. The server checks the rest itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from retrieval.model.json_value import JsonValue

DEEPEST: Final = 8
MOST_CHECKED: Final = 1_000
"""The most enum values, items or required names that are checked."""

TEXT: Final = "string"
_NARROW: Final = frozenset({"enum", "const", "format", "pattern", "$ref", "anyOf", "oneOf", "allOf", "not"})

Schema = Mapping[str, JsonValue]


def fault_of(arguments: Mapping[str, JsonValue], schema: Schema) -> str | None:
    """The first fault of arguments; None where the schema allows them."""
    return next(_faults(arguments, schema, "the arguments", DEEPEST), None)


def only_text(schema: Schema) -> str | None:
    """The argument that takes a query. It is the only required argument of a tool, or else its only argument, and must
    be a free text. None where there is no such argument."""
    properties, required = _properties(schema), _required(schema)
    names = required or (list(properties) if len(properties) == 1 else [])
    if len(names) != 1 or not isinstance(shape := properties.get(names[0]), Mapping):
        return None
    return names[0] if TEXT in _types(shape) and not _NARROW.intersection(shape) else None


def needs(schema: Schema) -> str:
    """The required arguments of a tool and their types, as a text for people."""
    properties = _properties(schema)
    parts = [f"{name[:100]!r} ({_kind(properties.get(name))})" for name in _required(schema)[:20]]
    return ", ".join(parts) or "arguments that its schema does not require"


def _faults(value: JsonValue, schema: JsonValue, place: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth == 0:
        return
    types = _types(schema)
    if types and not any(_is(value, each) for each in types):
        yield f"{place} must be {' or '.join(types)}"
    choices = schema.get("enum")
    if isinstance(choices, list) and len(choices) <= MOST_CHECKED and value not in choices:
        yield f"{place} must be one of those that the schema names"
    if "const" in schema and value != schema["const"]:
        yield f"{place} must be what the schema says"
    if isinstance(value, str):
        yield from _lengths(len(value), schema, place, ("minLength", "maxLength"))
    elif isinstance(value, Mapping):
        yield from _members(value, schema, place, depth)
    elif isinstance(value, Sequence):
        yield from _lengths(len(value), schema, place, ("minItems", "maxItems"))
        for number, item in enumerate(value[:MOST_CHECKED]):
            yield from _faults(item, schema.get("items"), f"{place}[{number}]", depth - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _lengths(value, schema, place, ("minimum", "maximum"))


def _members(value: Mapping[str, JsonValue], schema: Schema, place: str, depth: int) -> Iterator[str]:
    properties = _properties(schema)
    for name in _required(schema):
        if name not in value:
            yield f"{place} lack {name[:100]!r}"
    for name, item in value.items():
        if name in properties:
            yield from _faults(item, properties[name], f"{name[:100]!r}", depth - 1)
        elif schema.get("additionalProperties") is False:
            yield f"{place} have {name[:100]!r}, which is none of the schema's"


def _lengths(size: float, schema: Schema, place: str, names: tuple[str, str]) -> Iterator[str]:
    least, most = (schema.get(name) for name in names)
    if isinstance(least, int | float) and size < least:
        yield f"{place} must have at least {least}"
    if isinstance(most, int | float) and size > most:
        yield f"{place} must have at most {most}"


def _is(value: JsonValue, name: str) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "integer":
            is_whole = isinstance(value, float) and value.is_integer()
            return (isinstance(value, int) and not isinstance(value, bool)) or is_whole
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, Mapping)
        case _:
            return True


def _types(schema: Schema) -> tuple[str, ...]:
    types = schema.get("type")
    names = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    return tuple(name for name in names if isinstance(name, str))


def _properties(schema: Schema) -> Mapping[str, JsonValue]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(schema: Schema) -> list[str]:
    names = schema.get("required")
    return [name for name in names[:MOST_CHECKED] if isinstance(name, str)] if isinstance(names, list) else []


def _kind(shape: JsonValue) -> str:
    return " or ".join(_types(shape)) if isinstance(shape, Mapping) and _types(shape) else "any value"
