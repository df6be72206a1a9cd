"""The rounds of a call, awaited here: all searches at once, their documents as chunks, the judgement, the follow-up."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval import threads
from retrieval.call import hinted_search, search
from retrieval.call.budget import ModelCalls
from retrieval.call.merge import after, by_source, merge, merge_in, turns
from retrieval.call.observing import observed
from retrieval.call.search import Attempt, Counts, FilterUse
from retrieval.call.waiting import Waits
from retrieval.errors import BackendError, BackendTimeout, UnsupportedFilter
from retrieval.model.activity import SearchActivity
from retrieval.model.chunk import Chunk, Gathered
from retrieval.model.definitions import ModelDeployment
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.retrieval import Merged, Reference, RetrievalRequest
from retrieval.model.search import NOTHING, Searched, Subquery
from retrieval.model.steps import RoundActivity
from retrieval.ports import Clock, IndexFacets, IndexSchemas, SearchIndex

if TYPE_CHECKING:
    from retrieval.rules.follow_up import Lead, Linked

RULES_SECONDS: Final = 0.1
"""The time reserved for the steps after the last model call."""

PATTERNS: Final = 200
"""How often the patterns of a filter may go over a text."""

GIVEN_UP: Final[Mapping[FilterUse, str]] = {
    "fruitless": "The plan's filter excluded every document, so the search was repeated without it.",
    "inexpressible": "The index cannot evaluate the plan's filter, so the search was made without it.",
}
ONE_INDEX: Final = "The plan's filter uses the fields of {index!r} and was applied to that index only."

Begun: TypeAlias = tuple[Subquery, asyncio.Task[Searched]]
"""A search that is being made."""

MOST_CHUNKS: Final = 16
"""Of a single question too: all gold of MTRAG's other half is among 16 for .802 of the questions, among 12 for .771,
among 10 for .735; of HotpotQA's .86, .84 and .76 (`tests.benchmarks.shown`)."""
CHUNK_TOKENS: Final = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A running call: the request, its remaining budget, and the index that it searches.

    `schemas` tells the fields that query hints name, `facets` the values that a question may name; None where nothing
    does. `values_shown` says that the deployment keeps no document from any caller, so that a model may read values.
    `waits` has the searches that are waited for.
    """

    request: RetrievalRequest
    calls: ModelCalls
    index: SearchIndex
    clock: Clock
    deployment: ModelDeployment | None = None
    schemas: IndexSchemas | None = None
    facets: IndexFacets | None = None
    values_shown: bool = False
    waits: Waits = field(default_factory=Waits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The result of a round. `searched` holds the searches whose documents were used.

    `led` are the chunks, new and known, that a search for names leads to, best first. `filter` says what became of the
    plan's filter. `found` counts the documents, dropped ones too.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    led: tuple[Chunk, ...] = ()
    filter: FilterUse = "kept"
    found: int = 0


async def search_plan(
    run: Run, planned: QueryPlan, *, until: float, round: int = 0, begun: Sequence[Begun] = ()
) -> list[Searched]:
    """Run every query in every target at once, but what has begun already. A source that query hints left without a
    document is searched again without them."""
    found = await search_all(run, search.subqueries(run.request, planned), until=until, round=round, begun=begun)
    sources = hinted_search.fruitless(found)
    if not sources:
        return found
    bare = search.subqueries(run.request, hinted_search.without(planned, sources))
    again = [one for one in bare if one.target.source_name in sources]
    return hinted_search.given_up(found, sources) + await search_all(run, again, until=until, round=round)


async def search_all(
    run: Run, wanted: Sequence[Subquery], *, until: float, round: int = 0, begun: Sequence[Begun] = ()
) -> list[Searched]:
    """Run all searches at once, until a time of the loop; what has begun comes first, in that order.

    A filter that its target cannot express is the caller's error, not a failure: UnsupportedFilter ends all searches.
    """
    new = search.left(wanted, [subquery for subquery, _ in begun])
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(search_one(run, one, until=until, round=round)) for one in new]
            run.waits.expect(len(begun) + len(new), round=round)
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None
    return [await task for task in (*(task for _, task in begun), *tasks)]


async def search_one(run: Run, subquery: Subquery, *, until: float, round: int = 0) -> Searched:
    """A failed search is data. Raises UnsupportedFilter."""
    clock = asyncio.get_running_loop().time
    started_at, start = run.clock(), clock()
    page = NOTHING
    with observed(run.calls.of_searches, "search", round=round, subquery=subquery) as doing:
        try:
            found = await run.waits.search(run.index, subquery, until=until, round=round)
            page = search.preferred(found, subquery.target)
            doing.count = page.found
        except BackendError as caught:
            doing.error = caught
        error = doing.error if isinstance(doing.error, BackendError) else None
        elapsed = run.calls.at(clock()) - run.calls.at(start)
        doing.searched = searched = Searched(
            subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed
        )
    return searched


async def search_round(
    run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk] = (), round: int = 0
) -> Round:
    """A recorded round: the searches of the plan, their documents as chunks, counted. It may drop the plan's filter.

    Raises RetrievalFailed where every search of the first round failed, other than by our own time limit, and
    UnsupportedFilter for a caller's filter that a target cannot express.
    """
    last, found = await _recorded(
        run,
        partial(_attempts, run, planned, known=known, round=round),
        until=until,
        round=round,
        queries=len(planned.queries),
    )
    if round == 0:
        search.check(last.searched)
    return Round(searched=last.searched, gathered=last.gathered, filter=last.filter, found=found)


async def follow_up_round(
    run: Run, planned: QueryPlan, wanted: "tuple[PlannedQuery, ...] | Lead", *, first: Round, places: int
) -> Round:
    """One more round for missing information, without the plan's filter, in half of the remaining time.

    A lead is one search for names, and what it leads to gets the last of so many `places`.
    """
    until, known = run.calls.deadline - run.calls.seconds_left / 2, first.gathered.chunks
    if isinstance(wanted, tuple):
        more = replace(planned, queries=wanted, filter=None, hinted=(), history=())
        return await search_round(run, more, until=until, known=known, round=1)
    names = partial(_names, run, wanted, first=first, places=places)
    last, found = await _recorded(run, names, until=until, round=1, queries=1)
    return Round(searched=last.searched, gathered=last.gathered, led=last.led, found=found)


async def search_names(
    run: Run, lead: "Lead", first: Sequence[Searched], found: Sequence[Reference], *, until: float
) -> "tuple[list[Searched], Merged, tuple[Linked, ...]]":
    """The searches for the names of a lead, after the `first`; their documents, and which of both rounds are linked."""
    from retrieval.rules import follow_up

    second = await search_all(run, search.for_names(lead.query, first), until=until, round=1)
    more = after(await _merged(second, merge), len(first))
    return second, more, follow_up.linked(lead, found, more.references)


def extent_of(searched: Sequence[Searched]) -> int:
    """The bytes of what was found."""
    return sum(one.page.size for one in searched)


async def merge_all(run: Run, searched: Sequence[Searched], *, round: int = 0, first: int | None = None) -> Merged:
    """Of the searches the `first` so many are of one plan, usually all."""
    order = [*by_source(searched[:first], run.request.targets), *range(len(searched))[first or len(searched) :]]
    with observed(run.calls.observers, "merge", round=round) as doing:
        merged = await _merged(searched, partial(merge_in, order, most=run.request.most_documents))
        doing.count = len(merged.references)
    return merged


async def _merged(searched: Sequence[Searched], merging: Callable[[Sequence[Searched]], Merged]) -> Merged:
    """Merging reads keys and scores, but for a caller's filter, each pattern of which goes over the texts."""
    checked = sum(one.page.size for one in searched if one.subquery.target.check is not None)
    return await threads.work(checked * PATTERNS, partial(merging, searched))


