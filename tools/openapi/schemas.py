"""Collects the JSON schemas of shapes under their names. If a schema has parts, their names begin with the name of the
shape."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from retrieval.contracts.described import Shape

PLACE: Final = "#/components/schemas/"


class _Plain(GenerateJsonSchema):
    """Generates schemas without `default` for optional members, and without titles for members, because a title would
    only repeat the name.

    openapi-typescript treats a member with a default as required, even in requests. So the default of a number or a
    boolean is in the description.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        default = schema.get("default")
        is_plain = isinstance(default, bool | int | float) and "const" not in inner
        return {**inner, "description": f"Default: {json.dumps(default)}."} if is_plain else inner


class _Answer(_Plain):
    """Generates the schemas of answers. Every member is required, except members that may be left out of an answer.

    The schemas have no limits of lengths or values. A definition may have been stored before a limit was introduced,
    and it is still returned.
    """

    def field_is_required(
        self, field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField, total: bool
    ) -> bool:
        return "serialization_exclude_if" not in field

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def update_with_validations(self, json_schema: Any, core_schema: Any, mapping: Any) -> None:
        """Does nothing, so that the schema has no limits of lengths or values."""


class Schemas:
    """Collects the schemas of the shapes that the document refers to. If two shapes have the same name, the schema of
    the first shape is used."""

    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {}

    def reference(self, shape: Shape) -> dict[str, Any]:
        """The reference to the schema of the shape. The schema is added if it is new."""
        if shape.name not in self.named:
            for name, part in self._parts(shape).items():
                self.named[name] = {key: value for key, value in part.items() if key != "title"}
        return {"$ref": f"{PLACE}{shape.name}"}

    def members(self, shape: Shape) -> dict[str, dict[str, Any]]:
        """The schemas of a shape's members, by name."""
        self.reference(shape)
        members: dict[str, dict[str, Any]] = self.named[shape.name]["properties"]
        return members

    def _parts(self, shape: Shape) -> dict[str, dict[str, Any]]:
        """The schema of the shape, and the schemas of its parts, by their names."""
        if shape.variants:
            first, *other_references = map(self.reference, shape.variants)
            return {shape.name: {"anyOf": [first, *other_references]} if other_references else first}
        if shape.items is not None:
            value = {"type": "array", "items": self.reference(shape.items)}
            members = {"value": value, **({"@odata.nextLink": {"type": "string"}} if shape.paged else {})}
            return {shape.name: {"type": "object", "properties": members, "required": ["value"]}}
        if shape.events:
            return {shape.name: _stream({name: self.reference(event) for name, event in shape.events.items()})}
        schema = TypeAdapter[Any](shape.type).json_schema(
            ref_template=f"{PLACE}{shape.name}.{{model}}",
            schema_generator=_Answer if shape.complete else _Plain,
            mode=shape.mode,
        )
        parts = {f"{shape.name}.{name}": part for name, part in schema.pop("$defs", {}).items()}
        return {shape.name: schema, **parts}


def _stream(events: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The schema of a stream of server-sent events. `events` has the schema of the data of each event, by the event's
    name.

    The stream is described as a string with a `contentSchema`, because OpenAPI 3.1 cannot describe the items of a
    stream.
    """
    described = [_event(*event) for event in events.items()]
    return {
        "type": "string",
        "contentMediaType": "text/event-stream",
        "contentSchema": {"type": "array", "items": {"oneOf": described} if len(described) > 1 else described[0]},
    }


def _event(name: str, data: dict[str, Any]) -> dict[str, Any]:
    members = {
        "event": {"const": name},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data},
    }
    return {"type": "object", "properties": members, "required": ["event", "data"]}
