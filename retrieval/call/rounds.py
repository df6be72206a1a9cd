"""The rounds of a call, awaited here: all searches at once, their documents as chunks, the judgement, the follow-up."""

import asyncio
from collections import ChainMap
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from retrieval import threads
from retrieval.call import chunks, search
from retrieval.call import places as placing
from retrieval.call.merge import after, alone, any_unscored, by_source, merge, merge_in, turns
from retrieval.call.model_calls import ModelCalls
from retrieval.call.observing import observed
from retrieval.call.run import Run, Since
from retrieval.call.search import Attempt, Counts, FilterUse
from retrieval.errors import BackendError, BackendTimeout, UnsupportedFilter
from retrieval.model.activity import RoundActivity, SearchActivity
from retrieval.model.answer import Chunk, Gathered
from retrieval.model.progress import RoundEnded, SearchEnded
from retrieval.model.retrieval import Merged, PlannedQuery, QueryPlan, Reference
from retrieval.model.search import NOTHING, Searched, Subquery
from retrieval.rules.follow_up import Lead
from retrieval.rules.links import Linked, linked_documents

PATTERNS: Final = 200
"""The most times that the patterns of a filter go over a text."""

FILTER_GIVEN_UP: Final[Mapping[FilterUse, str]] = {
    "fruitless": "The plan's filter excluded every document, so the search was repeated without it.",
    "inexpressible": "The index cannot evaluate the plan's filter, so the search was made without it.",
}
ONE_INDEX: Final = "The plan's filter uses the fields of {index!r} and was applied to that index only."

Begun: TypeAlias = tuple[Subquery, asyncio.Task[Searched]]
"""A search that is being made."""

MOST_CHUNKS: Final = 16
"""The most chunks of a round, of a single question too: all gold of MTRAG's other half is among 16 for .802 of the
questions, among 12 for .771, among 10 for .735; of HotpotQA's .86, .84 and .76 (`tests.benchmarks.shown`)."""
CHUNK_TOKENS: Final = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The result of a round. `searched` holds the searches whose documents were used.

    `order` are the chunks of both rounds in their places, where a search for names gave them. `filter` says how the
    plan's filter was used. `found` counts the documents, dropped ones too.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    order: tuple[Chunk, ...] = ()
    filter: FilterUse = "kept"
    found: int = 0


async def search_plan(
    run: Run, planned: QueryPlan, *, until: float, round: int = 0, begun: Sequence[Begun] = ()
) -> list[Searched]:
    """Run every query in every target at once, but for searches that have begun already. A source that query hints left
    without a document is searched again without them."""
    results = await _search_and_call(run, planned, until=until, round=round, begun=begun)
    sources = search.fruitless_hints(results)
    if not sources:
        return results
    bare = search.subqueries(run.request, search.without_hints(planned, sources))
    repeats = [subquery for subquery in bare if subquery.target.source_name in sources]
    return search.hints_given_up(results, sources) + await search_all(run, repeats, until=until, round=round)


async def _search_and_call(
    run: Run, planned: QueryPlan, *, until: float, round: int, begun: Sequence[Begun]
) -> list[Searched]:
    """Search all indexes, and call tools of servers where there are some, in the order in which they begin."""
    wanted, targets = search.subqueries(run.request, planned), search.servers(run.request, planned)
    if not targets:
        return await search_all(run, wanted, until=until, round=round, begun=begun)
    await threads.once(_load_servers)
    from retrieval.call.servers import call_tools

    try:
        async with asyncio.TaskGroup() as group:
            searching = group.create_task(search_all(run, wanted, until=until, round=round, begun=begun))
            calling = group.create_task(call_tools(run, planned, targets, search_one, until=until, round=round))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return sorted((*await searching, *await calling), key=lambda searched: searched.id or 0)


def _load_servers() -> None:
    from retrieval.call import servers  # noqa: F401


