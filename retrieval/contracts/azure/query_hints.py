"""The query hints of a knowledge source over an index, in previews since 2026-08-01-preview. They name the fields that
a plan may filter by, and the values that it may boost.

Sources: `SearchIndexKnowledgeSourceQueryHints` of azure-search-documents 12.1.0b2. The limits of filters are from the
how-to "Create a search index knowledge source" of September 2026. We apply the same limits to boosts.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationError, model_validator

from retrieval.contracts.azure.request_body import Shape, Wire, distinct
from retrieval.model import search as hub

MOST_HINTS: Final = 5
LONGEST_VALUE: Final = 128
MOST_CHARACTERS: Final = 2_048
LARGEST_BOOST: Final = 1_000_000.0


def _not_one(boost: float) -> float:
    if boost == 1:
        raise ValueError("a boost must not be 1")
    return boost


def _short_enough(values: list[str]) -> list[str]:
    if sum(map(len, values)) > MOST_CHARACTERS:
        raise ValueError(f"the values of one hint have more than {MOST_CHARACTERS} characters")
    return values


FieldName: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_VALUE)]
Factor: TypeAlias = Annotated[float, Field(gt=0, le=LARGEST_BOOST), AfterValidator(_not_one)]
Values: TypeAlias = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_VALUE)]],
    Field(max_length=MOST_CHARACTERS),
    AfterValidator(_short_enough),
]
Instructions: TypeAlias = Annotated[str, Field(max_length=20_000)]


class FilterHint(Wire):
    field: FieldName
    field_values: Values
    filter_instructions: Instructions | None = None


class Boost(Wire):
    """A boost. The kind `fieldValue` requires a `field`, and the kind `multiWordExpression` must not have one."""

    kind: Literal["fieldValue", "multiWordExpression"]
    boost_instructions: Instructions | None = None
    field: FieldName | None = None
    field_values: Values | None = None
    boost: Factor

    @model_validator(mode="after")
    def _field_of_its_kind(self) -> "Boost":
        if (self.kind == "fieldValue") is (self.field is None):
            raise ValueError("a boost of the kind fieldValue has a field, one of the kind multiWordExpression has none")
        return self


_ONE_A_FIELD: Final = distinct("field", "two filter hints name the same field")


class QueryHints(Wire):
    filters: Annotated[list[FilterHint], Field(max_length=MOST_HINTS, fail_fast=True), _ONE_A_FIELD] | None = None
    boosts: Annotated[list[Boost], Field(max_length=MOST_HINTS, fail_fast=True)] | None = None


def hints_of(members: Mapping[str, object]) -> hub.QueryHints | None:
    """The query hints from the members that a definition or a call states. Hints that are not valid are left out. None
    if no hint is left."""
    filters = tuple(
        hub.FilterHint(field=hint.field, values=tuple(hint.field_values), instructions=hint.filter_instructions or "")
        for hint in _valid(FilterHint, members.get("filters"))
    )
    boosts = tuple(
        hub.BoostHint(
            field=hint.field,
            values=tuple(hint.field_values or ()),
            factor=hint.boost,
            instructions=hint.boost_instructions or "",
        )
        for hint in _valid(Boost, members.get("boosts"))
    )
    return hub.QueryHints(filters=filters, boosts=boosts) if filters or boosts else None


def _valid(shape: type[Shape], values: object) -> Iterator[Shape]:
    for value in values if isinstance(values, list | tuple) else ():
        try:
            yield shape.model_validate(value)
        except ValidationError:
            continue
