"""Shapes of answers. Each member and each record has marks of its versions.

Sources: the models of azure-search-documents 11.7.0b1 to 12.1.0b2, and the specification of 2026-10-01. The following
members are our own. Clients keep or ignore members that they do not know.

- `threshold` of a search, and `dropped`: the number of dropped documents, by reason
- `guessed` of a search: true if a model's follow-up rests on what it knows of the world
- `plannedBy` and `writtenBy`
- `selected` and `isSufficient` of the ranking: what a model selected, and its judgement
- `warning` of the ranking, and `error`, in versions that do not have these members in Azure
- The members and types that are named after the kind `modelStudioBase`

Of this list, GA versions since 2026-10-01 have only the members and types of `modelStudioBase`.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import ErrorDetail, OptionalMember
from retrieval.contracts.azure.versioned import KIND, of_kind, since
from retrieval.model.activity import By, DropReason
from retrieval.model.definitions import Effort, IngestedKind
from retrieval.model.search import StatedBy


class Out(BaseModel):
    """A shape of an answer. It keeps the members that it declares, and ignores all other members."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, extra="ignore", defer_build=True
    )


Text: TypeAlias = OptionalMember[str]

_FIRST: Final = since("2025-08-01-preview", until=("2025-08-01-preview",))
_BASES: Final = since("2025-11-01-preview", "2026-04-01")
_OURS: Final = since("2025-08-01-preview", "2026-04-01", until=("2026-04-01",))
"""The versions with our own members."""

_BY_MODEL: Final = since("2025-08-01-preview", "2026-10-01")
_WARNED: Final = since("2026-05-01-preview", "2026-10-01")
_TIMED: Final = since("2026-08-01-preview", "2026-10-01")
_NEWER: Final = since("2026-08-01-preview")
_NAMED: Final = since("2026-05-01-preview", until=("2026-05-01-preview",))


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class AnswerMessage(Out):
    """A message of the answer. It has no role, as in Azure's real answers since 2025-11-01-preview."""

    content: list[TextContent]


class AgentMessage(AnswerMessage):
    """A message of the answer in 2025-08-01-preview, with its role."""

    role: Literal["assistant"] = "assistant"


