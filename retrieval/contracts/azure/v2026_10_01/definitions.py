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
    KindStatus,
    Named,
    OutputMode,
    SourceDefinition,
)
from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.model.definitions import Agent, Source


class KnowledgeBase(BaseDefinition):
    knowledge_sources: Annotated[list[Named], Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True)]
    retrieval_reasoning_effort: Effort | None = None
    output_mode: OutputMode | None = None
    retrieval_instructions: Instructions | None = None
    answer_instructions: Instructions | None = None
    cors_options: CorsOptions | None = None
    encryption_key: dict[str, Any] | None = None


class KnowledgeSource(SourceDefinition):
    search_index_parameters: FilteredIndexParameters | None = None
    encryption_key: dict[str, Any] | None = None


BASES: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=KnowledgeBase, kind=definitions.BASES, paged=True)
SOURCES: Final[AzureDefinitions[Source]] = AzureDefinitions(
    shape=KnowledgeSource, kind=definitions.SOURCES, status=KindStatus, paged=True
)
