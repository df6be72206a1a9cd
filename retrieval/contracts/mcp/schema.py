"""JSON schemas of tools as clients can use them: whole in one piece, since some follow no references."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel

from retrieval.model.json_value import JsonValue


def schema_of(shape: type[BaseModel], *, mode: Literal["validation", "serialization"]) -> dict[str, JsonValue]:
    """The schema of a shape, every reference replaced by its target. The shape must not contain itself."""
    schema: dict[str, JsonValue] = shape.model_json_schema(mode=mode)
    definitions = schema.pop("$defs", {})
    assert isinstance(definitions, dict)
    return {name: _whole(value, definitions, of=name) for name, value in schema.items()}


def _whole(value: JsonValue, definitions: Mapping[str, JsonValue], *, of: str) -> JsonValue:
    """Removes titles too, which repeat the names; properties named `title` stay."""
    if isinstance(value, list):
        return [_whole(one, definitions, of="") for one in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str):
        return _whole(definitions[reference.rpartition("/")[2]], definitions, of=of)
    kept = (
        (name, inner) for name, inner in value.items() if of == "properties" or name not in {"title", "discriminator"}
    )
    return {name: _whole(inner, definitions, of=name if of != "properties" else "") for name, inner in kept}
