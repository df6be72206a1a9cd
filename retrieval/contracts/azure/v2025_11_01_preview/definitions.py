"""Knowledge bases and their sources, api-version 2025-11-01-preview."""

from typing import Annotated, Any, Final

from pydantic import Field

from retrieval.contracts.azure import definitions
from retrieval.contracts.azure.definition_shapes import (
    MOST_SOURCES,
    BaseDefinition,
    Effort,
    IndexParameters,
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
from retrieval.contracts.azure.kinds.indexed_one_lake import OneLake
from retrieval.contracts.azure.kinds.indexed_share_point import SharePoint
from retrieval.contracts.azure.kinds.ingestion_shapes import PermittedIngestion
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.v2025_11_01_preview.kinds import Kind
from retrieval.model.definitions import Agent, Source


class KnowledgeBase(BaseDefinition):
    knowledge_sources: Annotated[list[Named], Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True)]
    retrieval_reasoning_effort: Effort | None = None
    output_mode: OutputMode | None = None
    retrieval_instructions: Instructions | None = None
    answer_instructions: Instructions | None = None
    encryption_key: dict[str, Any] | None = None


class Ingesting(Wire):
    ingestion_parameters: PermittedIngestion | None = None


class BlobParameters(Blob, Ingesting):
    pass


class SharePointParameters(SharePoint, Ingesting):
    pass


class OneLakeParameters(OneLake, Ingesting):
    pass


class KnowledgeSource(SourceDefinition):
    kind: KindMember[Kind]
    search_index_parameters: IndexParameters | None = None
    azure_blob_parameters: OptionalMember[BlobParameters]
    indexed_share_point_parameters: OptionalMember[SharePointParameters]
    indexed_one_lake_parameters: OptionalMember[OneLakeParameters]
    encryption_key: dict[str, Any] | None = None


BASES: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=KnowledgeBase, kind=definitions.BASES)
SOURCES: Final[AzureDefinitions[Source]] = AzureDefinitions(
    shape=KnowledgeSource, kind=definitions.SOURCES, status=SourceStatus
)
