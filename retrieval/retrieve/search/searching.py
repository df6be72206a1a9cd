"""Runs the searches of a round, all at once, and merges their documents into one list.

A filter from hints can only reduce the results, since it is joined by AND with all other filters. If a source gives no
document, and the filter or a refusal of the hints may be the reason, it is searched again without the hints. The
failure of a source that the request needs fails the call.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval import threads
from retrieval.call.budget import Run, Since
from retrieval.errors import BackendError, BackendRefused, BackendTimeout, Place, RetrievalFailed
from retrieval.filters.tree import all_of
from retrieval.model.activity import Begun
from retrieval.model.conversation import question_of
from retrieval.model.progress import SearchEnded
from retrieval.model.retrieval import Key, Merged, PlannedQuery, QueryPlan, Reference, RetrievalRequest, document_key
from retrieval.model.search import NOTHING, Searched, SearchTarget, Subquery
from retrieval.retrieve import search_for_names
from retrieval.retrieve.plan import facet_preferences
from retrieval.retrieve.search.merge import after, alone, merge, merge_in
from retrieval.retrieve.search_for_names import Lead, Linked, linked_documents
from retrieval.telemetry.spans import observed

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


def _with_rest(request: RetrievalRequest, searched: Sequence[Searched]) -> RetrievalRequest:
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
    lead = search_for_names.lead(
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


def check_answered(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where every search failed."""
    errors = [search.error for search in searched if search.error is not None]
    if len(errors) == len(searched):
        raise RetrievalFailed(errors, places=places(searched))


def check(searched: Sequence[Searched]) -> None:
    """Raises RetrievalFailed where every search failed, unless all failures were timeouts."""
    if not all(isinstance(search.error, BackendTimeout) for search in searched):
        check_answered(searched)


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
    if planned.filter is not None and target.index == planned.filter_index:
        target = replace(target, filter=all_of(part for part in (target.filter, planned.filter) if part is not None))
    narrow_target = with_hints_of(target, planned)
    preferences = planned.preferences.get(target.index, ())
    return replace(narrow_target, preferences=preferences) if preferences else narrow_target


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
    hindered = frozenset(search.subquery.target.source_name for search in searched if _hindered(search))
    if not hindered:
        return hindered
    return hindered - {search.subquery.target.source_name for search in searched if search.page.found}


def notes_of_hints(searched: Sequence[Searched]) -> tuple[str, ...]:
    """A sentence for each source whose hints were given up."""
    sources = dict.fromkeys(search.subquery.target.source_name for search in searched if search.given_up)
    return tuple(HINTS_GIVEN_UP.format(source=source) for source in sources)


def _hindered(searched: Searched) -> bool:
    target = searched.subquery.target
    if searched.error is None:
        return target.generated is not None
    return isinstance(searched.error, BackendRefused) and (target.generated is not None or bool(target.boosts))


PATTERNS: Final = 200
"""The estimated cost of a filter with LIKE patterns: the number of times that it reads a document's text."""

SearchTask: TypeAlias = tuple[Subquery, asyncio.Task[Searched]]
"""A search that has begun, and its task."""


async def search_plan(
    run: Run,
    planned: QueryPlan,
    *,
    until: float,
    round: int = 0,
    begun: Sequence[SearchTask] = (),
    earlier: Sequence[Searched] = (),
) -> list[Searched]:
    """Run all searches of a plan at once, except for searches that have begun already. Each target takes only as many
    queries as `earlier` searches left of its limit. If a source gives no document, and the query hints may be the
    reason, the source is searched again without the hints."""
    request = _with_rest(run.request, earlier) if earlier else run.request
    results = await _search_and_call(run, request, planned, until=until, round=round, begun=begun)
    sources = fruitless_hints(results)
    if not sources:
        return results
    bare = replace(planned, hinted=tuple(hint for hint in planned.hinted if hint.source not in sources))
    repeats = [subquery for subquery in of_plan(request, bare) if subquery.target.source_name in sources]
    first = [replace(result, given_up=result.subquery.target.source_name in sources) for result in results]
    return first + await search_all(run, repeats, until=until, round=round)


async def _search_and_call(
    run: Run, request: RetrievalRequest, planned: QueryPlan, *, until: float, round: int, begun: Sequence[SearchTask]
) -> list[Searched]:
    """Search the indexes of the plan, and call tools of servers if there are any. The results are in the order in which
    the searches began."""
    wanted, targets = of_plan(request, planned), servers(request, planned)
    if not targets:
        return await search_all(run, wanted, until=until, round=round, begun=begun)
    await threads.imported("retrieval.retrieve.search.tool_calls")
    from retrieval.retrieve.search.tool_calls import call_tools

    try:
        async with asyncio.TaskGroup() as group:
            searching = group.create_task(search_all(run, wanted, until=until, round=round, begun=begun))
            send = partial(search_one, run, until=until, round=round)
            calling = group.create_task(call_tools(run, planned, targets, send, until=until, round=round))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return sorted((*await searching, *await calling), key=lambda searched: searched.id or 0)


