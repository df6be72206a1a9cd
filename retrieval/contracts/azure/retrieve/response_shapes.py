"""Shapes of answers that are the same in several versions.

Sources: the models of azure-search-documents 11.7.0b1 to 12.1.0b2, and the specification of 2026-10-01. The following
members are our own. Clients keep or ignore members that they do not know.

- `threshold` of a search, and `dropped`: the number of dropped documents, by reason
- `guessed` of a search: true if a model's follow-up rests on what it knows of the world
- `plannedBy` and `writtenBy`
- `selected` and `isSufficient` of the ranking: what a model selected, and its judgement
- `warning` of the ranking, and `error`, in versions that do not have these members in Azure
- The members and types that are named after the kind `modelStudioBase`

Of this list, 2026-10-01 has only the members and types of `modelStudioBase`.
"""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import ErrorDetail, OptionalMember
from retrieval.model.activity import By, DropReason
from retrieval.model.definitions import Effort
from retrieval.model.search import StatedBy


class Out(BaseModel):
    """A shape of an answer. It keeps the members that it declares, and ignores all other members."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, extra="ignore", defer_build=True
    )


Text: TypeAlias = OptionalMember[str]


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class AnswerMessage(Out):
    """A message of the answer. It has no role, as in Azure's real answers since 2025-11-01-preview."""

    content: list[TextContent]


class Record(Out):
    """The record of an activity. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: int
    elapsed_ms: int
    error: OptionalMember[ErrorDetail]


class ByModel(Out):
    """The input tokens and the output tokens of a step."""

    input_tokens: int
    output_tokens: int


class Written(ByModel):
    """The tokens of a written answer, and whether a model or the rules wrote it."""

    written_by: By


class Searched(Out):
    """A sub-query. `count` is the number of documents found, without those that were dropped for a reason in
    `records.IRRELEVANT`. `queryTime` is the end of the sub-query."""

    knowledge_source_name: str
    query_time: str
    count: int


class Threshold(Out):
    """The lowest score of a document that is kept, and what stated it: the request, the definition, or else the
    version. A value of 0 keeps every document."""

    value: float
    set_by: StatedBy


class Search(Searched):
    """A sub-query, its threshold, and the number of its dropped documents, by reason. A search whose documents are not
    ranked has no threshold."""

    threshold: OptionalMember[Threshold]
    dropped: dict[DropReason, int]
    guessed: OptionalMember[bool]


class ReasoningEffort(Out):
    kind: Effort


class Ranked(Out):
    """The tokens of the semantic ranking, and the effort of the retrieval."""

    reasoning_tokens: int
    retrieval_reasoning_effort: ReasoningEffort
    warning: Text


class Judged(Out):
    """The ids of the references that a model selected, best first, and whether it called them sufficient. Both are left
    out if no model judged."""

    selected: OptionalMember[list[str]]
    is_sufficient: OptionalMember[bool]


class Reasoning(Judged, Ranked):
    """The semantic ranking, and whether a model or the rules planned the queries."""

    planned_by: By


class FieldName(Out):
    name: str


class Arguments(Out):
    """The search text, and the filter in OData."""

    search: str
    filter: str | None


class IndexArguments(Arguments):
    """The arguments of a search in an index. An empty `searchFields` stands for all fields."""

    source_data_fields: list[FieldName]
    search_fields: list[FieldName]
    semantic_configuration_name: str | None


class SearchText(Out):
    search: str


class BlobArguments(Out):
    """The search text of a search in an index that Azure's ingestion made. The member is named after the kind of the
    source."""

    azure_blob_arguments: OptionalMember[SearchText]


class LakeArguments(BlobArguments):
    """`BlobArguments` in versions that also have the kind `indexedOneLake`."""

    indexed_one_lake_arguments: OptionalMember[SearchText]


class SiteArguments(LakeArguments):
    """`LakeArguments` in versions that also have the kind `indexedSharePoint`."""

    indexed_share_point_arguments: OptionalMember[SearchText]


class IngestedArguments(SiteArguments):
    """`SiteArguments` in versions that have every kind of ingested source."""

    indexed_sql_arguments: OptionalMember[SearchText]
    file_arguments: OptionalMember[SearchText]


class ToolArguments(Out):
    """The tool that was called, and the arguments of the call."""

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
    """A reference. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: str
    activity_source: int
    reranker_score: float | None
    source_data: dict[str, object] | None


class IndexReference(FoundReference):
    type: Literal["searchIndex"]
    doc_key: str


class Titled(FoundReference):
    """A reference with the title of its document, since 2026-05-01-preview. A chunk of a file has the file with its
    heading."""

    title: Text


class ModelStudioReference(FoundReference):
    type: Literal["modelStudioBase"]
    doc_key: str


class ToolReference(FoundReference):
    """A document from a tool. The document has no score."""

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
    """The part of an answer that is the same in every version. Activity and references differ between versions."""

    response: list[AnswerMessage]
