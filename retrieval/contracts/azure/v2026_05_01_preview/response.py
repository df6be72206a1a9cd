"""The response of retrieve, api-version 2026-05-01-preview, out of the hub.

Source: the models of azure-search-documents 12.1.0b1.
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
    FileReference,
    IndexArguments,
    IngestedArguments,
    ModelStudioReference,
    Out,
    Reasoning,
    Record,
    Search,
    SearchIndexReference,
    Text,
    ToolArguments,
    ToolReference,
    Unsaid,
    Written,
)
from retrieval.contracts.rendered import Rendered
from retrieval.model.outcome import Outcome

TYPES: Final = Types(planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis")


class Warned(Record):
    warning: Text


class ModelQueryPlanning(ByModel, Warned):
    type: Literal["modelQueryPlanning"]
    model_name: Text


class SearchIndex(Search, Warned):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Search, Warned):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class McpServer(Search, Warned):
    """A call of a tool; one that was not made has no arguments."""

    type: Literal["mcpServer"]
    mcp_server_arguments: Unsaid[ToolArguments]


class Ingested(IngestedArguments, Search, Warned):
    type: Literal["azureBlob", "indexedSharePoint", "indexedOneLake", "indexedSql", "file"]


class AgenticReasoning(Reasoning, Warned):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(Written, Warned):
    type: Literal["modelAnswerSynthesis"]
    model_name: Text


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | McpServer | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


Reference: TypeAlias = Annotated[
    SearchIndexReference | ModelStudioReference | ToolReference | BlobReference | DocumentReference | FileReference,
    Field(discriminator="type"),
]


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[Activity]]
    references: list[Reference]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return render_as(outcome, RetrieveResponse, TYPES, partial=206)
