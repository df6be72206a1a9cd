"""Reads the request of `POST agents/{name}/answer`. The messages have the same form as in the retrieve operation. This
project defines the other members."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import Field

from retrieval.contracts.azure.members_by_version import names_of
from retrieval.contracts.azure.request_body import Conversation, Wire, conversation, filter_of, read
from retrieval.contracts.azure.retrieve.requests import chunk_target, value_or
from retrieval.errors import BadRequest
from retrieval.model import retrieval
from retrieval.model.definitions import USUAL_SUBQUERIES, Agent, Target
from retrieval.model.retrieval import ANSWER_LIMITS, RetrievalRequest

LONGEST_RUNTIME_SECONDS: Final = 230
"""The time limit of an HTTP trigger's answer: https://learn.microsoft.com/azure/azure-functions/functions-scale"""

Detail: TypeAlias = Literal["answer", "explained", "workflow"]
"""The value of the query parameter `detail`. `answer` is the typed answer. `explained` is the typed answer with an
explanation. `workflow` is the six payloads of the Foundry workflow."""

_DETAILS: Final[Mapping[str, Detail]] = {form: form for form in get_args(Detail)}


class Limits(Wire):
    max_runtime_in_seconds: Annotated[int, Field(ge=1, le=LONGEST_RUNTIME_SECONDS)] | None = None
    max_tokens: Annotated[int, Field(ge=1_000, le=200_000)] | None = None
    max_queries: Annotated[int, Field(ge=1, le=USUAL_SUBQUERIES)] | None = None
    max_chunks: Annotated[int, Field(ge=1, le=8)] | None = None
    max_follow_ups: Annotated[int, Field(ge=0, le=1)] | None = None
    reranker_threshold: Annotated[float, Field(ge=0, le=4)] | None = None


class AskRequest(Wire):
    messages: Conversation
    filter: str | None = None
    index_name: str | None = None
    limits: Limits | None = None


Value = TypeVar("Value")

_NAMES: Final = names_of(AskRequest)


def parse(body: bytes, agent: Agent, *, user_token: str | None, detail: Detail = "answer") -> RetrievalRequest:
    """Reads the request. A limit that the body leaves out gets the default of the agent, or else of the contract.
    Raises BadRequest.

    A filter without an index name applies to every target of the agent.
    """
    wire = read(body, AskRequest, names=_NAMES)
    filter, limits = filter_of(wire.filter, target="filter"), wire.limits or Limits()
    filtered_targets = _filtered_targets(wire, agent)
    return RetrievalRequest(
        messages=conversation(wire.messages),
        targets=tuple(
            chunk_target(target, filter if target in filtered_targets else None, threshold=limits.reranker_threshold)
            for target in agent.targets
        ),
        output="answer",
        limits=_limits(limits, agent),
        user_token=user_token,
        cited_by="label" if detail == "workflow" else "number",
    )


def detail(query: Mapping[str, str]) -> Detail:
    """The value of `detail` in a query string, or its default `answer`. The names in `query` are in lower case. Raises
    BadRequest."""
    form = _DETAILS.get(query.get("detail", "answer"))
    if form is None:
        raise BadRequest("The query parameter detail is 'answer', 'explained' or 'workflow'.", target="detail")
    return form


def _limits(limits: Limits, agent: Agent) -> retrieval.Limits:
    return replace(
        ANSWER_LIMITS,
        queries=value_or(limits.max_queries, ANSWER_LIMITS.queries),
        follow_ups=value_or(limits.max_follow_ups, ANSWER_LIMITS.follow_ups),
        chunks=value_or(limits.max_chunks, ANSWER_LIMITS.chunks),
        runtime=_runtime(limits.max_runtime_in_seconds, agent),
        tokens=value_or(limits.max_tokens, ANSWER_LIMITS.tokens),
    )


def _runtime(seconds: int | None, agent: Agent) -> float:
    if seconds is None:
        return min(agent.own_runtime or ANSWER_LIMITS.runtime, LONGEST_RUNTIME_SECONDS)
    if agent.max_runtime is not None and seconds > agent.max_runtime:
        raise BadRequest(
            f"The agent {agent.name!r} runs at most {agent.max_runtime:g} s.", target="limits.maxRuntimeInSeconds"
        )
    return seconds


def _filtered_targets(wire: AskRequest, agent: Agent) -> tuple[Target, ...]:
    """The targets that the filter applies to."""
    if wire.index_name is None:
        return agent.targets
    if wire.filter is None:
        raise BadRequest("indexName selects the index of a filter, but there is no filter.", target="indexName")
    targets = tuple(target for target in agent.targets if target.index == wire.index_name)
    if not targets:
        reason = f"The index {wire.index_name[:200]!r} is not a target of the agent {agent.name!r}."
        raise BadRequest(reason, target="indexName")
    return targets
