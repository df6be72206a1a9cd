"""The response of retrieve, api-version 2025-11-01-preview, out of the hub.

Source: the models of azure-search-documents 11.7.0b2.
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
    Written,
)
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis")


class ModelQueryPlanning(ByModel, Record):
    type: Literal["modelQueryPlanning"]


class SearchIndex(Search, Record):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Search, Record):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class Ingested(IngestedArguments, Search, Record):
    type: Literal["azureBlob", "indexedSharePoint", "indexedOneLake"]


class AgenticReasoning(Reasoning, Record):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(Written, Record):
    type: Literal["modelAnswerSynthesis"]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
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
