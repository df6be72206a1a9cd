"""Knowledge agents over indexes, api-version 2025-05-01-preview. This version has no knowledge sources and its own
shapes: an agent has a chat model, a target with its defaults, and the limits of a request.

The schema has one target. This service also allows further targets, which must be Model Studio bases. `http.validity`
checks this rule. Sources: Knowledge agents - Create Or Update, Knowledge Retrieval - Retrieve (REST reference), and
"Retrieve data using a knowledge agent" (how-to). The members `error`, `threshold`, `dropped`, `guessed`, `selected`,
`isSufficient` and `warning` of activity records are our own. The published schema does not have them. Clients of this
version ignore members that they do not know.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.errors import ErrorDetail, OptionalMember
from retrieval.contracts.azure.kinds.table import served
from retrieval.contracts.azure.members_by_version import names_of, versions_with
from retrieval.contracts.azure.request_body import (
    Conversation,
    RerankerThreshold,
    Wire,
    conversation,
    filter_of,
    read,
)
from retrieval.contracts.azure.retrieve.record_shapes import Out, TextContent
from retrieval.contracts.azure.retrieve.requests import (
    DEFAULT_OUTPUT_TOKENS,
    Defaults,
    check_kinds,
    narrow,
    search_target,
    value_or,
)
from retrieval.contracts.azure.retrieve.responses import Members, Types, record
from retrieval.contracts.azure.version import Version
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BadRequest
from retrieval.filters import odata
from retrieval.model.activity import Activity, DropReason, SearchActivity
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Limits, Outcome, RetrievalRequest
from retrieval.model.search import RANKED_PER_SUBQUERY, SearchTarget, StatedBy

if TYPE_CHECKING:
    from retrieval.contracts.azure.definitions import AzureDefinitions


class IndexParams(Wire):
    index_name: str | None = None
    filter_add_on: str | None = None
    max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None
    reranker_threshold: RerankerThreshold | None = None
    include_reference_source_data: bool | None = None


class RetrieveRequest(Wire):
    messages: Conversation
    target_index_params: Annotated[list[IndexParams], Field(fail_fast=True)] | None = None


class AgentMessage(Out):
    role: Literal["assistant"] = "assistant"
    content: list[TextContent]


class Query(Out):
    search: str
    filter: str | None


class ModelQueryPlanning(Out):
    type: Literal["ModelQueryPlanning"]
    id: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int
    error: OptionalMember[ErrorDetail]


class Threshold(Out):
    value: float
    set_by: StatedBy


class AzureSearchQuery(Out):
    type: Literal["AzureSearchQuery"]
    id: int
    target_index: str
    query: Query
    query_time: str
    count: int
    elapsed_ms: int
    threshold: OptionalMember[Threshold]
    dropped: dict[DropReason, int]
    guessed: OptionalMember[bool]
    error: OptionalMember[ErrorDetail]


class AzureSearchSemanticRanker(Out):
    type: Literal["AzureSearchSemanticRanker"]
    id: int
    input_tokens: int
    elapsed_ms: int
    selected: OptionalMember[list[str]]
    is_sufficient: OptionalMember[bool]
    warning: OptionalMember[str]


class AzureSearchDoc(Out):
    type: Literal["AzureSearchDoc"] = "AzureSearchDoc"
    id: str
    activity_source: int
    doc_key: str
    source_data: dict[str, object] | None


Record: TypeAlias = ModelQueryPlanning | AzureSearchQuery | AzureSearchSemanticRanker


class RetrieveResponse(Out):
    response: list[AgentMessage]
    activity: list[Record]
    references: list[AzureSearchDoc]


_INDEX_NAME: Final = "targetIndexParams[0].indexName"
_FILTER: Final = "targetIndexParams[0].filterAddOn"


def _params_target(params: IndexParams, agent: Agent) -> Target | None:
    """The target to which the parameters apply; None if there are no parameters. If the agent has several targets, the
    parameters must name one target, so that no filter applies to the wrong target. Raises BadRequest."""
    if params == IndexParams():
        return None
    if params.index_name is None and len(agent.targets) > 1:
        names = ", ".join(repr(target.index) for target in agent.targets)
        raise BadRequest(f"Name one of the agent's targets: {names}.", target=_INDEX_NAME)
    if params.index_name is None:
        return agent.targets[0]
    named_target = next((target for target in agent.targets if target.index == params.index_name), None)
    if named_target is None:
        reason = f"The index {params.index_name[:200]!r} is not a target of the agent {agent.name!r}."
        raise BadRequest(reason, target=_INDEX_NAME)
    return named_target


def _target(target: Target, params: IndexParams) -> SearchTarget:
    """A target of the agent with the request's parameters. This version has indexes, but no knowledge sources.
    Therefore the name, the source fields, `include_references` and `always` of a knowledge source do not apply. The
    number of documents is rounded up to a multiple of 50, which is the how-to's rule for `maxDocsForReranker`."""
    defaults = search_target(target, threshold=VERSION.defaults.threshold)
    documents = value_or(params.max_docs_for_reranker, target.max_documents)
    return replace(
        narrow(defaults, filter_of(params.filter_add_on, target=_FILTER), threshold=params.reranker_threshold),
        include_source_data=value_or(params.include_reference_source_data, defaults.include_source_data),
        max_documents=None if documents is None else math.ceil(documents / RANKED_PER_SUBQUERY) * RANKED_PER_SUBQUERY,
        source="",
        source_fields=(),
        include_references=True,
        always=False,
    )


