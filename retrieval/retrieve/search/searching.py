"""Runs the searches of a plan, all at once, and merges their documents into one list."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval import threads
from retrieval.call.observing import observed
from retrieval.call.run import Run, Since
from retrieval.errors import BackendError
from retrieval.model.progress import SearchEnded
from retrieval.model.retrieval import Key, Merged, QueryPlan, Reference, document_key
from retrieval.model.search import NOTHING, Searched, Subquery
from retrieval.retrieve import subqueries
from retrieval.retrieve.plan import facet_preferences
from retrieval.retrieve.search.linked_documents import Linked, linked_documents
from retrieval.retrieve.search.merge import after, alone, by_source, merge, merge_in
from retrieval.retrieve.second_search import Lead

PATTERNS: Final = 200
"""The estimated cost of a filter with LIKE patterns: the number of times that it reads a document's text."""

Begun: TypeAlias = tuple[Subquery, asyncio.Task[Searched]]
"""A search that has begun, and its task."""


async def search_plan(
    run: Run, planned: QueryPlan, *, until: float, round: int = 0, begun: Sequence[Begun] = ()
) -> list[Searched]:
    """Run all searches of a plan at once, except for searches that have begun already. If a source gives no document,
    and the query hints may be the reason, the source is searched again without the hints."""
    results = await _search_and_call(run, planned, until=until, round=round, begun=begun)
    sources = subqueries.fruitless_hints(results)
    if not sources:
        return results
    bare = replace(planned, hinted=tuple(hint for hint in planned.hinted if hint.source not in sources))
    repeats = [subquery for subquery in subqueries.of_plan(run.request, bare) if subquery.target.source_name in sources]
    return subqueries.hints_given_up(results, sources) + await search_all(run, repeats, until=until, round=round)


async def _search_and_call(
    run: Run, planned: QueryPlan, *, until: float, round: int, begun: Sequence[Begun]
) -> list[Searched]:
    """Search the indexes of the plan, and call tools of servers if there are any. The results are in the order in which
    the searches began."""
    wanted, targets = subqueries.of_plan(run.request, planned), subqueries.servers(run.request, planned)
    if not targets:
        return await search_all(run, wanted, until=until, round=round, begun=begun)
    await threads.imported("retrieval.retrieve.search.servers")
    from retrieval.retrieve.search.servers import call_tools

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
    begun: Sequence[Begun] = (),
    is_told: bool = True,
) -> list[Searched]:
    """Run all searches at once. `until` is the deadline, a time of the event loop. The results of `begun` come first.
    Raises UnsupportedFilter, and ends all searches, if a target cannot express its filter.
    """
    new = subqueries.not_begun(wanted, [subquery for subquery, _ in begun])
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
    page, id = NOTHING, next(run.calls.ids)
    with observed(run.calls.of_searches, "search", id=id, round=round, subquery=subquery) as doing:
        try:
            if failure is not None:
                raise failure
            raw_page = await run.waits.search(run.ports.index, subquery, until=until, round=round)
            work = partial(facet_preferences.with_preferences, raw_page, subquery.target)
            page = await threads.work(raw_page.size, work) if subquery.target.preferences else raw_page
            doing.count = page.found
        except BackendError as its_error:
            doing.error = its_error
        error = doing.error if isinstance(doing.error, BackendError) else None
        if run.ports.outcomes is not None:
            run.ports.outcomes.ended(subquery.target, error, found=page.found)
        elapsed = run.calls.at(clock()) - run.calls.at(start)
        searched = Searched(id=id, subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed)
        doing.record = alone(searched) if run.calls.of_searches else None
    if is_told and run.calls.tell is not None:
        run.calls.tell(SearchEnded(round=round, search=alone(searched)))
    return searched


async def search_names(
    run: Run, lead: Lead, first: Sequence[Searched], references: Sequence[Reference], *, until: float
) -> tuple[list[Searched], Merged, tuple[Linked, ...]]:
    """The searches for the names in `lead`, their merged documents, and the documents of both rounds that have words of
    these names.

    `first` are the searches of the first round. A document that they ranked keeps that score, even if it is too low.
    """
    second = await search_all(run, subqueries.for_names(lead.query, first), until=until, round=1)
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
    order = [*by_source(searched[:first], run.request.targets), *range(len(searched))[first or len(searched) :]]
    with observed(run.calls.observers, "merge", round=round) as doing:
        merged = await _merge(searched, partial(merge_in, order))
        doing.count = len(merged.references)
    return merged


async def _merge(searched: Sequence[Searched], merging: Callable[[Sequence[Searched]], Merged]) -> Merged:
    """The merged documents. Merging reads keys and scores. Only a target's `check` reads the documents."""
    checked_bytes = sum(result.page.size for result in searched if result.subquery.target.check is not None)
    return await threads.work(checked_bytes * PATTERNS, partial(merging, searched))
