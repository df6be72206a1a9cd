"""The searches of a round, their results, and the meaning of their failures. Awaits nothing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from retrieval.call import hinted_search
from retrieval.errors import BackendRefused, BackendTimeout, RetrievalFailed
from retrieval.filters.tree import all_of
from retrieval.model.activity import DropReason
from retrieval.model.chunk import Chunk, Gathered, OmitReason
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.search import Page, Searched, SearchTarget, Subquery

Counts: TypeAlias = Counter[DropReason | OmitReason]

FilterUse: TypeAlias = Literal["kept", "fruitless", "inexpressible"]
"""What became of a plan's filter: searched with, if there is one; or left out, as it excluded every document, or as the
index cannot evaluate it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The searches of a round with one filter, and their results; `led` are the chunks that names lead to.

    `filter` says what became of the plan's filter, `notes` in words.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    dropped: tuple[Mapping[DropReason, int], ...]
    led: tuple[Chunk, ...] = ()
    filter: FilterUse = "kept"
    notes: tuple[str, ...] = ()

    @property
    def omitted(self) -> Counts:
        """Documents that became no chunk, by reason."""
        counts: Counts = Counter(self.gathered.omitted)
        for of_search in self.dropped:
            counts.update(of_search)
        return counts


def subqueries(request: RetrievalRequest, planned: QueryPlan) -> list[Subquery]:
    """Every query in every target that is searched; the plan's filter applies to the target whose fields it names.

    A target takes as many queries of a plan as it may have; what the caller planned is searched whole.
    """
    return [
        Subquery(
            search=one.query,
            target=target,
            weighed=one.weighed,
            history=planned.history,
            user_token=request.user_token,
        )
        for target in (_narrowed(target, planned) for target in request.targets if _is_searched(target, planned))
        for one in planned.queries[: None if request.queries else target.max_subqueries]
    ]


def left(wanted: Sequence[Subquery], begun: Sequence[Subquery]) -> list[Subquery]:
    """What has not begun. A query that was read of a growing plan has no earlier turns, whatever the plan became."""
    known = [(one.search, one.target) for one in begun]
    return [one for one in wanted if (one.search, one.target) not in known]


def queries(searched: Sequence[Searched]) -> tuple[str, ...]:
    """What was searched for, each text once; a search that failed looked nowhere."""
    return tuple(dict.fromkeys(one.subquery.search for one in searched if one.error is None))


def for_names(query: PlannedQuery, first: Sequence[Searched]) -> list[Subquery]:
    """The searches for names, without a ranker, in every target that answered and may be searched again."""
    made = Counter(one.subquery.target.source_name for one in first)
    targets = {one.subquery.target.source_name: one.subquery for one in first if one.error is None}
    return [
        Subquery(
            search=query.query,
            target=replace(target, recall=replace(target.recall, rerank=False)),
            user_token=one.user_token,
        )
        for name, one in targets.items()
        for target in (one.target,)
        if target.max_subqueries is None or made[name] < target.max_subqueries
    ]


def preferred(page: Page, target: SearchTarget) -> Page:
    """The page as the question prefers its documents, by the facets that it names."""
    if not target.preferences:
        return page
    from retrieval.rules import facets

    return facets.preferred(page, target)


def _is_searched(target: SearchTarget, planned: QueryPlan) -> bool:
    """A plan that picks no source is for all of them; what is no source of its own could not be picked."""
    if target.never:
        return False
    return not planned.sources or target.always or not target.source or target.source in planned.sources


def may_be_the_filter(searched: Sequence[Searched]) -> bool:
    """Whether the filter may be the reason for no documents: a search answered, or the service refused the request."""
    return any(one.error is None or isinstance(one.error, BackendRefused) for one in searched)


def check(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where every search failed, other than by our own time limit."""
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched) and not all(isinstance(error, BackendTimeout) for error in errors):
        raise RetrievalFailed(errors)


def check_required(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where a search failed whose target says that the call fails with it."""
    final = [one for one in searched if one.subquery.target.fail_on_error and not one.given_up]
    errors = [one.error for one in final if one.error is not None]
    if errors:
        raise RetrievalFailed(errors, of=len(searched))


def _narrowed(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    narrowed = hinted_search.applied(_filtered(target, planned), planned)
    preferences = planned.preferences.get(target.index, ())
    return replace(narrowed, preferences=preferences) if preferences else narrowed


def _filtered(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    if planned.filter is None or target.index != planned.filter_index:
        return target
    return replace(target, filter=all_of([one for one in (target.filter, planned.filter) if one is not None]))
