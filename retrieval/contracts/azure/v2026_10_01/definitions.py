"""Knowledge bases and their sources, api-version 2026-10-01.

Source: the REST specification, `stable/2026-10-01/search.json`.
"""

from typing import Annotated, Any, Final

from pydantic import Field

from retrieval.contracts.azure import definitions
from retrieval.contracts.azure.definition_shapes import (
    MOST_SOURCES,
    BaseDefinition,
    CorsOptions,
    Effort,
    FilteredIndexParameters,
    Instructions,
    KindMember,
    Named,
    OutputMode,
    SourceDefinition,
    SourceStatus,
)
from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.azure_blob import Blob
from retrieval.contracts.azure.kinds.file import File
from retrieval.contracts.azure.kinds.indexed_one_lake import OneLake
from retrieval.contracts.azure.kinds.indexed_share_point import WiderSharePoint
from retrieval.contracts.azure.kinds.indexed_sql import Sql
from retrieval.contracts.azure.kinds.ingestion_shapes import NetworkIngestion
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.v2026_10_01.kinds import Kind
from retrieval.model.definitions import Agent, Source


class KnowledgeBase(BaseDefinition):
    knowledge_sources: Annotated[list[Named], Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True)]
    retrieval_reasoning_effort: Effort | None = None
    output_mode: OutputMode | None = None
    retrieval_instructions: Instructions | None = None
    answer_instructions: Instructions | None = None
    cors_options: CorsOptions | None = None
    encryption_key: dict[str, Any] | None = None


class Ingesting(Wire):
    ingestion_parameters: NetworkIngestion | None = None


class BlobParameters(Blob, Ingesting):
    pass


class SharePointParameters(WiderSharePoint, Ingesting):
    pass


class OneLakeParameters(OneLake, Ingesting):
    pass


class SqlParameters(Sql, Ingesting):
    pass


class FileParameters(File, Ingesting):
    pass


class KnowledgeSource(SourceDefinition):
    kind: KindMember[Kind]
    search_index_parameters: FilteredIndexParameters | None = None
    azure_blob_parameters: OptionalMember[BlobParameters]
    indexed_share_point_parameters: OptionalMember[SharePointParameters]
    indexed_one_lake_parameters: OptionalMember[OneLakeParameters]
    indexed_sql_parameters: OptionalMember[SqlParameters]
    file_parameters: OptionalMember[FileParameters]
    cors_options: OptionalMember[CorsOptions]
    encryption_key: dict[str, Any] | None = None


class KnowledgeSourceStatus(SourceStatus):
    kind: KindMember[Kind]


BASES: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=KnowledgeBase, kind=definitions.BASES, paged=True)
SOURCES: Final[AzureDefinitions[Source]] = AzureDefinitions(
    shape=KnowledgeSource, kind=definitions.SOURCES, status=KnowledgeSourceStatus, paged=True
)