async def search_all(
    run: Run,
    wanted: Sequence[Subquery],
    *,
    until: float,
    round: int = 0,
    begun: Sequence[Begun] = (),
    is_told: bool = True,
) -> list[Searched]:
    """Run all searches at once, until a time of the loop; those that have begun come first, in that order.

    A filter that its target cannot express is the caller's error, not a failure: UnsupportedFilter ends all searches.
    """
    new = search.not_begun(wanted, [subquery for subquery, _ in begun])
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
    """Run one search; a failed one is data, also where it failed before it was sent, `since` a moment. Raises
    UnsupportedFilter."""
    clock = asyncio.get_running_loop().time
    started_at, start = since or (run.ports.clock(), clock())
    page, id = NOTHING, next(run.calls.ids)
    with observed(run.calls.of_searches, "search", id=id, round=round, subquery=subquery) as doing:
        try:
            if failure is not None:
                raise failure
            raw_page = await run.waits.search(run.ports.index, subquery, until=until, round=round)
            page = search.preferred(raw_page, subquery.target)
            doing.count = page.found
        except BackendError as its_error:
            doing.error = its_error
        error = doing.error if isinstance(doing.error, BackendError) else None
        elapsed = run.calls.at(clock()) - run.calls.at(start)
        searched = Searched(id=id, subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed)
        doing.record = alone(searched) if run.calls.of_searches else None
    if is_told and run.calls.tell is not None:
        run.calls.tell(SearchEnded(round=round, search=alone(searched)))
    return searched


async def search_round(
    run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk] = (), round: int = 0
) -> Round:
    """A recorded round: the searches of the plan, their documents as chunks, counted. It may drop the plan's filter.

    Raises RetrievalFailed where every search of the first round failed, other than by our own time limit, and
    UnsupportedFilter for a caller's filter that a target cannot express.
    """
    last, count = await _run_attempts(
        run,
        partial(_attempts, run, planned, known=known, round=round),
        until=until,
        round=round,
        queries=len(planned.queries),
    )
    if round == 0:
        search.check(last.searched)
    return Round(searched=last.searched, gathered=last.gathered, filter=last.filter, found=count)


async def follow_up_round(run: Run, planned: QueryPlan, queries: tuple[PlannedQuery, ...], *, first: Round) -> Round:
    """One more round for missing information, without the plan's filter, in half of the remaining time."""
    more = replace(planned, queries=queries, filter=None, hinted=(), history=())
    return await search_round(run, more, until=_half_of_rest(run), known=first.gathered.chunks, round=1)


async def lead_round(run: Run, lead: Lead, *, first: Round, places: int) -> Round:
    """One more round, in half of the remaining time: a search for the names of a lead. The documents that it leads to
    get their places among so many."""
    names = partial(_names, run, lead, first=first, places=places)
    last, count = await _run_attempts(run, names, until=_half_of_rest(run), round=1, queries=1)
    return Round(searched=last.searched, gathered=last.gathered, order=last.order, found=count)


def _half_of_rest(run: Run) -> float:
    return run.calls.deadline - run.calls.seconds_left / 2


async def search_names(
    run: Run, lead: Lead, first: Sequence[Searched], references: Sequence[Reference], *, until: float
) -> tuple[list[Searched], Merged, tuple[Linked, ...]]:
    """The searches for the names of a lead, after the `first`; their documents, and which of both rounds are linked."""
    second = await search_all(run, search.for_names(lead.query, first), until=until, round=1)
    more = after(await _merge(second, merge), len(first))
    return second, more, linked_documents(lead, references, more.references)


def extent_of(searched: Sequence[Searched]) -> int:
    """The bytes of the pages."""
    return sum(result.page.size for result in searched)


async def merge_all(run: Run, searched: Sequence[Searched], *, round: int = 0, first: int | None = None) -> Merged:
    """Merge all searches, of which the `first` so many are of one plan, usually all."""
    order = [*by_source(searched[:first], run.request.targets), *range(len(searched))[first or len(searched) :]]
    with observed(run.calls.observers, "merge", round=round) as doing:
        merged = await _merge(searched, partial(merge_in, order, most=run.request.limits.documents))
        doing.count = len(merged.references)
    return merged


async def merge_whole(run: Run, searched: Sequence[Searched]) -> Merged:
    """Merge all searches of a plan, however many documents are wanted."""
    return await _merge(searched, partial(merge_in, by_source(searched, run.request.targets)))


async def _merge(searched: Sequence[Searched], merging: Callable[[Sequence[Searched]], Merged]) -> Merged:
    """Merges. That reads keys and scores; only the patterns of a caller's filter go over the texts."""
    checked_bytes = sum(result.page.size for result in searched if result.subquery.target.check is not None)
    return await threads.work(checked_bytes * PATTERNS, partial(merging, searched))


