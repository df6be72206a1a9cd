"""The response of retrieve, api-version 2026-08-01-preview, out of the hub.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.retrieve.answered import answered
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.response_shapes import (
    AnswerMessage,
    Arguments,
    ByModel,
    IndexArguments,
    Out,
    Reasoning,
    ReasoningEffort,
    Record,
    Reference,
    Search,
    Text,
    Unsaid,
    Written,
)
from retrieval.contracts.rendered import Rendered
from retrieval.model.retrieval import Outcome

TYPES: Final = Types(planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis")


class Timed(Record):
    started_at: Text
    completed_at: Text
    warning: Text


class Model(Out):
    model_name: str
    deployment_id: str


class ModelQueryPlanning(ByModel, Timed):
    type: Literal["modelQueryPlanning"]
    model: Unsaid[Model]


class TypedArguments(IndexArguments):
    query_type: Literal["simple", "full", "semantic"]


class QueryHintProcessing(Out):
    """What a model made of query hints: a clause of the search text, and a part of the filter."""

    generated_boost: Text
    generated_filter: Text


class SearchIndex(Search, Timed):
    type: Literal["searchIndex"]
    search_index_arguments: TypedArguments
    query_hint_processing: Unsaid[QueryHintProcessing]


class ModelStudioBase(Search, Timed):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class AgenticReasoning(Reasoning, Timed):
    """`logicalReasoningEffort` is what the caller asked for, the other what was done."""

    type: Literal["agenticReasoning"]
    logical_reasoning_effort: ReasoningEffort


class ModelAnswerSynthesis(Written, Timed):
    type: Literal["modelAnswerSynthesis"]
    model: Unsaid[Model]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class RetrieveResponse(Out):
    response: list[AnswerMessage]
    activity: Unsaid[list[Activity]]
    references: list[Reference]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 206 when some sub-queries failed and others did not."""
    return answered(outcome, RetrieveResponse, TYPES, partial=206)
