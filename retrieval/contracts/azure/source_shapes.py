"""Shapes of definitions of knowledge sources, with the parameters of every kind that is an index, and of a source's
status. Each member has marks of its versions.

The parameters of the other kinds are in the folders of these kinds (`kinds.table`). Sources: as in `definition_shapes`.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, create_model

from retrieval.contracts.azure.definition_shapes import FIRST, NEWER, CorsOptions, Definition
from retrieval.contracts.azure.errors import OptionalMember, is_none
from retrieval.contracts.azure.kinds.indexes import FlatIngestion, IngestionText, QueryHints
from retrieval.contracts.azure.kinds.kind import Named, ObjectName
from retrieval.contracts.azure.kinds.table import SHAPES, check_served
from retrieval.contracts.azure.members_by_version import KIND, Rule, Words, of_kind, since
from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import SourceKind

Fields: TypeAlias = Annotated[list[Named], Field(max_length=1_000, fail_fast=True)]
_LISTED: Final = since("2025-11-01-preview", "2026-04-01")

Resources: TypeAlias = Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=20)]
"""The names of the generated objects, by role. The object with the role `index` is the index that is searched."""

Permission: TypeAlias = Annotated[
    Literal["userIds", "groupIds", "rbacScope", "sensitivityLabels"],
    Words({"sensitivityLabels": since("2026-05-01-preview")}.get),
]


class IndexParameters(Wire):
    """The parameters of a search index. `source_data_select` is a list of field names that are separated by commas."""

    search_index_name: ObjectName
    source_data_select: Annotated[
        Annotated[str, Field(max_length=100_000)] | None, since("2025-08-01-preview", until=("2025-08-01-preview",))
    ] = None
    source_data_fields: Annotated[Fields | None, _LISTED] = None
    search_fields: Annotated[Fields | None, _LISTED] = None
    semantic_configuration_name: Annotated[ObjectName | None, _LISTED] = None
    base_filter: Annotated[str | None, since("2026-05-01-preview", "2026-10-01")] = None
    query_hints: Annotated[QueryHints | None, since("2026-08-01-preview")] = None


class AIServices(Wire):
    uri: IngestionText
    api_key: str | None = Field(default=None, repr=False)


class AssetStore(Wire):
    connection_string: IngestionText = Field(repr=False)
    container_name: IngestionText


class Freshness(Wire):
    boosting_duration: IngestionText | None = None


class Ingestion(FlatIngestion):
    """The ingestion parameters. The members of models and identities depend on their kind, so they are not checked."""

    content_extraction_mode: Literal["minimal", "standard"] | None = None
    ai_services: AIServices | None = None
    ingestion_permission_options: Annotated[
        Annotated[list[Permission], Field(max_length=10, fail_fast=True)] | None,
        since("2025-11-01-preview", "2026-10-01"),
    ] = None
    asset_store: Annotated[AssetStore | None, since("2026-05-01-preview")] = None
    freshness_policy: Annotated[Freshness | None, since("2026-05-01-preview")] = None
    network_access_mode: Annotated[Literal["public", "private"] | None, since("2026-08-01-preview", "2026-10-01")] = (
        None
    )


class Created(Wire):
    """The parameters of a kind whose index the search service makes. All these kinds have these members."""

    ingestion_parameters: Ingestion | None = None
    query_hints: Annotated[QueryHints | None, since("2026-08-01-preview")] = None
    created_resources: Resources | None = None


class FileParameters(Created):
    """The parameters of a source of uploaded files."""


class Folder(AssetStore):
    folder_path: IngestionText | None = None


class FlatBlobParameters(FlatIngestion, Folder):
    """The parameters of a blob source in 2025-08-01-preview."""

    created_resources: Resources | None = None


class BlobParameters(Folder, Created):
    """The parameters of a blob source since 2025-11-01-preview."""

    is_adls_gen2: bool | None = Field(default=None, alias="isADLSGen2")


class OneLakeParameters(Created):
    fabric_workspace_id: IngestionText
    lakehouse_id: IngestionText
    target_path: IngestionText | None = None


class SharePointParameters(Created):
    connection_string: IngestionText = Field(repr=False)
    query: IngestionText | None = None
    container_name: Annotated[
        Literal["defaultSiteLibrary", "allSiteLibraries", "useQuery", "allSiteLists", "allSitePages", "allSiteContent"],
        Words(dict.fromkeys(("allSiteLists", "allSitePages", "allSiteContent"), since("2026-10-01")).get),
    ]


class EmbeddedColumn(Wire):
    name: IngestionText
    source_field: IngestionText


class Column(EmbeddedColumn):
    search_field_type: IngestionText


class SqlParameters(Created):
    connection_string: IngestionText = Field(repr=False)
    table_or_view: IngestionText
    high_water_mark_column_name: IngestionText | None = None
    content_columns: Annotated[list[Column], Field(max_length=1_000, fail_fast=True)] | None = None
    embedding_columns: Annotated[list[EmbeddedColumn], Field(max_length=1_000, fail_fast=True)] | None = None


class _Kind(Wire):
    kind: Annotated[SourceKind, KIND, BeforeValidator(check_served), Field(exclude_if=is_none)]
    results_processing: Annotated[Literal["rerank", "none"] | None, NEWER] = None
    search_index_parameters: Annotated[IndexParameters | None, of_kind("searchIndex")] = None
    azure_blob_parameters: Annotated[
        OptionalMember[
            Annotated[FlatBlobParameters, FIRST] | Annotated[BlobParameters, since("2025-11-01-preview", "2026-04-01")]
        ],
        of_kind("azureBlob"),
    ]
    indexed_share_point_parameters: Annotated[OptionalMember[SharePointParameters], of_kind("indexedSharePoint")]
    indexed_one_lake_parameters: Annotated[OptionalMember[OneLakeParameters], of_kind("indexedOneLake")]
    indexed_sql_parameters: Annotated[OptionalMember[SqlParameters], of_kind("indexedSql")]


class _File(Wire):
    file_parameters: Annotated[OptionalMember[FileParameters], of_kind("file")]
    cors_options: Annotated[OptionalMember[CorsOptions], since("2026-08-01-preview", "2026-10-01")]
    encryption_key: dict[str, Any] | None = None


_OWN: Final = [shapes.definition for shapes in SHAPES if shapes.is_own]
_AZURES: Final = [shapes.definition for shapes in SHAPES if not shapes.is_own]

_PARTS: Final[tuple[type[Wire], ...]] = (_File, *_AZURES[::-1], _Kind, *_OWN[::-1], Definition)

KnowledgeSource: Final[Any] = create_model(
    "KnowledgeSource",
    __base__=_PARTS,
    __doc__="A knowledge source. A list shows an unreadable source without a kind, so that no client looks for the "
    "parameters\nof the kind. The kind is also left out if the version does not have it.",
)


class SourceStatus(Wire):
    """The status of a knowledge source. If Azure's ingestion makes the index of the source, the status is `creating`
    until the index exists. Otherwise the status is `active`.

    `document_count` and `synchronized_by` are our own members for a source whose index Azure's ingestion makes.
    `document_count` is the number of documents in the index. `synchronized_by` names the service that keeps the index
    up to date. That service reports the states that are null here.
    """

    synchronization_status: Literal["creating", "active", "deleting"] = "active"
    synchronization_interval: None = None
    current_synchronization_state: None = None
    last_synchronization_state: None = None
    statistics: None = None
    document_count: OptionalMember[int]
    synchronized_by: OptionalMember[Literal["searchService"]]
    kind: Annotated[
        SourceKind,
        KIND,
        Rule(Field(exclude_if=is_none), since("2026-04-01")),
        since("2026-05-01-preview", "2026-04-01"),
    ]
