"""Retrieve, api-version 2026-10-01: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

Source: the REST specification, `stable/2026-10-01/search.json`, and its examples. The specification states no defaults
and no limits. The defaults are our own, and the limits are those of 2026-08-01-preview. If a body has only intents and
no written answer is wanted, the default effort is `minimal`, as in 2026-04-01. The only types that are not in the
specification are those of our own kind `modelStudioBase`.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import (
    Asked,
    Most,
    ReasoningEffort,
    ShownSource,
    SourceDocuments,
)
from retrieval.contracts.azure.retrieve.requests import Defaults, read_as, request_of
from retrieval.contracts.azure.retrieve.response_shapes import (
    Answered,
    Arguments,
    ByModel,
    IndexArguments,
    IngestedArguments,
    Ranked,
    Searched,
)
from retrieval.contracts.azure.retrieve.timed_shapes import CitedReferences, Model, ModelQueryPlanning, Timed
from retrieval.contracts.azure.v2026_10_01.kinds import Kind
from retrieval.model.definitions import SUBQUERIES_BY_EFFORT, Agent, IngestedKind, OutputMode
from retrieval.model.retrieval import RetrievalRequest

DEFAULT_THRESHOLD: Final = 0.0
"""None. The specification states no default, so it is as in the versions before it."""

DEFAULTS: Final = Defaults(
    kinds=get_args(Kind), threshold=DEFAULT_THRESHOLD, runtime=90.0, most_queries=SUBQUERIES_BY_EFFORT
)
OF_INTENTS: Final = replace(DEFAULTS, effort="minimal")
TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", cites=True
)


class SourceParams(ShownSource):
    always_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None


class RetrieveRequest(Asked):
    max_output_documents: Most | None = None
    max_output_size_in_tokens: Most | None = None
    retrieval_reasoning_effort: ReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None


class SearchIndex(Searched, Timed):
    type: Literal["searchIndex"]
    search_index_arguments: IndexArguments


class ModelStudioBase(Searched, Timed):
    type: Literal["modelStudioBase"]
    model_studio_base_arguments: Arguments


class Ingested(IngestedArguments, Searched, Timed):
    type: IngestedKind


class AgenticReasoning(Ranked, Timed):
    type: Literal["agenticReasoning"]


class ModelAnswerSynthesis(ByModel, Timed):
    type: Literal["modelAnswerSynthesis"]
    model: OptionalMember[Model]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class RetrieveResponse(Answered):
    activity: OptionalMember[list[Activity]]
    references: list[CitedReferences]


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request from a body. See `request_of`. Raises BadRequest.

    An agent that was stored through a preview version may have the effort `auto`. This version does not have `auto`, so
    it uses the default effort instead.
    """
    wire = read_as(RetrieveRequest, body)
    known_agent = replace(agent, effort=None) if agent.effort == "auto" else agent
    writes = (wire.output_mode or agent.output_mode) == "answerSynthesis"
    return request_of(wire, known_agent, DEFAULTS if wire.messages or writes else OF_INTENTS, user_token=user_token)


render: Final = partial(render_as, RetrieveResponse, TYPES)
