"""The searches of a round, their results, and the meaning of their failures. Awaits nothing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from retrieval.errors import BackendRefused, BackendTimeout, RetrievalFailed
from retrieval.filters.tree import all_of
from retrieval.model.activity import DropReason
from retrieval.model.chunk import Gathered, OmitReason
from retrieval.model.plan import QueryPlan
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.search import Searched, SearchTarget, Subquery

Counts: TypeAlias = Counter[DropReason | OmitReason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The searches of a round with one filter, and their results."""

    searched: tuple[Searched, ...]
    gathered: Gathered
    dropped: tuple[Mapping[DropReason, int], ...]

    @property
    def omitted(self) -> Counts:
        """Documents that became no chunk, by reason."""
        counts: Counts = Counter(self.gathered.omitted)
        for of_search in self.dropped:
            counts.update(of_search)
        return counts


def subqueries(request: RetrievalRequest, planned: QueryPlan) -> list[Subquery]:
    """Every query in every target; the plan's filter applies to the target whose fields it names."""
    return [
        Subquery(search=one.query, target=target, history=planned.history, user_token=request.user_token)
        for target in (_filtered(target, planned) for target in request.targets)
        for one in planned.queries
    ]


def may_be_the_filter(searched: Sequence[Searched]) -> bool:
    """Whether the filter may be the reason for no documents: a search answered, or the service refused the request."""
    return any(one.error is None or isinstance(one.error, BackendRefused) for one in searched)


def check(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where every search failed, other than by our own time limit."""
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched) and not all(isinstance(error, BackendTimeout) for error in errors):
        raise RetrievalFailed(errors)


def _filtered(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    if planned.filter is None or target.index != planned.filter_index:
        return target
    return replace(target, filter=all_of([one for one in (target.filter, planned.filter) if one is not None]))
