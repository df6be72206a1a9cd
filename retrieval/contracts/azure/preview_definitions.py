"""Shapes of definitions that are the same in all previews since 2026-08-01-preview.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from retrieval.contracts.azure.definition_shapes import (
    MOST_SOURCES,
    BaseDefinition,
    CorsOptions,
    Count,
    FilteredIndexParameters,
    Instructions,
    KindMember,
    OutputMode,
    Runtime,
    ServedReference,
    SourceDefinition,
    Tags,
)
from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.azure_blob import Blob
from retrieval.contracts.azure.kinds.file import File
from retrieval.contracts.azure.kinds.indexed_one_lake import OneLake
from retrieval.contracts.azure.kinds.indexed_share_point import SharePoint
from retrieval.contracts.azure.kinds.indexed_sql import Sql
from retrieval.contracts.azure.kinds.ingestion_shapes import LatestIngestion
from retrieval.contracts.azure.kinds.mcp_server import Mcp, ProcessedTool, Tools
from retrieval.contracts.azure.preview_kinds import Kind
from retrieval.contracts.azure.query_hints import QueryHints
from retrieval.contracts.azure.request_body import Wire


class Effort(Wire):
    kind: Literal["minimal", "low", "medium", "auto"]


class RetrieveDefaults(Wire):
    max_runtime_in_seconds: Runtime | None = None
    max_output_documents: Count | None = None
    max_output_size_in_tokens: Count | None = None


class KnowledgeBase(BaseDefinition):
    """A knowledge base. `ground_everything` is our own member."""

    knowledge_sources: Annotated[list[ServedReference], Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True)]
    retrieval_reasoning_effort: Effort | None = None
    output_mode: OutputMode | None = None
    retrieval_instructions: Instructions | None = None
    answer_instructions: Instructions | None = None
    retrieve_defaults: RetrieveDefaults | None = None
    ground_everything: OptionalMember[bool]
    cors_options: CorsOptions | None = None
    tags: Tags | None = None
    encryption_key: dict[str, Any] | None = None


class IndexParameters(FilteredIndexParameters):
    query_hints: QueryHints | None = None


class Ingesting(Wire):
    ingestion_parameters: LatestIngestion | None = None
    query_hints: QueryHints | None = None


class BlobParameters(Blob, Ingesting):
    pass


class SharePointParameters(SharePoint, Ingesting):
    pass


class OneLakeParameters(OneLake, Ingesting):
    pass


class SqlParameters(Sql, Ingesting):
    pass


class FileParameters(File, Ingesting):
    pass


class McpParameters(Mcp):
    """The parameters of an MCP server."""

    tools: Annotated[list[ProcessedTool], Tools]


class KnowledgeSource(SourceDefinition):
    kind: KindMember[Kind]
    results_processing: Literal["rerank", "none"] | None = None
    search_index_parameters: IndexParameters | None = None
    azure_blob_parameters: OptionalMember[BlobParameters]
    indexed_share_point_parameters: OptionalMember[SharePointParameters]
    indexed_one_lake_parameters: OptionalMember[OneLakeParameters]
    indexed_sql_parameters: OptionalMember[SqlParameters]
    mcp_server_parameters: OptionalMember[McpParameters]
    file_parameters: OptionalMember[FileParameters]
    cors_options: OptionalMember[CorsOptions]
    encryption_key: dict[str, Any] | None = None
