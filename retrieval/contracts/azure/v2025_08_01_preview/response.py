"""The response of retrieve, api-version 2025-08-01-preview, out of the hub.

Source: the models of azure-search-documents 11.7.0b1.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import (
    AnswerMessage,
    Arguments,
    BlobReference,
    ByModel,
    IngestedArguments,
    ModelStudioReference,
    Out,
    Record,
    Search,
    SearchIndexReference,
    Text,
    Unsaid,
    Written,
)
from retrieval.contracts.rendered import Rendered
from retrieval.model.activity import By
from retrieval.model.outcome import Outcome

TYPES: Final = Types(planning="modelQueryPlanning", ranking="semanticReranker", synthesis="modelAnswerSynthesis")


class ModelQueryPlanning(ByModel, Record):
    type: Literal["modelQueryPlanning"]


class SearchIndex(Search, Record):
    type: Literal["searchIndex"]
    search_index_arguments: Arguments


class ModelStudioBase(Search, Record):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class Ingested(IngestedArguments, Search, Record):
    type: Literal["azureBlob"]


class SemanticReranker(Record):
    type: Literal["semanticReranker"]
    input_tokens: int
    planned_by: By
    warning: Text


class ModelAnswerSynthesis(Written, Record):
    type: Literal["modelAnswerSynthesis"]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Ingested | SemanticReranker | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


Reference: TypeAlias = Annotated[
    SearchIndexReference | ModelStudioReference | BlobReference, Field(discriminator="type")
]


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[Activity]]
    references: list[Reference]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 200 also when some sub-queries failed, since this version knows no 206."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=200)
