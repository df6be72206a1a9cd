"""Retrieve, api-version 2026-05-01-preview: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

Source: the models of azure-search-documents 12.1.0b1.
"""

from functools import partial
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import (
    Asked,
    ImageServing,
    Most,
    ReasoningEffort,
    ShownSource,
    SourceDocuments,
)
from retrieval.contracts.azure.retrieve.requests import Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import (
    Answered,
    Arguments,
    BlobReference,
    ByModel,
    DocumentReference,
    FileReference,
    IndexArguments,
    IndexReference,
    IngestedArguments,
    ModelStudioReference,
    Reasoning,
    Record,
    Search,
    Text,
    Titled,
    ToolArguments,
    ToolReference,
    Written,
)
from retrieval.contracts.azure.v2026_05_01_preview.kinds import Kind
from retrieval.model.definitions import SUBQUERIES_BY_EFFORT, IngestedKind, OutputMode

DEFAULT_THRESHOLD: Final = 0.0
"""None. In a real answer where nobody set a threshold, every document came back, the lowest with a score of 0.4957."""

DEFAULTS: Final = Defaults(kinds=get_args(Kind), threshold=DEFAULT_THRESHOLD, most_queries=SUBQUERIES_BY_EFFORT)
TYPES: Final = Types(planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis")


class SourceParams(ShownSource):
    always_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None
    enable_image_serving: ImageServing | None = None


class RetrieveRequest(Asked):
    max_output_size: Most | None = None
    max_output_size_in_tokens: Most | None = None
    max_output_documents: Most | None = None
    retrieval_reasoning_effort: ReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None


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
    """A call of a tool. If no tool was called, the record has no arguments."""

    type: Literal["mcpServer"]
    mcp_server_arguments: OptionalMember[ToolArguments]


class Ingested(IngestedArguments, Search, Warned):
    type: IngestedKind


class AgenticReasoning(Reasoning, Warned):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(Written, Warned):
    type: Literal["modelAnswerSynthesis"]
    model_name: Text


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | McpServer | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class TitledReference(IndexReference, Titled):
    """A document of an index."""


Reference: TypeAlias = Annotated[
    TitledReference | ModelStudioReference | ToolReference | BlobReference | DocumentReference | FileReference,
    Field(discriminator="type"),
]


class RetrieveResponse(Answered):
    activity: OptionalMember[list[Activity]]
    references: list[Reference]


parse: Final = partial(parse_as, RetrieveRequest, DEFAULTS)
render: Final = partial(render_as, RetrieveResponse, TYPES)
