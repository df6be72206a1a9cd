"""The query hints of a knowledge source over an index, in previews since 2026-08-01-preview. They name the fields that
a plan may filter by, and the values that it may boost.

Sources: `SearchIndexKnowledgeSourceQueryHints` of azure-search-documents 12.1.0b2. The limits of filters are from the
how-to "Create a search index knowledge source" of September 2026. We apply the same limits to boosts.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from retrieval.contracts.azure.request_body import Wire
from retrieval.model import search

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


def _distinct(hints: "list[FilterHint]") -> "list[FilterHint]":
    if len({hint.field for hint in hints}) < len(hints):
        raise ValueError("two filter hints name the same field")
    return hints


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


class QueryHints(Wire):
    filters: (
        Annotated[list[FilterHint], Field(max_length=MOST_HINTS, fail_fast=True), AfterValidator(_distinct)] | None
    ) = None
    boosts: Annotated[list[Boost], Field(max_length=MOST_HINTS, fail_fast=True)] | None = None


def hints_of(members: Mapping[str, object]) -> search.QueryHints | None:
    """The query hints from the members that a definition or a call states. Filter hints without a field, and boosts
    with an invalid kind, field or factor, are left out. None if no hint is left."""
    hints = search.QueryHints(filters=tuple(_filters(members)), boosts=tuple(_boosts(members)))
    return hints if hints.filters or hints.boosts else None


def _filters(members: Mapping[str, object]) -> Iterator[search.FilterHint]:
    for hint in _members(members.get("filters")):
        if field := _text(hint.get("field")):
            instructions = _text(hint.get("filterInstructions"))
            yield search.FilterHint(field=field, values=_texts(hint.get("fieldValues")), instructions=instructions)


def _boosts(members: Mapping[str, object]) -> Iterator[search.BoostHint]:
    for hint in _members(members.get("boosts")):
        field, factor = _text(hint.get("field")) or None, hint.get("boost")
        is_supported = hint.get("kind") == "multiWordExpression" if field is None else hint.get("kind") == "fieldValue"
        if is_supported and isinstance(factor, int | float) and _is_boost(factor):
            values, instructions = _texts(hint.get("fieldValues")), _text(hint.get("boostInstructions"))
            yield search.BoostHint(field=field, values=values, factor=float(factor), instructions=instructions)


def _is_boost(factor: float) -> bool:
    return math.isfinite(factor) and 0 < factor <= LARGEST_BOOST and factor != 1


def _members(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
