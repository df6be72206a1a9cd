"""Schemas of shapes, each under its name; the names of its parts begin with that name."""

import json
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
        told = isinstance(default, bool | int | float) and "const" not in inner
        return {**inner, "description": f"Default: {json.dumps(default)}."} if told else inner


class _Whole(_Plain):
    """Every member is required, except those that may be left out when written."""

    def field_is_required(
        self, field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField, total: bool
    ) -> bool:
        return "serialization_exclude_if" not in field


class Schemas:
    """Collects the schemas of referenced shapes. Of two shapes of one name the first counts."""

    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {}

    def reference(self, shape: Shape) -> dict[str, Any]:
        """The reference to the schema of the shape."""
        if shape.variants:
            self.named[shape.name] = {"anyOf": [self.reference(one) for one in shape.variants]}
        if shape.name not in self.named:
            schema = TypeAdapter[Any](shape.type).json_schema(
                ref_template=f"{PLACE}{shape.name}.{{model}}",
                schema_generator=_Whole if shape.whole else _Plain,
                mode=shape.mode,
            )
            parts = {f"{shape.name}.{name}": part for name, part in schema.pop("$defs", {}).items()}
            for name, part in {shape.name: schema, **parts}.items():
                self.named[name] = {key: value for key, value in part.items() if key != "title"}
        return {"$ref": f"{PLACE}{shape.name}"}

    def members(self, shape: Shape) -> dict[str, dict[str, Any]]:
        """The schemas of a shape's members by name."""
        self.reference(shape)
        members: dict[str, dict[str, Any]] = self.named[shape.name]["properties"]
        return members
