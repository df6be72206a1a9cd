"""The fields of an index, and the fields that SearchFilters name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

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
    """A field of an index. If `collection` is true, `type` is the type of one element. `fields` are the sub-fields of
    an Edm.ComplexType. `filterable` has no meaning for an Edm.ComplexType, because each sub-field has its own
    `filterable`."""

    name: str
    type: FieldType
    collection: bool = False
    filterable: bool = True
    fields: tuple["Field", ...] = ()


Schema: TypeAlias = Mapping[str, Field]


PLAIN_TYPES: frozenset[FieldType] = frozenset(get_args(FieldType)) - {"Edm.GeographyPoint", "Edm.ComplexType"}
"""The types of fields that SearchFilters support."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedField:
    """The field that a name of SearchFilters means, and the tests that the field allows.

    If `collection` is true, `type` is the type of one element. `whole_token` is true if the field is searchable and
    indexes each value as one lower-case token (keyword tokenizer, lowercase filter). The index can then answer `like`.
    With `ignore_case`, `like` ignores upper and lower case. `bare_like` is the meaning of a `like` without wildcards.
    Model Studio documents the operand as a prefix; in SQL it is the whole value. With `epoch`, a number in a filter is
    a date in seconds or milliseconds since 1970. A test of a field that is not `retrievable` cannot be repeated after
    the search.
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
"""The fields by the names that SearchFilters use. No name begins with an underscore, because SearchFilters reserve such
names."""
