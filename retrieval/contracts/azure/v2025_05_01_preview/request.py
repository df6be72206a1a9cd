"""The request of retrieve: `POST agents('{name}')/retrieve`, api-version 2025-05-01-preview, into the hub.

Sources: Knowledge Retrieval - Retrieve (REST reference) and "Retrieve data using a knowledge agent" (how-to).
"""

import math
from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from retrieval.contracts.azure.parts import (
    AgentMessage,
    Conversation,
    Image,
    MessageContent,
    Wire,
    conversation,
    filter_of,
    property_names,
    read,
    refuse_control_characters,
)
from retrieval.contracts.azure.stored_source import check_kinds, narrow, search_target, value_or
from retrieval.errors import BadRequest
from retrieval.model.definitions import Agent, SourceKind, Target
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import RANKED_PER_SUBQUERY, SearchTarget

KINDS: Final[tuple[SourceKind, ...]] = ("searchIndex", "modelStudioBase")
"""This version knows no knowledge sources: those of these kinds are targets like any index."""

DEFAULT_RUNTIME_SECONDS: Final = 60.0
DEFAULT_OUTPUT_TOKENS: Final = 5_000


class IndexParams(Wire):
    index_name: str | None = None
    filter_add_on: str | None = None
    max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None
    reranker_threshold: Annotated[float, Field(ge=0, le=4)] | None = None
    include_reference_source_data: bool | None = None


class RetrieveRequest(Wire):
    messages: Conversation
    target_index_params: Annotated[list[IndexParams], Field(fail_fast=True)] | None = None


_INDEX_NAME: Final = "targetIndexParams[0].indexName"
_FILTER: Final = "targetIndexParams[0].filterAddOn"
_NAMES: Final = property_names([RetrieveRequest, AgentMessage, MessageContent, Image, IndexParams])


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the agent and then from the contract. Raises BadRequest."""
    check_kinds(agent, KINDS)
    wire = read(body, RetrieveRequest, names=_NAMES)
    params = _params(wire.target_index_params or [])
    refuse_control_characters(user_token or "", target="x-ms-query-source-authorization")
    params_target = _params_target(params, agent)
    return RetrievalRequest(
        messages=conversation(wire.messages),
        targets=tuple(
            _target(target, params if target is params_target else IndexParams()) for target in agent.targets
        ),
        effort=agent.effort,
        limits=Limits(
            output_tokens=value_or(agent.max_output_tokens, DEFAULT_OUTPUT_TOKENS),
            runtime=value_or(agent.max_runtime, DEFAULT_RUNTIME_SECONDS),
        ),
        user_token=user_token,
    )


def _params(params: list[IndexParams]) -> IndexParams:
    if len(params) > 1:
        reason = f"Only one target index is supported; {len(params)} were given."
        raise BadRequest(reason, target="targetIndexParams")
    return params[0] if params else IndexParams()


def _params_target(params: IndexParams, agent: Agent) -> Target | None:
    """The target that the parameters are about. With several, only a name tells: a filter on the wrong one is none."""
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
    """This version knows indexes, no knowledge sources: all of them are searched, as they are stored, and listed."""
    defaults = search_target(target)
    return replace(
        narrow(defaults, filter_of(params.filter_add_on, target=_FILTER)),
        threshold=value_or(params.reranker_threshold, defaults.threshold),
        include_source_data=value_or(params.include_reference_source_data, defaults.include_source_data),
        max_documents=_fifties(value_or(params.max_docs_for_reranker, target.max_documents)),
        source="",
        source_fields=(),
        include_references=True,
        always=False,
    )


def _fifties(documents: int | None) -> int | None:
    """Rounded up to a multiple of 50: the how-to's rule for `maxDocsForReranker`."""
    return None if documents is None else math.ceil(documents / RANKED_PER_SUBQUERY) * RANKED_PER_SUBQUERY
