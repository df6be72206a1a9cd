"""The response of retrieve, api-version 2026-04-01, out of the hub.

Source: the models of azure-search-documents 12.0.0, and the examples of the REST specification.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import (
    AnswerMessage,
    Arguments,
    BlobReference,
    DocumentReference,
    IndexArguments,
    IngestedArguments,
    ModelStudioReference,
    Out,
    Reasoning,
    Record,
    Search,
    SearchIndexReference,
    Unsaid,
)
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(planning=None, ranking="agenticReasoning", synthesis=None)
"""Nothing is planned or written in this version."""


class SearchIndex(Search, Record):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Search, Record):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class Ingested(IngestedArguments, Search, Record):
    type: Literal["azureBlob", "indexedOneLake"]


class AgenticReasoning(Reasoning, Record):
    type: Literal["agenticReasoning"]


Activity: TypeAlias = Annotated[
    SearchIndex | ModelStudioBase | Ingested | AgenticReasoning, Field(discriminator="type")
]


Reference: TypeAlias = Annotated[
    SearchIndexReference | ModelStudioReference | BlobReference | DocumentReference, Field(discriminator="type")
]


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[Activity]]
    references: list[Reference]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=206)
