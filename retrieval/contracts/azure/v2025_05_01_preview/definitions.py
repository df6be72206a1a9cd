"""The agent definition: a chat model, the target with its defaults, and the limits of a request.

Schema: knowledge agents, Create Or Update, 2025-05-01-preview. That schema has one target. This service also allows
further targets, which must be Model Studio bases. `http.validity` checks this rule.
"""

from typing import Annotated, Any, Final

from pydantic import Field, field_validator

from retrieval.contracts.azure.definition_shapes import Definition, Models, ObjectName, RequestLimits, Threshold
from retrieval.contracts.azure.definitions import AGENTS_OF_INDEXES, AzureDefinitions
from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import Agent

MOST_TARGETS: Final = 8


class TargetIndex(Wire):
    index_name: ObjectName
    default_reranker_threshold: Threshold | None = None
    default_include_reference_source_data: bool | None = None
    default_max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None


class AgentDefinition(Definition):
    models: Models = Field(default=[])
    target_indexes: Annotated[list[TargetIndex], Field(min_length=1, max_length=MOST_TARGETS, fail_fast=True)]
    request_limits: RequestLimits | None = None
    encryption_key: dict[str, Any] | None = None

    @field_validator("target_indexes")
    @classmethod
    def _named_once(cls, targets: list[TargetIndex]) -> list[TargetIndex]:
        names = [target.index_name for target in targets]
        if len(set(names)) < len(names):
            raise ValueError("an index is named twice")
        return targets


AGENTS: Final[AzureDefinitions[Agent]] = AzureDefinitions(shape=AgentDefinition, kind=AGENTS_OF_INDEXES)
