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

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, Union

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.table import SHAPES
from retrieval.contracts.azure.members_by_version import KIND, of_kind, since
from retrieval.contracts.azure.retrieve.record_shapes import (
    OURS,
    TIMED,
    WARNED,
    Arguments,
    Cited,
    FoundReference,
    Out,
    Record,
    Search,
    Text,
    TextContent,
)
from retrieval.model.activity import By
from retrieval.model.definitions import Effort, IngestedKind

_FIRST: Final = since("2025-08-01-preview", until=("2025-08-01-preview",))
_BASES: Final = since("2025-11-01-preview", "2026-04-01")
_BY_MODEL: Final = since("2025-08-01-preview", "2026-10-01")
_NEWER: Final = since("2026-08-01-preview")
_NAMED: Final = since("2026-05-01-preview", until=("2026-05-01-preview",))


class AnswerMessage(Out):
    """A message of the answer. It has no role, as in Azure's real answers since 2025-11-01-preview."""

    content: list[TextContent]


class AgentMessage(AnswerMessage):
    """A message of the answer in 2025-08-01-preview, with its role."""

    role: Literal["assistant"] = "assistant"


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
    model: Annotated[OptionalMember[Model], TIMED]


class ModelAnswerSynthesis(ByModel):
    """A written answer, and whether a model or the rules wrote it."""

    type: Literal["modelAnswerSynthesis"]
    written_by: Annotated[By, OURS]
    model_name: Annotated[Text, _NAMED]
    model: Annotated[OptionalMember[Model], TIMED]


class FieldName(Out):
    name: str


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
    selected: Annotated[OptionalMember[list[str]], OURS]
    is_sufficient: Annotated[OptionalMember[bool], OURS]
    planned_by: Annotated[By, OURS]
    logical_reasoning_effort: Annotated[ReasoningEffort, _NEWER]


class IndexReference(Cited):
    """A document of an index, with its title since 2026-05-01-preview. A chunk of a file has the file with its
    heading."""

    type: Annotated[Literal["searchIndex"], KIND]
    title: Annotated[Text, WARNED]
    doc_key: str


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


if TYPE_CHECKING:
    Activity: TypeAlias = Record
    AnyReference: TypeAlias = FoundReference
else:
    Activity = Annotated[
        Union[
            Annotated[ModelQueryPlanning, _BY_MODEL],
            SearchIndex,
            *(shapes.record for shapes in SHAPES),
            Ingested,
            Annotated[SemanticReranker, _FIRST],
            Annotated[AgenticReasoning, _BASES],
            Annotated[ModelAnswerSynthesis, _BY_MODEL],
        ],
        Field(discriminator="type"),
    ]
    AnyReference = Annotated[
        Union[
            IndexReference,
            *(shapes.reference for shapes in SHAPES),
            BlobReference,
            DocumentReference,
            FileReference,
        ],
        Field(discriminator="type"),
    ]


class RetrieveResponse(Out):
    response: list[Annotated[AgentMessage, _FIRST] | Annotated[AnswerMessage, _BASES]]
    activity: OptionalMember[list[Activity]]
    references: list[AnyReference]