async def _run_attempts(
    run: Run, attempts: Callable[..., Awaitable[list[Attempt]]], *, until: float, round: int, queries: int
) -> tuple[Attempt, int]:
    """The last of the attempts that a round makes, and the number of documents of all; it is observed and recorded."""
    start = asyncio.get_running_loop().time()
    with observed(run.calls.observers, "round", round=round, queries=queries) as doing:
        finished = await attempts(until=until)
        doing.count = sum(len(attempt.gathered.chunks) for attempt in finished)
    if any(type(result.error) is BackendTimeout for result in finished[-1].searched):
        run.calls.ended_by.add("runtime")
    notes = (*finished[-1].notes, *search.notes_of_hints(finished[-1].searched))
    record = _record(run.calls, finished, start=start, round=round, notes=notes)
    if run.calls.tell is not None:
        run.calls.tell(RoundEnded(record=record, chunks=finished[-1].gathered.chunks))
    return finished[-1], record.found


async def _attempts(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> list[Attempt]:
    attempt = partial(_attempt, run, until=until, known=known, round=round)
    bare = replace(planned, filter=None)
    if planned.filter is None:
        return [await attempt(bare)]
    try:
        first = await attempt(planned)
    except UnsupportedFilter:
        return [_given_up(await attempt(bare), "inexpressible")]
    if first.gathered.chunks or not search.may_be_the_filter(first.searched):
        several = len(run.request.targets) > 1
        return [replace(first, notes=(ONE_INDEX.format(index=planned.filter_index),)) if several else first]
    return [first, _given_up(await attempt(bare), "fruitless")]


def _given_up(attempt: Attempt, why: FilterUse) -> Attempt:
    return replace(attempt, filter=why, notes=(FILTER_GIVEN_UP[why],))


async def _names(run: Run, lead: Lead, *, first: Round, places: int, until: float) -> list[Attempt]:
    """Searches the names of a lead in every target that answered; the documents that it leads to get places."""
    known, first_count = first.gathered.chunks, len(first.searched)
    first_merged = Merged(references=_references(known), dropped=tuple({} for _ in first.searched))
    second, more, linked = await search_names(run, lead, first.searched, first_merged.references, until=until)
    both = placing.give_places(first_merged, more, linked, most=places)
    new = [reference for reference in both.references if reference.subquery >= first_count]
    gathered = chunks.gather(new, known=known, most=MOST_CHUNKS, tokens=_chunk_tokens(run), round=1)
    by_key = {chunk.reference.key: chunk for chunk in (*known, *gathered.chunks)}
    order = tuple(by_key[reference.key] for reference in both.references if reference.key in by_key)
    notes = placing.note(both, first=first_count)
    dropped = both.dropped[first_count:]
    return [
        Attempt(searched=tuple(second), gathered=gathered, dropped=dropped, lost=both.lost, order=order, notes=notes)
    ]


async def _attempt(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> Attempt:
    searched = await search_plan(run, planned, until=until, round=round)
    merged = await merge_all(run, searched, round=round)
    several = len(planned.queries) > 1 or any_unscored(searched)
    references = turns(merged.references) if several else merged.references
    gather = partial(chunks.gather, references, known=known, most=MOST_CHUNKS, tokens=_chunk_tokens(run), round=round)
    gathered = await threads.work(extent_of(searched), gather)
    attempt = Attempt(searched=tuple(searched), gathered=gathered, dropped=merged.dropped, lost=merged.lost)
    return replace(attempt, in_turns=several)


def _chunk_tokens(run: Run) -> int:
    return CHUNK_TOKENS if run.calls.model is None else int(CHUNK_TOKENS * run.calls.scale)


def _references(chunks: Sequence[Chunk]) -> tuple[Reference, ...]:
    return tuple(chunk.reference for chunk in chunks)


def _record(
    calls: ModelCalls, attempts: Sequence[Attempt], *, start: float, round: int, notes: tuple[str, ...]
) -> RoundActivity:
    omitted = sum((attempt.omitted for attempt in attempts), start=Counts())
    searches = [
        SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
        for attempt in attempts
        for searched, dropped in zip(attempt.searched, attempt.dropped, strict=True)
    ]
    record = RoundActivity(
        round=round,
        started_ms=calls.at(start),
        elapsed_ms=calls.at(asyncio.get_running_loop().time()) - calls.at(start),
        searches=tuple(searches),
        found=sum(search.found for search in searches),
        omitted={reason: count for reason, count in omitted.items() if count},
        gathered=sum(len(attempt.gathered.chunks) for attempt in attempts),
        in_turns=attempts[-1].in_turns,
        lost=dict(ChainMap(*({**attempt.lost, **attempt.gathered.lost} for attempt in reversed(attempts)))),
        notes=notes,
    )
    calls.keep(record)
    return record
