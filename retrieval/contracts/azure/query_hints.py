"""Query hints of a knowledge source over an index, 2026-08-01-preview: which fields to filter by, and what to boost.

Source: `SearchIndexKnowledgeSourceQueryHints` of azure-search-documents 12.1.0b2.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from retrieval.contracts.azure.parts import Wire


def _not_one(boost: float) -> float:
    if boost == 1:
        raise ValueError("a boost must not be 1")
    return boost


FieldName: TypeAlias = Annotated[str, Field(min_length=1)]
Boost: TypeAlias = Annotated[float, Field(gt=0), AfterValidator(_not_one)]


class FilterHint(Wire):
    field: FieldName
    field_values: list[str]
    filter_instructions: str | None = None


class FieldValueBoost(Wire):
    kind: Literal["fieldValue"]
    field: FieldName
    field_values: list[str] | None = None
    boost: Boost
    boost_instructions: str | None = None


class MultiWordExpressionBoost(Wire):
    kind: Literal["multiWordExpression"]
    field_values: list[str] | None = None
    boost: Boost
    boost_instructions: str | None = None


class QueryHints(Wire):
    filters: Annotated[list[FilterHint], Field(fail_fast=True)] | None = None
    boosts: (
        Annotated[
            list[Annotated[FieldValueBoost | MultiWordExpressionBoost, Field(discriminator="kind")]],
            Field(fail_fast=True),
        ]
        | None
    ) = None
