"""The fields that a filter may refer to, as an index definition declares them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    """`type` is that of one element when `collection` is true. `fields` belong to Edm.ComplexType, where `filterable`
    means nothing: the sub-fields decide."""

    name: str
    type: FieldType
    collection: bool = False
    filterable: bool = True
    fields: tuple["Field", ...] = ()


Schema: TypeAlias = Mapping[str, Field]
