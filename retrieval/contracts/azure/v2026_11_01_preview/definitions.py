"""Knowledge bases and their sources, api-version 2026-11-01-preview. Until the specification is public, the definitions
are those of 2026-08-01-preview. Members for graphs, and models of another kind than `azureOpenAI`, are refused.
"""

from typing import Final

from retrieval.contracts.azure import definitions
from retrieval.contracts.azure.definition_shapes import KindStatus
from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.contracts.azure.preview_definitions import KnowledgeBase, KnowledgeSource
from retrieval.model.definitions import Agent, Source

__all__ = ["BASES", "SOURCES", "KnowledgeBase", "KnowledgeSource"]

BASES: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=KnowledgeBase, kind=definitions.BASES, paged=True)
SOURCES: Final[AzureDefinitions[Source]] = AzureDefinitions(
    shape=KnowledgeSource, kind=definitions.SOURCES, status=KindStatus, paged=True
)