def _index_members(activity: Activity) -> Members:
    """The members of a search in the record of this version. `count` has all documents that the search found."""
    if not isinstance(activity, SearchActivity):
        return {}
    subquery = activity.searched.subquery
    filter = subquery.target.filter
    return {
        "type": "AzureSearchQuery",
        "target_index": subquery.target.index,
        "query": {"search": subquery.search, "filter": None if filter is None else odata.text(filter)},
        "count": activity.found,
    }


class AgentsOfIndexes(Version):
    """The version with agents over indexes."""

    def parse(self, body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
        """The request from a body. A member that the body does not state comes from the agent, or else from the
        defaults of this version. Raises BadRequest."""
        check_kinds(agent, self.kinds)
        wire = read(body, RetrieveRequest, names=names_of(RetrieveRequest), elsewhere=versions_with)
        params, *others = wire.target_index_params or [IndexParams()]
        if others:
            reason = f"Only one target index is supported; {len(others) + 1} were given."
            raise BadRequest(reason, target="targetIndexParams")
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
        ids, effort = outcome.search_ids, outcome.request.asked_effort
        references = [
            {
                "id": str(number),
                "activity_source": ids[reference.subquery],
                "doc_key": reference.hit.key,
                "source_data": reference.hit.source if reference.target.include_source_data else None,
            }
            for number, reference in enumerate(outcome.references)
        ]
        response = {
            "response": [{"content": [{"text": outcome.grounding.text}]}],
            "activity": [
                {**members, **_index_members(activity)}
                for number, activity in enumerate(outcome.activity)
                if (members := record(activity, number, self.types, effort=effort)) is not None
            ],
            "references": references,
        }
        return Rendered(status=200, body=RetrieveResponse.model_validate(response).model_dump_json().encode())

    def definitions(self, route: str) -> "AzureDefinitions[Any]":
        """The contract of the definitions of agents."""
        from retrieval.contracts.azure.definition_shapes import AgentDefinition
        from retrieval.contracts.azure.definitions import AGENTS_OF_INDEXES, AzureDefinitions

        return AzureDefinitions(shape=AgentDefinition, kind=AGENTS_OF_INDEXES)


VERSION: Final = AgentsOfIndexes(
    name="2025-05-01-preview",
    # The version has no knowledge sources, so `indexName` also names Model Studio bases.
    kinds=served("searchIndex", "modelStudioBase"),
    # The figure of this version's REST reference and how-to. No real answer of this version shows its default.
    defaults=Defaults(threshold=2.5),
    types=Types(planning="ModelQueryPlanning", ranking="AzureSearchSemanticRanker", synthesis=None, digits=3),
    request_shape=RetrieveRequest,
    response_shape=RetrieveResponse,
)
