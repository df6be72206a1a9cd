"""Shapes of answers that several versions since 2026-08-01-preview share. Every record has the times when its activity
began and ended. Sources: the models of azure-search-documents 12.1.0b2, and the specification of 2026-10-01.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.retrieve.response_shapes import (
    Arguments,
    BlobReference,
    ByModel,
    DocumentReference,
    FileReference,
    FoundReference,
    IndexArguments,
    IndexReference,
    IngestedArguments,
    ModelStudioReference,
    Out,
    Reasoning,
    ReasoningEffort,
    Record,
    Search,
    Text,
    Titled,
    ToolArguments,
    ToolReference,
    Written,
)
from retrieval.model.definitions import IngestedKind


class Timed(Record):
    started_at: Text
    completed_at: Text
    warning: Text


class Model(Out):
    model_name: str
    deployment_id: str


class ModelQueryPlanning(ByModel, Timed):
    type: Literal["modelQueryPlanning"]
    model: OptionalMember[Model]


class TypedArguments(IndexArguments):
    query_type: Literal["simple", "full", "semantic"]


class QueryHintProcessing(Out):
    """The query hints that a model applied, as a clause of the search text and a part of the filter."""

    generated_boost: Text
    generated_filter: Text


class SearchIndex(Search, Timed):
    type: Literal["searchIndex"]
    search_index_arguments: TypedArguments
    query_hint_processing: OptionalMember[QueryHintProcessing]


class ModelStudioBase(Search, Timed):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class McpServer(Search, Timed):
    """A call of a tool. If no tool was called, the record has no arguments."""

    type: Literal["mcpServer"]
    mcp_server_arguments: OptionalMember[ToolArguments]


class Ingested(IngestedArguments, Search, Timed):
    type: IngestedKind
    query_hint_processing: OptionalMember[QueryHintProcessing]


class AgenticReasoning(Reasoning, Timed):
    """The semantic ranking. `logicalReasoningEffort` is the effort that was asked for, and `retrievalReasoningEffort`
    is the effort that was applied."""

    type: Literal["agenticReasoning"]
    logical_reasoning_effort: ReasoningEffort


class ModelAnswerSynthesis(Written, Timed):
    type: Literal["modelAnswerSynthesis"]
    model: OptionalMember[Model]


PreviewActivity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | McpServer | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class Cited(FoundReference):
    """A reference with the address of its document, since 2026-08-01-preview. `citationUrl` begins with the endpoint
    that the caller called. It opens only if that host leads `/indexes` to the search service."""

    citation_url: Text


class CitedReference(IndexReference, Titled, Cited):
    """A document of an index."""


class CitedBlob(BlobReference, Cited):
    """A blob."""


class CitedDocument(DocumentReference, Cited):
    """A document of SharePoint or of a lakehouse, or a row of a table."""


class CitedFile(FileReference, Cited):
    """An uploaded file."""


CitedReferences: TypeAlias = Annotated[
    CitedReference | ModelStudioReference | CitedBlob | CitedDocument | CitedFile, Field(discriminator="type")
]

PreviewReferences: TypeAlias = Annotated[
    CitedReference | ModelStudioReference | ToolReference | CitedBlob | CitedDocument | CitedFile,
    Field(discriminator="type"),
]
