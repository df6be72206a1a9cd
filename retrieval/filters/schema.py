"""The fields that a filter may refer to, as an index definition declares them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrieval.filters.tree import Path

FieldType: TypeAlias = Literal[
    "Edm.String",
    "Edm.Int32",
    "Edm.Int64",
    "Edm.Double",
    "Edm.Single",
    "Edm.Boolean",
    "Edm.DateTimeOffset",
    "Edm.GeographyPoint",
    "Edm.ComplexType",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """`type` is the type of one element when `collection` is true. `fields` belong to Edm.ComplexType, whose own
    `filterable` means nothing: each sub-field has its own."""

    name: str
    type: FieldType
    collection: bool = False
    filterable: bool = True
    fields: tuple["Field", ...] = ()


Schema: TypeAlias = Mapping[str, Field]


PLAIN_TYPES: frozenset[FieldType] = frozenset(
    {"Edm.String", "Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Single", "Edm.Boolean", "Edm.DateTimeOffset"}
)
"""The types of fields that SearchFilters support."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedField:
    """The field behind a name, and the tests that it allows. `type` is the type of one element when `collection` is
    true.

    `whole_token` says that the field is searchable and indexes each value as one lower-case token (keyword tokenizer,
    lowercase filter), so that the index answers `like` itself. `ignore_case` lets `like` compare without case.
    `bare_like` is the meaning of a `like` without wildcards: the published page calls its operand a prefix, SQL means
    the whole value. `epoch` lets numbers mean dates: seconds or milliseconds since 1970. A field that is not
    `retrievable` cannot be evaluated again after the search.
    """

    path: Path
    type: FieldType
    collection: bool = False
    whole_token: bool = False
    ignore_case: bool = False
    bare_like: Literal["prefix", "exact"] = "prefix"
    epoch: Literal["s", "ms"] | None = None
    retrievable: bool = True


FieldMap: TypeAlias = Mapping[str, MappedField]
"""No name begins with an underscore, since such names are words of the filter language."""


def of_schema(schema: Schema) -> dict[str, MappedField]:
    """Every filterable plain field of an index, under its own name."""
    return {
        name: MappedField(path=Path((name,)), type=field.type, collection=field.collection)
        for name, field in schema.items()
        if field.filterable and field.type in PLAIN_TYPES and not name.startswith("_")
    }