async def _recorded(
    run: Run, attempts: Callable[..., Awaitable[list[Attempt]]], *, until: float, round: int, queries: int
) -> tuple[Attempt, int]:
    """The last of the attempts that a round makes, and the number of documents of all; it is observed and recorded."""
    start = asyncio.get_running_loop().time()
    with observed(run.calls.observers, "round", round=round, queries=queries) as doing:
        made = await attempts(until=until)
        doing.count = sum(len(one.gathered.chunks) for one in made)
    if any(type(one.error) is BackendTimeout for one in made[-1].searched):
        run.calls.ended_by.add("runtime")
    notes = (*made[-1].notes, *hinted_search.notes(made[-1].searched))
    return made[-1], _record(run.calls, made, start=start, round=round, notes=notes).found


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


def _given_up(made: Attempt, why: FilterUse) -> Attempt:
    return replace(made, filter=why, notes=(GIVEN_UP[why],))


async def _names(run: Run, lead: "Lead", *, first: Round, places: int, until: float) -> list[Attempt]:
    """One search for the names of a lead, in every target that answered; the documents that it leads to get places."""
    from retrieval.call import chunks
    from retrieval.call import places as placing
    from retrieval.rules.follow_up import LINKED

    known, made = first.gathered.chunks, len(first.searched)
    before = Merged(references=_references(known), dropped=tuple({} for _ in first.searched))
    second, more, linked = await search_names(run, lead, first.searched, before.references, until=until)
    led = placing.chosen(linked, before.references, places=places)
    new = [one for one in led if one.subquery >= made]
    gathered = chunks.gather(new, known=known, most=MOST_CHUNKS, tokens=_chunk_tokens(run), round=1)
    dropped = placing.placed(before, more, linked, most=places).dropped[made:]
    by_key = {one.reference.key: one for one in (*known, *gathered.chunks)}
    keys = [one.reference.key for one in linked if one.strength >= LINKED]
    found = tuple(by_key[key] for key in keys if key in by_key)
    return [Attempt(searched=tuple(second), gathered=gathered, dropped=dropped, led=found)]


async def _attempt(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> Attempt:
    from retrieval.call import chunks

    searched = await search_plan(run, planned, until=until, round=round)
    merged = await merge_all(run, searched, round=round)
    references = turns(merged.references) if len(planned.queries) > 1 else merged.references
    gather = partial(chunks.gather, references, known=known, most=MOST_CHUNKS, tokens=_chunk_tokens(run), round=round)
    gathered = await threads.work(extent_of(searched), gather)
    return Attempt(searched=tuple(searched), gathered=gathered, dropped=merged.dropped)


def _chunk_tokens(run: Run) -> int:
    return CHUNK_TOKENS if run.calls.model is None else int(CHUNK_TOKENS * run.calls.scale)


def _references(chunks: Sequence[Chunk]) -> tuple[Reference, ...]:
    return tuple(one.reference for one in chunks)


def _record(
    calls: ModelCalls, attempts: Sequence[Attempt], *, start: float, round: int, notes: tuple[str, ...]
) -> RoundActivity:
    omitted = sum((one.omitted for one in attempts), start=Counts())
    searches = [
        SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
        for one in attempts
        for searched, dropped in zip(one.searched, one.dropped, strict=True)
    ]
    record = RoundActivity(
        round=round,
        started_ms=calls.at(start),
        elapsed_ms=calls.at(asyncio.get_running_loop().time()) - calls.at(start),
        searches=tuple(searches),
        found=sum(search.found for search in searches),
        omitted={reason: count for reason, count in omitted.items() if count},
        gathered=sum(len(one.gathered.chunks) for one in attempts),
        notes=notes,
    )
    calls.activity.append(record)
    return record
