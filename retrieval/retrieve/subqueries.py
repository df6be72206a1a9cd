"""The searches of a round, the effect of query hints on them, and the failures that fail the call.

A filter from hints can only reduce the results, since it is joined by AND with all other filters. If a source gives no
document, and the filter or a refusal of the hints may be the reason, it is searched again without the hints.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from retrieval.errors import BackendRefused, BackendTimeout, Place, RetrievalFailed
from retrieval.filters.tree import all_of
from retrieval.model.conversation import question_of
from retrieval.model.retrieval import PlannedQuery, QueryPlan, Reference, RetrievalRequest
from retrieval.model.search import Searched, SearchTarget, Subquery
from retrieval.retrieve import second_search
from retrieval.retrieve.second_search import Lead

HINTS_GIVEN_UP: Final = "With its query hints {source!r} gave no document, so it was searched again without them."


def servers(request: RetrievalRequest, planned: QueryPlan) -> list[SearchTarget]:
    """The targets whose tools are called."""
    return [target for target in request.targets if target.server is not None and _is_searched(target, planned)]


def of_plan(request: RetrievalRequest, planned: QueryPlan, *, spared: int = 0) -> list[Subquery]:
    """Every query in every index that is searched; the plan's filter applies only to targets with the index
    `filter_index`.

    A target takes at most `max_subqueries` queries of a plan, and `spared` fewer. Queries that the caller wrote are all
    searched.
    """
    return [
        Subquery(
            search=query.query,
            target=target,
            weighed=query.weighed,
            history=planned.history,
            user_token=request.user_token,
            guessed=query.guessed,
        )
        for target in (_narrow(target, planned) for target in request.targets if _is_searched(target, planned))
        if target.server is None
        for query in planned.queries[: None if request.queries else _most(target, spared)]
    ]


def _most(target: SearchTarget, spared: int) -> int | None:
    return None if target.max_subqueries is None else max(target.max_subqueries - spared, 0)


def with_rest(request: RetrievalRequest, searched: Sequence[Searched]) -> RetrievalRequest:
    """The request, in which each target takes only as many queries as earlier searches left of its limit."""
    counts = Counter(search.subquery.target.source_name for search in searched)
    targets = (replace(target, max_subqueries=_most(target, counts[target.source_name])) for target in request.targets)
    return replace(request, targets=tuple(targets))


def not_begun(wanted: Sequence[Subquery], begun: Sequence[Subquery]) -> list[Subquery]:
    """The searches that have not begun. A search that began while the model wrote the plan has no `history`, so
    `history` is not compared."""
    known = [(subquery.search, subquery.target) for subquery in begun]
    return [subquery for subquery in wanted if (subquery.search, subquery.target) not in known]


def queries(searched: Sequence[Searched]) -> tuple[str, ...]:
    """The texts that were searched, each once. A failed search does not count."""
    return tuple(dict.fromkeys(search.subquery.search for search in searched if search.error is None))


def for_names(query: PlannedQuery, first: Sequence[Searched]) -> list[Subquery]:
    """The searches for names, without a ranker, in every index that answered and may be searched again."""
    counts = Counter(search.subquery.target.source_name for search in first)
    targets = {search.subquery.target.source_name: search.subquery for search in first if search.error is None}
    return [
        Subquery(
            search=query.query,
            target=replace(target, recall=replace(target.recall, rerank=False)),
            user_token=subquery.user_token,
        )
        for name, subquery in targets.items()
        for target in (subquery.target,)
        if target.server is None
        if target.max_subqueries is None or counts[name] < target.max_subqueries
    ]


def lead_of(
    request: RetrievalRequest, planned: QueryPlan, searched: Sequence[Searched], references: Sequence[Reference]
) -> Lead | None:
    """The query for names in the documents of a first round (`Lead`). `references` has these documents, best first.

    None where the documents name nothing new, or where no target that answered can be searched for names.
    """
    lead = second_search.lead(
        question_of(request.messages), references, searches=len(planned.queries), next=planned.next
    )
    return lead if lead is not None and for_names(lead.query, searched) else None


def _is_searched(target: SearchTarget, planned: QueryPlan) -> bool:
    """Whether a plan searches a target.

    A plan that picks no source searches all targets. A target that has `always`, or whose `source` is empty, is
    searched even if the plan does not pick it. A target with `never` is never searched.
    """
    if target.never:
        return False
    return not planned.sources or target.always or not target.source or target.source in planned.sources


def check(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where every search failed, unless all failures were timeouts."""
    errors = [search.error for search in searched if search.error is not None]
    if len(errors) == len(searched) and not all(isinstance(error, BackendTimeout) for error in errors):
        raise RetrievalFailed(errors, places=places(searched))


def check_required(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where a search failed and its target has `fail_on_error`. Searches that were given up do
    not count."""
    final = [search for search in searched if search.subquery.target.fail_on_error and not search.given_up]
    errors = [search.error for search in final if search.error is not None]
    if errors:
        raise RetrievalFailed(errors, places=places(final), of=len(searched))


def places(searched: Sequence[Searched]) -> list[Place]:
    """The index and source of each failed search."""
    targets = (search.subquery.target for search in searched if search.error is not None)
    return [Place(target.index, target.source_name) for target in targets]


def _narrow(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    narrow_target = with_hints_of(_with_plan_filter(target, planned), planned)
    preferences = planned.preferences.get(target.index, ())
    return replace(narrow_target, preferences=preferences) if preferences else narrow_target


def _with_plan_filter(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    if planned.filter is None or target.index != planned.filter_index:
        return target
    return replace(target, filter=all_of([part for part in (target.filter, planned.filter) if part is not None]))


def with_hints_of(target: SearchTarget, planned: QueryPlan) -> SearchTarget:
    """The target with the filter and boosts that the plan made from the target's hints. A search by vectors alone has
    no boosts."""
    hint = next((hint for hint in planned.hinted if hint.source == target.source_name), None)
    if hint is None:
        return target
    filter = all_of(part for part in (target.filter, hint.filter) if part is not None)
    boosts = () if target.recall.text == 0 else hint.boosts
    return replace(target, filter=filter, generated=hint.filter, boosts=boosts)


def fruitless_hints(searched: Sequence[Searched]) -> frozenset[str]:
    """The sources in which no search found a document, if the query hints may be the reason."""
    fruitful = {search.subquery.target.source_name for search in searched if search.page.found}
    return frozenset(search.subquery.target.source_name for search in searched if _hindered(search)) - fruitful


def hints_given_up(searched: Sequence[Searched], sources: Collection[str]) -> list[Searched]:
    """The searches. Searches in `sources` are marked as given up, since these sources are searched again."""
    return [
        replace(search, given_up=True) if search.subquery.target.source_name in sources else search
        for search in searched
    ]


def notes_of_hints(searched: Sequence[Searched]) -> tuple[str, ...]:
    """A sentence for each source whose hints were given up."""
    sources = dict.fromkeys(search.subquery.target.source_name for search in searched if search.given_up)
    return tuple(HINTS_GIVEN_UP.format(source=source) for source in sources)


def _hindered(searched: Searched) -> bool:
    target = searched.subquery.target
    if searched.error is None:
        return target.generated is not None
    return isinstance(searched.error, BackendRefused) and (target.generated is not None or bool(target.boosts))
