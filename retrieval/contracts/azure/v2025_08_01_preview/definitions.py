"""The definitions of agents and of knowledge sources, api-version 2025-08-01-preview."""

from typing import Annotated, Any, Final

from pydantic import Field

from retrieval.contracts.azure import definitions
from retrieval.contracts.azure.definition_shapes import (
    MOST_SOURCES,
    BaseDefinition,
    Instructions,
    KindMember,
    Named,
    ObjectName,
    OutputMode,
    RequestLimits,
    SourceDefinition,
    Threshold,
)
from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.azure_blob import FlatBlobParameters
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.v2025_08_01_preview.kinds import Kind
from retrieval.model.definitions import Agent, Source


class SourceReference(Named):
    include_references: bool | None = None
    include_reference_source_data: bool | None = None
    always_query_source: bool | None = None
    max_sub_queries: Annotated[int, Field(ge=2, le=40)] | None = None
    reranker_threshold: Threshold | None = None


class OutputConfiguration(Wire):
    modality: OutputMode | None = None
    answer_instructions: Instructions | None = None
    attempt_fast_path: bool | None = None
    include_activity: bool | None = None


class AgentDefinition(BaseDefinition):
    knowledge_sources: Annotated[list[SourceReference], Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True)]
    output_configuration: OutputConfiguration | None = None
    request_limits: RequestLimits | None = None
    retrieval_instructions: Instructions | None = None
    encryption_key: dict[str, Any] | None = None


class IndexParameters(Wire):
    """The parameters of a search index. `source_data_select` is a list of field names that are separated by commas."""

    search_index_name: ObjectName
    source_data_select: Annotated[str, Field(max_length=100_000)] | None = None


class KnowledgeSource(SourceDefinition):
    kind: KindMember[Kind]
    search_index_parameters: IndexParameters | None = None
    azure_blob_parameters: OptionalMember[FlatBlobParameters]
    encryption_key: dict[str, Any] | None = None


AGENTS: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=AgentDefinition, kind=definitions.AGENTS)
SOURCES: Final[AzureDefinitions[Source]] = AzureDefinitions(shape=KnowledgeSource, kind=definitions.SOURCES)
