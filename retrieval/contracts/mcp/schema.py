"""JSON schemas of tools as clients can use them: whole in one piece, since some follow no references, and an argument
that may be left out has one plain type, since some read a choice (`anyOf`) as a string.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel

from retrieval.model.json_value import JsonValue


def schema_of(shape: type[BaseModel], *, mode: Literal["validation", "serialization"]) -> dict[str, JsonValue]:
    """The schema of a shape, every reference replaced by its target. The shape must not contain itself."""
    schema: dict[str, JsonValue] = shape.model_json_schema(mode=mode)
    definitions, properties = schema.pop("$defs", {}), schema["properties"]
    assert isinstance(definitions, dict) and isinstance(properties, dict)
    if mode == "validation":
        schema["properties"] = {name: _plain(value) for name, value in properties.items()}
    return {name: _whole(value, definitions, of=name) for name, value in schema.items()}


def _plain(argument: JsonValue) -> JsonValue:
    """An argument that may be null, with its type; `nullable` tells clients that demand every other argument."""
    match argument:
        case {"anyOf": [dict(kind), {"type": "null"}], "default": None, **members}:
            return {**kind, "nullable": True, **members}
        case _:
            return argument


def _whole(value: JsonValue, definitions: Mapping[str, JsonValue], *, of: str) -> JsonValue:
    """The value with every reference replaced, and without titles, which repeat the names; properties `title` stay."""
    if isinstance(value, list):
        return [_whole(item, definitions, of="") for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        return _whole(definitions[reference.rpartition("/")[2]], definitions, of=of)
    members = (
        (name, inner) for name, inner in value.items() if of == "properties" or name not in {"title", "discriminator"}
    )
    return {name: _whole(inner, definitions, of=name if of != "properties" else "") for name, inner in members}
