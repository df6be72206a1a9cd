"""What a request leaves to its plan: how many queries, which targets, and whether a second round may follow. Plans of a
model and of the rules keep to it."""

import math

from retrieval.model.conversation import question_of, split
from retrieval.model.definitions import MOST_SUBQUERIES, SUBQUERIES_BY_EFFORT, USUAL_SUBQUERIES
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH, RANKED_PER_SUBQUERY, SearchTarget
from retrieval.text.length import as_search, ends


def bounds_of(request: RetrievalRequest) -> tuple[int, int]:
    """The least and the most queries to plan.

    A sub-query ranks 50 documents, so n times 50 documents need n sub-queries (knowledge agent retrieve,
    2025-05-01-preview, `maxDocsForReranker`). If every target limits its sub-queries, the largest of these limits also
    limits the plan (2025-08-01-preview, `maxSubQueries`).
    """
    least, most = _usual(request)
    bounds = [target.max_subqueries for target in request.targets if not target.never]
    if not bounds or None in bounds:
        return least, most
    bound = max(bound_of_target for bound_of_target in bounds if bound_of_target is not None)
    return min(least, bound), min(most, bound)


def _usual(request: RetrievalRequest) -> tuple[int, int]:
    """The least and the most queries: by the request's limit, else the documents to rank, else the effort."""
    if request.limits.queries is not None:
        return 1, request.limits.queries
    limits = [target.max_documents for target in request.targets if target.max_documents is not None]
    if not limits:
        return 1, SUBQUERIES_BY_EFFORT.get(request.effort or "low", USUAL_SUBQUERIES)
    least = min(math.ceil(max(limits) / RANKED_PER_SUBQUERY), MOST_SUBQUERIES)
    return least, max(least, USUAL_SUBQUERIES)


def choices(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The targets among which a plan may pick; empty if all targets are searched anyway.

    A target without a knowledge source, like those of 2025-05-01-preview, is always searched.
    """
    if len(request.targets) == 1:
        return ()
    targets = tuple(target for target in request.targets if not target.never)
    has_choice = any(target.source and not target.always for target in targets)
    return targets if has_choice and len(targets) > 1 else ()


def certain_targets(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The targets that every plan searches, except MCP servers and indexes with query hints. Once the queries and the
    facet values of the question are known, only the plan's filter can change these searches."""
    targets, picks = [target for target in request.targets if not target.never], bool(choices(request))
    certain = [target for target in targets if target.always or not target.source] if picks else targets
    hinted_targets = hinted(request)
    return tuple(target for target in certain if target.server is None and target not in hinted_targets)


def hinted(request: RetrievalRequest) -> tuple[SearchTarget, ...]:
    """The indexes with query hints, except targets that are never searched."""
    return tuple(target for target in request.targets if target.hints and target.is_index and not target.never)


def follows_up(request: RetrievalRequest) -> bool:
    """Whether a second round may follow: with medium effort, or with auto effort and no earlier turns."""
    return request.effort == "medium" or (request.effort == "auto" and not is_conversation(request))


def is_conversation(request: RetrievalRequest) -> bool:
    """Whether there are turns before the last message."""
    return len(split(request.messages)[1]) > 1


def whole_question(request: RetrievalRequest) -> str:
    """The last user message as a search text."""
    return as_search(question_of(request.messages))


def as_given(request: RetrievalRequest) -> QueryPlan:
    """The plan with the caller's own queries, or with the last user message."""
    queries = request.queries or (ends(question_of(request.messages), LONGEST_SEARCH),)
    return QueryPlan(queries=tuple(PlannedQuery(query=query) for query in queries), by="rules")