class Record(Out):
    """The record of an activity. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: int
    elapsed_ms: int
    error: OptionalMember[ErrorDetail]
    started_at: Annotated[Text, _TIMED]
    completed_at: Annotated[Text, _TIMED]
    warning: Annotated[Text, _WARNED]


class Model(Out):
    model_name: str
    deployment_id: str


class ByModel(Record):
    """The tokens of a step."""

    input_tokens: int
    output_tokens: int


class ModelQueryPlanning(ByModel):
    type: Literal["modelQueryPlanning"]
    model_name: Annotated[Text, _NAMED]
    model: Annotated[OptionalMember[Model], _TIMED]


class ModelAnswerSynthesis(ByModel):
    """A written answer, and whether a model or the rules wrote it."""

    type: Literal["modelAnswerSynthesis"]
    written_by: Annotated[By, _OURS]
    model_name: Annotated[Text, _NAMED]
    model: Annotated[OptionalMember[Model], _TIMED]


class Threshold(Out):
    """The lowest score of a document that is kept, and what stated it: the request, the definition, or else the
    version. A value of 0 keeps every document."""

    value: float
    set_by: StatedBy


class Search(Record):
    """A sub-query, its threshold, and the number of its dropped documents, by reason. A search whose documents are not
    ranked has no threshold. `count` is the number of documents found, without those that were dropped for a reason in
    `records.IRRELEVANT`. `queryTime` is the end of the sub-query."""

    knowledge_source_name: str
    query_time: str
    count: int
    threshold: Annotated[OptionalMember[Threshold], _OURS]
    dropped: Annotated[dict[DropReason, int], _OURS]
    guessed: Annotated[OptionalMember[bool], _OURS]


class FieldName(Out):
    name: str


class Arguments(Out):
    """The search text, and the filter in OData."""

    search: str
    filter: str | None


class IndexArguments(Arguments):
    """The arguments of a search in an index. An empty `searchFields` stands for all fields."""

    source_data_fields: Annotated[list[FieldName], _BASES]
    search_fields: Annotated[list[FieldName], _BASES]
    semantic_configuration_name: Annotated[str | None, _BASES]
    query_type: Annotated[Literal["simple", "full", "semantic"], _NEWER]


class QueryHintProcessing(Out):
    """The query hints that a model applied, as a clause of the search text and a part of the filter."""

    generated_boost: Text
    generated_filter: Text


class SearchIndex(Search):
    type: Annotated[Literal["searchIndex"], KIND]
    search_index_arguments: IndexArguments
    query_hint_processing: Annotated[OptionalMember[QueryHintProcessing], _NEWER]


class ModelStudioBase(Search):
    type: Annotated[Literal["modelStudioBase"], KIND]
    model_studio_base_arguments: Arguments


class ToolArguments(Out):
    """The tool that was called, and the arguments of the call."""

    tool_name: str
    tool_arguments: dict[str, object]


class McpServer(Search):
    """A call of a tool. If no tool was called, the record has no arguments."""

    type: Annotated[Literal["mcpServer"], KIND]
    mcp_server_arguments: OptionalMember[ToolArguments]


class SearchText(Out):
    search: str


class Ingested(Search):
    """The search text of a search in an index that Azure's ingestion made. The member is named after the kind of the
    source."""

    type: Annotated[IngestedKind, KIND]
    azure_blob_arguments: Annotated[OptionalMember[SearchText], of_kind("azureBlob")]
    indexed_one_lake_arguments: Annotated[OptionalMember[SearchText], of_kind("indexedOneLake")]
    indexed_share_point_arguments: Annotated[OptionalMember[SearchText], of_kind("indexedSharePoint")]
    indexed_sql_arguments: Annotated[OptionalMember[SearchText], of_kind("indexedSql")]
    file_arguments: Annotated[OptionalMember[SearchText], of_kind("file")]
    query_hint_processing: Annotated[OptionalMember[QueryHintProcessing], _NEWER]


class SemanticReranker(Record):
    """The semantic ranking in 2025-08-01-preview. See `AgenticReasoning`."""

    type: Literal["semanticReranker"]
    selected: OptionalMember[list[str]]
    is_sufficient: OptionalMember[bool]
    input_tokens: int
    planned_by: By
    early_warning: Text = Field(alias="warning")


class ReasoningEffort(Out):
    kind: Effort


class AgenticReasoning(Record):
    """The tokens of the semantic ranking, the effort of the retrieval, and whether a model or the rules planned the
    queries. `logicalReasoningEffort` is the effort that was asked for, and `retrievalReasoningEffort` is the effort
    that was applied.

    `selected` has the ids of the references that a model selected, best first, and `isSufficient` whether it called
    them sufficient. Both are left out if no model judged. Before 2026-05-01-preview the warning comes later."""

    type: Literal["agenticReasoning"]
    reasoning_tokens: int
    retrieval_reasoning_effort: ReasoningEffort
    early_warning: Annotated[
        Text,
        Field(alias="warning"),
        since("2025-11-01-preview", "2026-04-01", until=("2025-11-01-preview", "2026-04-01")),
    ]
    selected: Annotated[OptionalMember[list[str]], _OURS]
    is_sufficient: Annotated[OptionalMember[bool], _OURS]
    planned_by: Annotated[By, _OURS]
    logical_reasoning_effort: Annotated[ReasoningEffort, _NEWER]


Activity: TypeAlias = Annotated[
    Annotated[ModelQueryPlanning, _BY_MODEL]
    | SearchIndex
    | ModelStudioBase
    | McpServer
    | Ingested
    | Annotated[SemanticReranker, _FIRST]
    | Annotated[AgenticReasoning, _BASES]
    | Annotated[ModelAnswerSynthesis, _BY_MODEL],
    Field(discriminator="type"),
]


class FoundReference(Out):
    """A reference. `type` and `id` come first, as in Azure's real answers."""

    type: str
    id: str
    activity_source: int
    reranker_score: float | None
    source_data: dict[str, object] | None


class Cited(FoundReference):
    """A reference with the address of its document, since 2026-08-01-preview. `citationUrl` begins with the endpoint
    that the caller called. It opens only if that host leads `/indexes` to the search service."""

    citation_url: Annotated[Text, _TIMED]


class IndexReference(Cited):
    """A document of an index, with its title since 2026-05-01-preview. A chunk of a file has the file with its
    heading."""

    type: Annotated[Literal["searchIndex"], KIND]
    title: Annotated[Text, _WARNED]
    doc_key: str


class ModelStudioReference(FoundReference):
    type: Annotated[Literal["modelStudioBase"], KIND]
    doc_key: str


class ToolReference(FoundReference):
    """A document from a tool. The document has no score."""

    type: Annotated[Literal["mcpServer"], KIND]
    tool_name: Text
    title: Text


class BlobReference(Cited):
    type: Annotated[Literal["azureBlob"], KIND]
    blob_url: Text


class DocumentReference(Cited):
    """A document of SharePoint or of a lakehouse, or a row of a table."""

    type: Annotated[Literal["indexedSharePoint", "indexedOneLake", "indexedSql"], KIND]
    doc_url: Text


class FileReference(Cited):
    """An uploaded file."""

    type: Annotated[Literal["file"], KIND]
    doc_name: Text


class RetrieveResponse(Out):
    response: list[Annotated[AgentMessage, _FIRST] | Annotated[AnswerMessage, _BASES]]
    activity: OptionalMember[list[Activity]]
    references: list[
        Annotated[
            IndexReference | ModelStudioReference | ToolReference | BlobReference | DocumentReference | FileReference,
            Field(discriminator="type"),
        ]
    ]
