"""Query hints of a knowledge source over an index, 2026-08-01-preview: which fields to filter by, and what to boost.

Sources: `SearchIndexKnowledgeSourceQueryHints` of azure-search-documents 12.1.0b2; the how-to "Create a search index
knowledge source" of September 2026 for the limits of filters, which are ours for boosts too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal, Protocol, TypeAlias

from pydantic import AfterValidator, Field

from retrieval.contracts.azure.parts import Wire
from retrieval.model import query_hints as hub

MOST_HINTS: Final = 5
MOST_CHARACTERS: Final = 2_048
LARGEST_BOOST: Final = 1_000_000.0


class Named(Protocol):
    field: str


def _not_one(boost: float) -> float:
    if boost == 1:
        raise ValueError("a boost must not be 1")
    return boost


def _short_enough(values: list[str]) -> list[str]:
    if sum(map(len, values)) > MOST_CHARACTERS:
        raise ValueError(f"the values of one hint have more than {MOST_CHARACTERS} characters")
    return values


def distinct(hints: Sequence[Named]) -> Sequence[Named]:
    """The hints, if no two are of one field. Raises ValueError."""
    if len({one.field for one in hints}) < len(hints):
        raise ValueError("two filter hints name the same field")
    return hints


FieldName: TypeAlias = Annotated[str, Field(min_length=1)]
Boost: TypeAlias = Annotated[float, Field(gt=0, le=LARGEST_BOOST), AfterValidator(_not_one)]
Values: TypeAlias = Annotated[
    list[Annotated[str, Field(max_length=128)]], Field(max_length=MOST_CHARACTERS), AfterValidator(_short_enough)
]


class FilterHint(Wire):
    field: FieldName
    field_values: Values
    filter_instructions: str | None = None


class FieldValueBoost(Wire):
    kind: Literal["fieldValue"]
    field: FieldName
    field_values: Values | None = None
    boost: Boost
    boost_instructions: str | None = None


class MultiWordExpressionBoost(Wire):
    kind: Literal["multiWordExpression"]
    field_values: Values | None = None
    boost: Boost
    boost_instructions: str | None = None


class QueryHints(Wire):
    filters: (
        Annotated[list[FilterHint], Field(max_length=MOST_HINTS, fail_fast=True), AfterValidator(distinct)] | None
    ) = None
    boosts: (
        Annotated[
            list[Annotated[FieldValueBoost | MultiWordExpressionBoost, Field(discriminator="kind")]],
            Field(max_length=MOST_HINTS, fail_fast=True),
        ]
        | None
    ) = None


def hints_of(said: Mapping[str, object] | None) -> hub.QueryHints | None:
    """The hints as they are kept or sent, without those that no version takes now; None where there are none."""
    hints = hub.QueryHints(filters=tuple(_filters(said or {})), boosts=tuple(_boosts(said or {})))
    return hints if hints.filters or hints.boosts else None


def _filters(said: Mapping[str, object]) -> Iterator[hub.FilterHint]:
    for one in _members(said.get("filters")):
        if field := _text(one.get("field")):
            instructions = _text(one.get("filterInstructions"))
            yield hub.FilterHint(field=field, values=_texts(one.get("fieldValues")), instructions=instructions)


def _boosts(said: Mapping[str, object]) -> Iterator[hub.BoostHint]:
    for one in _members(said.get("boosts")):
        field, factor = _text(one.get("field")) or None, one.get("boost")
        known = one.get("kind") == "multiWordExpression" if field is None else one.get("kind") == "fieldValue"
        if known and isinstance(factor, int | float) and _is_boost(factor):
            values, instructions = _texts(one.get("fieldValues")), _text(one.get("boostInstructions"))
            yield hub.BoostHint(field=field, values=values, factor=float(factor), instructions=instructions)


def _is_boost(factor: float) -> bool:
    return math.isfinite(factor) and 0 < factor <= LARGEST_BOOST and factor != 1


def _members(said: object) -> list[Mapping[str, object]]:
    return [one for one in said if isinstance(one, Mapping)] if isinstance(said, list | tuple) else []


def _texts(said: object) -> tuple[str, ...]:
    return tuple(one for one in said if isinstance(one, str)) if isinstance(said, list | tuple) else ()


def _text(said: object) -> str:
    return said if isinstance(said, str) else ""
