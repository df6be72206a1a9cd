"""Schemas of shapes, each under its name; the names of its parts begin with that name."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from retrieval.openapi.description import Shape

PLACE: Final = "#/components/schemas/"


class _Plain(GenerateJsonSchema):
    """Schemas without titles, which repeat a member's name, and without `default` for optional members.

    openapi-typescript takes a member with a default for a required member, in requests too. The description has the
    default of a number or a switch.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        default = schema.get("default")
        is_plain = isinstance(default, bool | int | float) and "const" not in inner
        return {**inner, "description": f"Default: {json.dumps(default)}."} if is_plain else inner


class _Answer(_Plain):
    """Every member is required, except members that may be left out of an answer.

    No schema has a length or a range: a definition that was stored before there was one is answered too.
    """

    def field_is_required(
        self, field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField, total: bool
    ) -> bool:
        return "serialization_exclude_if" not in field

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def update_with_validations(self, json_schema: Any, core_schema: Any, mapping: Any) -> None:
        """Changes nothing, so the schema has no validation."""


class Schemas:
    """Collects the schemas of referenced shapes. If two shapes have the same name, the first counts."""

    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {}

    def reference(self, shape: Shape) -> dict[str, Any]:
        """The reference to the schema of the shape."""
        if shape.name not in self.named:
            self.named |= {name: _untitled(part) for name, part in self._parts(shape).items()}
        return {"$ref": f"{PLACE}{shape.name}"}

    def members(self, shape: Shape) -> dict[str, dict[str, Any]]:
        """The schemas of a shape's members by name."""
        self.reference(shape)
        members: dict[str, dict[str, Any]] = self.named[shape.name]["properties"]
        return members

    def _parts(self, shape: Shape) -> dict[str, dict[str, Any]]:
        """The schema of the shape, and the schemas that it refers to, by their names."""
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
    """The schema of server-sent events, from the schemas of their data by name.

    It is the schema of a text with a `contentSchema`, since OpenAPI 3.1 has no schema for the items of a stream.
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


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "title"}
