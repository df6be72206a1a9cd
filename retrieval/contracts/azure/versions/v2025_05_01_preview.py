"""Knowledge agents over indexes, api-version 2025-05-01-preview. This version has no knowledge sources and its own
shapes: an agent has a chat model, a target with its defaults, and the limits of a request.

The schema has one target. This service also allows further targets, which must be Model Studio bases. `http.validity`
checks this rule. Sources: Knowledge agents - Create Or Update, Knowledge Retrieval - Retrieve (REST reference), and
"Retrieve data using a knowledge agent" (how-to). The members `error`, `threshold`, `dropped`, `guessed`, `selected`,
`isSufficient` and `warning` of activity records are our own. The published schema does not have them. Clients of this
version ignore members that they do not know.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure import definition_shapes
from retrieval.contracts.azure.definition_shapes import Definition, Models, RequestLimits
from retrieval.contracts.azure.definitions import AGENTS_OF_INDEXES, AzureDefinitions
from retrieval.contracts.azure.errors import ErrorDetail, detail, is_none
from retrieval.contracts.azure.kinds.kind import ObjectName
from retrieval.contracts.azure.kinds.table import served
from retrieval.contracts.azure.request_body import (
    Conversation,
    Wire,
    conversation,
    filter_of,
    read,
    refuse_control_characters,
)
from retrieval.contracts.azure.retrieve.requests import (
    DEFAULT_OUTPUT_TOKENS,
    Defaults,
    check_kinds,
    narrow,
    search_target,
    value_or,
    with_threshold,
)
from retrieval.contracts.azure.version import Version
from retrieval.contracts.azure.versioned import names_of, versions_with
from retrieval.contracts.rendered import Rendered, timestamp
from retrieval.errors import BadRequest
from retrieval.filters import odata
from retrieval.model.activity import Activity, DropReason, RankerActivity, SearchActivity, StepActivity
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Limits, Outcome, RetrievalRequest
from retrieval.model.search import RANKED_PER_SUBQUERY, SearchTarget, StatedBy

MOST_TARGETS: Final = 8


class TargetIndex(Wire):
    index_name: ObjectName
    default_reranker_threshold: definition_shapes.Threshold | None = None
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


class IndexParams(Wire):
    index_name: str | None = None
    filter_add_on: str | None = None
    max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None
    reranker_threshold: Annotated[float, Field(ge=0, le=4)] | None = None
    include_reference_source_data: bool | None = None


class RetrieveRequest(Wire):
    messages: Conversation
    target_index_params: Annotated[list[IndexParams], Field(fail_fast=True)] | None = None


CAMEL: Final = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)


class Out(BaseModel):
    """A shape of the answer."""

    model_config = CAMEL


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class AgentMessage(Out):
    role: Literal["assistant"] = "assistant"
    content: list[TextContent]


class Query(Out):
    search: str
    filter: str | None


class ModelQueryPlanning(Out):
    type: Literal["ModelQueryPlanning"] = "ModelQueryPlanning"
    id: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int
    error: ErrorDetail | None = Field(default=None, exclude_if=is_none)


class Threshold(Out):
    value: float
    set_by: StatedBy


class AzureSearchQuery(Out):
    type: Literal["AzureSearchQuery"] = "AzureSearchQuery"
    id: int
    target_index: str
    query: Query
    query_time: str
    count: int
    elapsed_ms: int
    threshold: Threshold | None = Field(default=None, exclude_if=is_none)
    dropped: dict[DropReason, int]
    guessed: bool | None = Field(default=None, exclude_if=is_none)
    error: ErrorDetail | None = Field(default=None, exclude_if=is_none)


class AzureSearchSemanticRanker(Out):
    type: Literal["AzureSearchSemanticRanker"] = "AzureSearchSemanticRanker"
    id: int
    input_tokens: int
    elapsed_ms: int
    selected: list[str] | None = Field(default=None, exclude_if=is_none)
    is_sufficient: bool | None = Field(default=None, exclude_if=is_none)
    warning: str | None = Field(default=None, exclude_if=is_none)


Record: TypeAlias = ModelQueryPlanning | AzureSearchQuery | AzureSearchSemanticRanker


@dataclass(slots=True)
class AzureSearchDoc:
    # An answer can have 250 references. A pydantic model takes five times as long to create as a dataclass.
    __pydantic_config__: ClassVar = CAMEL

    type: Literal["AzureSearchDoc"]
    id: str
    activity_source: int
    doc_key: str
    source_data: dict[str, object] | None


class RetrieveResponse(Out):
    response: list[AgentMessage]
    activity: list[Record]
    references: list[AzureSearchDoc]


_INDEX_NAME: Final = "targetIndexParams[0].indexName"
_FILTER: Final = "targetIndexParams[0].filterAddOn"
_NAMES: Final = names_of(RetrieveRequest)


def _params(params: list[IndexParams]) -> IndexParams:
    if len(params) > 1:
        reason = f"Only one target index is supported; {len(params)} were given."
        raise BadRequest(reason, target="targetIndexParams")
    return params[0] if params else IndexParams()


def _params_target(params: IndexParams, agent: Agent) -> Target | None:
    """The target to which the parameters apply; None if there are no parameters. If the agent has several targets, the
    parameters must name one target, so that no filter applies to the wrong target. Raises BadRequest."""
    if params == IndexParams():
        return None
    if params.index_name is None:
        return _only_target(agent)
    named_target = next((target for target in agent.targets if target.index == params.index_name), None)
    if named_target is None:
        reason = f"The index {params.index_name[:200]!r} is not a target of the agent {agent.name!r}."
        raise BadRequest(reason, target=_INDEX_NAME)
    return named_target


def _only_target(agent: Agent) -> Target:
    if len(agent.targets) > 1:
        names = ", ".join(repr(target.index) for target in agent.targets)
        raise BadRequest(f"Name one of the agent's targets: {names}.", target=_INDEX_NAME)
    return agent.targets[0]


def _target(target: Target, params: IndexParams) -> SearchTarget:
    """A target of the agent with the request's parameters. This version has indexes, but no knowledge sources.
    Therefore the name, the source fields, `include_references` and `always` of a knowledge source do not apply."""
    defaults = search_target(target, threshold=VERSION.defaults.threshold)
    return replace(
        with_threshold(narrow(defaults, filter_of(params.filter_add_on, target=_FILTER)), params.reranker_threshold),
        include_source_data=value_or(params.include_reference_source_data, defaults.include_source_data),
        max_documents=_fifties(value_or(params.max_docs_for_reranker, target.max_documents)),
        source="",
        source_fields=(),
        include_references=True,
        always=False,
    )


def _fifties(documents: int | None) -> int | None:
    """The number rounded up to a multiple of 50, which is the how-to's rule for `maxDocsForReranker`."""
    return None if documents is None else math.ceil(documents / RANKED_PER_SUBQUERY) * RANKED_PER_SUBQUERY