async def search_all(
    run: Run,
    wanted: Sequence[Subquery],
    *,
    until: float,
    round: int = 0,
    begun: Sequence[SearchTask] = (),
    is_told: bool = True,
) -> list[Searched]:
    """Run all searches at once. `until` is the deadline, a time of the event loop. The results of `begun` come first.
    Raises UnsupportedFilter, and ends all searches, if a target cannot express its filter.
    """
    new = not_begun(wanted, [subquery for subquery, _ in begun])
    work = partial(search_one, run, until=until, round=round, is_told=is_told)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work(subquery)) for subquery in new]
            run.waits.expect(len(begun) + len(new), round=round)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [await task for task in (*(task for _, task in begun), *tasks)]


async def search_one(
    run: Run,
    subquery: Subquery,
    *,
    until: float,
    round: int = 0,
    failure: BackendError | None = None,
    since: Since | None = None,
    is_told: bool = True,
) -> Searched:
    """Run one search. A failed search is returned with its error. Raises UnsupportedFilter.

    With a `failure`, the search failed before it was sent. Its time counts from `since`, if `since` is given.
    """
    clock = asyncio.get_running_loop().time
    started_at, start = since or (run.ports.clock(), clock())
    page, id = NOTHING, next(run.ids)
    with observed(run.observers, Begun(kind="search", id=id, round=round, subquery=subquery)) as ended:
        try:
            if failure is not None:
                raise failure
            raw_page = await run.waits.search(run.ports.index, subquery, until=until, round=round)
            work = partial(facet_preferences.with_preferences, raw_page, subquery.target)
            page = await threads.work(raw_page.size, work) if subquery.target.preferences else raw_page
            ended.count = page.found
        except BackendError as its_error:
            ended.error = its_error
        error = ended.error if isinstance(ended.error, BackendError) else None
        if run.ports.outcomes is not None:
            seconds, time = clock() - start, until - start
            run.ports.outcomes.ended(subquery.target, error, found=page.found, seconds=seconds, time=time)
        elapsed = run.at(clock()) - run.at(start)
        searched = Searched(id=id, subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed)
        ended.record = alone(searched) if run.observers else None
    if is_told and run.tell is not None:
        run.tell(SearchEnded(round=round, search=alone(searched)))
    return searched


async def search_names(
    run: Run, lead: Lead, first: Sequence[Searched], references: Sequence[Reference], *, until: float
) -> tuple[list[Searched], Merged, tuple[Linked, ...]]:
    """The searches for the names in `lead`, their merged documents, and the documents of both rounds that have words of
    these names.

    `first` are the searches of the first round. A document that they ranked keeps that score, even if it is too low.
    """
    second = await search_all(run, for_names(lead.query, first), until=until, round=1)
    more = after(await _merge(second, merge), len(first))
    return second, more, linked_documents(lead, references, _with_scores(more.references, first))


def _with_scores(references: Sequence[Reference], first: Sequence[Searched]) -> list[Reference]:
    """References of a search without ranking, with the highest score of each document in the first round."""
    scores: dict[Key, float] = {}
    for search in first:
        for hit in search.page.hits:
            if hit.score is not None:
                key = document_key(search.subquery.target, hit)
                scores[key] = max(hit.score, scores.get(key, 0.0))
    return [
        reference._replace(hit=reference.hit._replace(score=scores.get(reference.key, reference.hit.score)))
        for reference in references
    ]


def extent_of(searched: Sequence[Searched]) -> int:
    """The number of bytes of all pages."""
    return sum(result.page.size for result in searched)


async def merge_all(run: Run, searched: Sequence[Searched], *, round: int = 0, first: int | None = None) -> Merged:
    """Merge all searches. `first` is the number of searches of the first round; None means all."""
    first = len(searched) if first is None else first
    with observed(run.observers, Begun(kind="merge", round=round)) as ended:
        merged = await _merge(searched, partial(merge_in, targets=run.request.targets, first=first))
        ended.count = len(merged.references)
    return merged


async def _merge(searched: Sequence[Searched], merging: Callable[[Sequence[Searched]], Merged]) -> Merged:
    """The merged documents. Merging reads keys and scores. Only a target's `check` reads the documents."""
    checked_bytes = sum(result.page.size for result in searched if result.subquery.target.check is not None)
    return await threads.work(checked_bytes * PATTERNS, partial(merging, searched))
