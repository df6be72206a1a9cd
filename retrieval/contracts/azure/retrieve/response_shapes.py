"""Shapes of answers that are the same in several versions.

Sources: the models of azure-search-documents 11.7.0b1 to 12.1.0b2, and the specification of 2026-10-01. Ours are
`dropped` of a search (how many documents went, and why), `plannedBy` and `writtenBy`, `ownRerankerScore` of a reference
whose place is not that of its score, a `warning` of the ranking and an `error` before the versions that have them, and
what is named after the kind `modelStudioBase`; clients keep or ignore what they do not know. 2026-10-01 has of these
the last alone.
"""

from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import ErrorDetail, is_none
from retrieval.model.activity import By, DropReason
from retrieval.model.definitions import Effort


class Out(BaseModel):
    """A shape of an answer: it takes what it declares, and leaves the rest."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, extra="ignore", defer_build=True
    )


Value = TypeVar("Value")

Unsaid: TypeAlias = Annotated[Value | None, Field(default=None, exclude_if=is_none)]
"""Absent where there is none."""

Text: TypeAlias = Unsaid[str]


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class AnswerMessage(Out):
    role: Literal["assistant"] = "assistant"
    content: list[TextContent]


class Record(Out):
    """A step."""

    id: int
    elapsed_ms: int
    error: Unsaid[ErrorDetail]


class ByModel(Out):
    """What a model took and gave."""

    input_tokens: int
    output_tokens: int


class Written(ByModel):
    """What an answer was written with."""

    written_by: By


class Searched(Out):
    """A sub-query. `count` is of documents that passed the threshold, `queryTime` its start."""

    knowledge_source_name: str
    query_time: str
    count: int


class Search(Searched):
    """A sub-query, and why documents of it went."""

    dropped: dict[DropReason, int]


class ReasoningEffort(Out):
    kind: Effort


class Ranked(Out):
    """What ranking cost."""

    reasoning_tokens: int
    retrieval_reasoning_effort: ReasoningEffort
    warning: Text


class Reasoning(Ranked):
    """What ranking cost, and who planned it."""

    planned_by: By


class FieldName(Out):
    name: str


class Arguments(Out):
    """What was searched for, as OData has its filter."""

    search: str
    filter: str | None


class IndexArguments(Arguments):
    """No `searchFields` are all of them."""

    source_data_fields: list[FieldName]
    search_fields: list[FieldName]
    semantic_configuration_name: str | None


class SearchText(Out):
    search: str


class BlobArguments(Out):
    """What was searched for in an index that Azure's ingestion made: a search has the arguments of its kind."""

    azure_blob_arguments: Unsaid[SearchText]


class LakeArguments(BlobArguments):
    """In the versions that have lakehouses too."""

    indexed_one_lake_arguments: Unsaid[SearchText]


class SiteArguments(LakeArguments):
    """In those that have SharePoint too."""

    indexed_share_point_arguments: Unsaid[SearchText]


class IngestedArguments(SiteArguments):
    """In those that have every kind."""

    indexed_sql_arguments: Unsaid[SearchText]
    file_arguments: Unsaid[SearchText]


class ToolArguments(Out):
    """The tool that was called, and with what."""

    tool_name: str
    tool_arguments: dict[str, object]


class ModelQueryPlanning(ByModel, Record):
    type: Literal["modelQueryPlanning"]


class SearchIndex(Search, Record):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Search, Record):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class AgenticReasoning(Reasoning, Record):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(Written, Record):
    type: Literal["modelAnswerSynthesis"]


class FoundReference(Out):
    id: str
    activity_source: int
    reranker_score: Unsaid[float]
    source_data: dict[str, object] | None


class IndexReference(FoundReference):
    type: Literal["searchIndex"]
    doc_key: str


class SearchIndexReference(IndexReference):
    """`ownRerankerScore` is there where the document's place is not that of its score."""

    own_reranker_score: Unsaid[float]


class ModelStudioReference(FoundReference):
    type: Literal["modelStudioBase"]
    doc_key: str


class ToolReference(FoundReference):
    """A document of a tool, which has no score."""

    type: Literal["mcpServer"]
    tool_name: Text
    title: Text


class BlobReference(FoundReference):
    type: Literal["azureBlob"]
    blob_url: Text


class AddressedReference(FoundReference):
    doc_url: Text


class DocumentReference(AddressedReference):
    type: Literal["indexedSharePoint", "indexedOneLake", "indexedSql"]


class FileReference(FoundReference):
    type: Literal["file"]
    doc_name: Text


class Answered(Out):
    """An answer, before what a version has of activity and references."""

    response: list[AnswerMessage]


PreviewReference: TypeAlias = Annotated[
    SearchIndexReference | ModelStudioReference | ToolReference | BlobReference | DocumentReference | FileReference,
    Field(discriminator="type"),
]
"""In the previews that have the kind `mcpServer`."""
