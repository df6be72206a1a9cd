"""Turns the parameters of Retrieve into a retrieval request for the index that the call names."""

from dataclasses import replace
from typing import Final

from retrieval.contracts.azure.retrieve.requests import narrow, search_target
from retrieval.contracts.model_studio.parameters import Parameters
from retrieval.contracts.model_studio.scores import reranker_score
from retrieval.contracts.model_studio.workspaces import PublishedIndex
from retrieval.filters.tree import Filter
from retrieval.model.conversation import Message
from retrieval.model.definitions import Agent, Target
from retrieval.model.retrieval import Limits, RetrievalRequest
from retrieval.model.search import Recall, SearchTarget

DEFAULT_MIN_SCORE: Final = 0.01
"""The default threshold of a new knowledge base, as a Model Studio score of 0 to 1."""

TOLERANCE: Final = 1e-9
"""The amount that is subtracted from a converted Model Studio threshold, so that rounding does not exclude an equal
score."""

NO_LIMIT: Final = 1_000_000
"""The maximum number of tokens of the grounding text, if the agent has no limit. This contract does not return that
text."""

LONGEST_RUNTIME: Final = 9.0
"""The maximum runtime of a call, in seconds. The SDK waits ten seconds and does not retry."""


def parse(
    parameters: Parameters, published: PublishedIndex, agent: Agent, *, user_token: str | None
) -> RetrievalRequest:
    """The request: a search for the query. With `EnableRewrite` and a history, the query is rewritten so that it makes
    sense without the history. Otherwise it is searched unchanged. Raises BadRequest."""
    turns = parameters.query_history if parameters.enable_rewrite else []
    history = tuple(Message(role=turn.role, text=turn.content) for turn in turns)
    return RetrievalRequest(
        messages=(*history, Message(role="user", text=parameters.query)),
        targets=(_target(parameters, published, agent),),
        effort="low" if history else "minimal",
        limits=Limits(
            queries=1,
            output_tokens=agent.max_output_tokens or NO_LIMIT,
            runtime=min(agent.max_runtime or LONGEST_RUNTIME, LONGEST_RUNTIME),
        ),
        user_token=user_token,
    )


def _target(parameters: Parameters, published: PublishedIndex, agent: Agent) -> SearchTarget:
    index_filter, whole = (
        _filters(parameters, published) if "search_filters" in parameters.model_fields_set else (None, None)
    )
    shown_fields = (field.path.names[0] for field in published.fields.values() if field.retrievable)
    target = next(
        (agent_target for agent_target in agent.targets if agent_target.index == published.index),
        Target(index=published.index),
    )
    return replace(
        narrow(search_target(target), index_filter),
        check=whole,
        threshold=_threshold(parameters, published, agent) if parameters.enable_reranking else 0.0,
        include_source_data=True,
        max_documents=parameters.rerank_top_n,
        recall=Recall(
            text=parameters.sparse_similarity_top_k,
            vectors=parameters.dense_similarity_top_k,
            rerank=parameters.enable_reranking,
        ),
        fields=tuple(dict.fromkeys(shown_fields)),
    )


def _filters(parameters: Parameters, published: PublishedIndex) -> tuple[Filter | None, Filter | None]:
    """The part of the filter that the index applies, and the whole filter. The whole filter is None if the index
    applies all of it."""
    from retrieval.contracts.model_studio import search_filters  # loaded here: many services never get such a filter
    from retrieval.contracts.model_studio.push import push

    whole = search_filters.read(parameters.search_filters, published.fields)
    if whole is None:
        return None, None
    pushdown = push(whole, published.fields)
    return pushdown.filter, None if pushdown.exact else whole


def _threshold(parameters: Parameters, published: PublishedIndex, agent: Agent) -> float:
    """The threshold as a reranker score. If the call states no threshold, the agent's threshold for the index applies,
    or else the default of a knowledge base."""
    if parameters.rerank_min_score is not None:
        return reranker_score(parameters.rerank_min_score) - TOLERANCE
    thresholds = (target.stated_threshold for target in agent.targets if target.index == published.index)
    threshold = next(thresholds, None)
    return reranker_score(DEFAULT_MIN_SCORE) - TOLERANCE if threshold is None else threshold