def _activity(activity: Activity, number: int) -> Record:
    match activity:
        case StepActivity():
            return ModelQueryPlanning(
                id=number,
                input_tokens=activity.input_tokens,
                output_tokens=activity.output_tokens,
                elapsed_ms=activity.elapsed_ms,
                error=None if activity.error is None else detail(activity.error),
            )
        case SearchActivity():
            return _search(activity, number)
        case RankerActivity():
            return AzureSearchSemanticRanker(
                id=number,
                input_tokens=activity.input_tokens,
                elapsed_ms=activity.elapsed_ms,
                selected=None if activity.selected is None else list(map(str, activity.selected)),
                is_sufficient=activity.is_sufficient,
                warning=activity.warning,
            )


def _search(activity: SearchActivity, number: int) -> AzureSearchQuery:
    result = activity.searched
    target = result.subquery.target
    return AzureSearchQuery(
        id=number,
        target_index=target.index,
        query=Query(search=result.subquery.search, filter=None if target.filter is None else odata.text(target.filter)),
        query_time=timestamp(result.ended_at),
        count=activity.found,
        elapsed_ms=result.elapsed_ms,
        threshold=None if result.threshold is None else Threshold(value=result.threshold, set_by=target.threshold_by),
        dropped=dict(activity.dropped),
        guessed=result.subquery.guessed or None,
        error=None if result.fault is None else detail(result.fault),
    )


class AgentsOfIndexes(Version):
    """The version with agents over indexes."""

    @cached_property
    def request(self) -> Any:
        """The shape of a retrieve request."""
        return RetrieveRequest

    @cached_property
    def response(self) -> Any:
        """The shape of a retrieve answer."""
        return RetrieveResponse

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request from a body. A member that the body does not state comes from the agent, or else from the
        defaults of this version. Raises BadRequest."""
        check_kinds(agent, self.kinds)
        wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
        params = _params(wire.target_index_params or [])
        refuse_control_characters(user_token or "", target="x-ms-query-source-authorization")
        params_target = _params_target(params, agent)
        return RetrievalRequest(
            messages=conversation(wire.messages),
            targets=tuple(
                _target(target, params if target is params_target else IndexParams()) for target in agent.targets
            ),
            effort=agent.effort,
            grounds_everything=agent.ground_everything,
            limits=Limits(
                output_tokens=value_or(agent.max_output_tokens, DEFAULT_OUTPUT_TOKENS),
                runtime=value_or(agent.own_runtime, self.defaults.runtime),
            ),
            user_token=user_token,
        )

    def render(self, outcome: Outcome) -> Rendered:
        """The answer to a retrieval. The status is 200 even if some sub-queries failed, because this version has no
        status 206."""
        ids = outcome.search_ids
        response = RetrieveResponse(
            response=[AgentMessage(content=[TextContent(text=outcome.grounding.text)])],
            activity=[
                _activity(activity, number)
                for number, activity in enumerate(outcome.activity)
                if not (isinstance(activity, StepActivity) and activity.step == "answer")
            ],
            references=[
                AzureSearchDoc(
                    "AzureSearchDoc",
                    str(number),
                    ids[reference.subquery],
                    reference.hit.key,
                    dict(reference.hit.source) if reference.target.include_source_data else None,
                )
                for number, reference in enumerate(outcome.references)
            ],
        )
        return Rendered(status=200, body=response.model_dump_json(by_alias=True, exclude_none=False).encode())

    def definitions(self, route: str) -> AzureDefinitions[Any]:
        """The contract of the definitions of agents."""
        return AzureDefinitions(shape=AgentDefinition, kind=AGENTS_OF_INDEXES)


VERSION: Final = AgentsOfIndexes(
    name="2025-05-01-preview",
    # The version has no knowledge sources, so `indexName` also names Model Studio bases.
    kinds=served("searchIndex", "modelStudioBase"),
    # The figure of this version's REST reference and how-to. No real answer of this version shows its default.
    defaults=Defaults(threshold=2.5),
)
