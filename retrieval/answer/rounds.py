"""Runs the rounds of an answer. A round searches the queries of a plan, or names from the first documents (`Lead`). It
makes chunks of the documents found, and a record. At the end the final chunks are selected.

A round gives up a plan's filter that excludes every document, or that its index cannot evaluate.
"""

import asyncio
from collections import ChainMap, Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

from retrieval import threads
from retrieval.call.budget import Run
from retrieval.call.prompt_parts import CHUNK_TOKENS, gather, most_chunks
from retrieval.errors import BackendRefused, BackendTimeout, UnsupportedFilter
from retrieval.model.activity import Begun, DropReason, OmitReason, RoundActivity, SearchActivity
from retrieval.model.answer import Judgement, QueryResult, Selected
from retrieval.model.progress import RoundEnded
from retrieval.model.retrieval import Chunk, Gathered, Key, Merged, PlannedQuery, QueryPlan, Reference, document_key
from retrieval.model.search import Searched
from retrieval.retrieve.search import searching
from retrieval.retrieve.search.merge import any_unscored, give_places, interleaved, note_of_places
from retrieval.retrieve.search.searching import extent_of, merge_all, search_names, search_plan
from retrieval.retrieve.search_for_names import Lead
from retrieval.telemetry.spans import observed

Counts: TypeAlias = Counter[DropReason | OmitReason]

FilterUse: TypeAlias = Literal["kept", "fruitless", "refused", "inexpressible"]
"""The use of a plan's filter. `kept` means that the filter was applied, or that the plan has none. `fruitless` means
that it excluded every document, `refused` that the service refused searches with it, and `inexpressible` that the index
cannot evaluate it."""

FILTER_GIVEN_UP: Final[Mapping[FilterUse, str]] = {
    "fruitless": "The plan's filter excluded every document, so the search was repeated without it.",
    "refused": "The service refused the searches with the plan's filter, so they were repeated without it.",
    "inexpressible": "The index cannot evaluate the plan's filter, so the search was made without it.",
}
ONE_INDEX: Final = "The plan's filter uses the fields of {index!r} and was applied to that index only."


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The searches of a round, with or without the plan's filter, and their results. If a round is repeated without the
    filter, it is the last attempt, and `found` counts the documents of all attempts, dropped documents included. After
    a search for names `order` has the chunks of both rounds in their new order; else it is empty.

    `dropped` and `lost` come from the merge. With `in_turns` the best chunk of each search comes first, then the second
    chunk of each search, and so on. `filter` says how the plan's filter was used, and `notes` are sentences for the
    record.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    dropped: tuple[Mapping[DropReason, int], ...]
    lost: Mapping[Key, DropReason]
    order: tuple[Chunk, ...] = ()
    in_turns: bool = False
    filter: FilterUse = "kept"
    notes: tuple[str, ...] = ()
    found: int = 0

    @property
    def references(self) -> tuple[Reference, ...]:
        """The documents of the round's chunks."""
        return tuple(chunk.reference for chunk in self.gathered.chunks)

    @property
    def omitted(self) -> Counts:
        """The numbers of documents that did not become chunks, by reason."""
        counts: Counts = Counter(self.gathered.omitted)
        for of_search in self.dropped:
            counts.update(of_search)
        return counts


async def search_round(
    run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk] = (), round: int = 0
) -> Round:
    """Run and record a round: the searches of the plan, and their documents as chunks.

    Raises RetrievalFailed where every search of the first round failed, unless all failures were timeouts. Raises
    UnsupportedFilter for a caller's filter that a target cannot express.
    """
    attempts = partial(_attempts, run, planned, known=known, round=round)
    result = await _run_attempts(run, attempts, until=until, round=round, queries=len(planned.queries))
    if round == 0:
        searching.check(result.searched)
    return result


async def follow_up_round(run: Run, planned: QueryPlan, queries: tuple[PlannedQuery, ...], *, first: Round) -> Round:
    """One more round for missing information, without the plan's filter, in half of the remaining time."""
    more = replace(planned, queries=queries, filter=None, hinted=(), history=())
    return await search_round(run, more, until=_half_of_rest(run), known=first.gathered.chunks, round=1)


async def lead_round(run: Run, lead: Lead, *, first: Round, places: int) -> Round:
    """One more round, in half of the remaining time. It searches for names that the first documents have and the
    question lacks. At most three documents that are linked to the names are placed among the documents of the first
    round. Both rounds together keep at most `places` documents."""
    names = partial(_names, run, lead, first=first, places=places)
    return await _run_attempts(run, names, until=_half_of_rest(run), round=1, queries=1)


def _half_of_rest(run: Run) -> float:
    return run.deadline - run.seconds_left / 2


async def _run_attempts(
    run: Run, attempts: Callable[..., Awaitable[list[Round]]], *, until: float, round: int, queries: int
) -> Round:
    """Run the attempts, and observe and record them as one round. Its documents are those of the last attempt."""
    start = asyncio.get_running_loop().time()
    with observed(run.observers, Begun(kind="round", round=round, queries=queries)) as ended:
        finished = await attempts(until=until)
        ended.count = sum(len(attempt.gathered.chunks) for attempt in finished)
    last = finished[-1]
    if any(type(result.error) is BackendTimeout for result in last.searched):
        run.ended_by.add("runtime")
    notes = (*last.notes, *searching.notes_of_hints(last.searched))
    record = _record(run, finished, start=start, round=round, notes=notes)
    run.report(RoundEnded(record=record, chunks=last.gathered.chunks))
    return replace(last, found=record.found)


async def _attempts(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> list[Round]:
    attempt = partial(_attempt, run, until=until, known=known, round=round)
    bare = replace(planned, filter=None)
    if planned.filter is None:
        return [await attempt(bare)]
    try:
        first = await attempt(planned)
    except UnsupportedFilter:
        return [_given_up(await attempt(bare), "inexpressible")]
    is_answered = any(search.error is None for search in first.searched)
    is_refused = any(isinstance(search.error, BackendRefused) for search in first.searched)
    if first.gathered.chunks or not (is_answered or is_refused):
        several = len(run.request.targets) > 1
        return [replace(first, notes=(ONE_INDEX.format(index=planned.filter_index),)) if several else first]
    return [first, _given_up(await attempt(bare), "fruitless" if is_answered else "refused")]


def _given_up(attempt: Round, why: FilterUse) -> Round:
    return replace(attempt, filter=why, notes=(FILTER_GIVEN_UP[why],))


async def _names(run: Run, lead: Lead, *, first: Round, places: int, until: float) -> list[Round]:
    """Searches for the names of a `Lead` in the targets that answered, and places linked documents among the known
    documents."""
    known, first_count = first.gathered.chunks, len(first.searched)
    first_merged = Merged(references=first.references, dropped=tuple({} for _ in first.searched))
    second, more, linked = await search_names(run, lead, first.searched, first_merged.references, until=until)
    both = give_places(first_merged, more, linked, most=places)
    new = [reference for reference in both.references if reference.subquery >= first_count]
    gathered = _gather(run, new, known=known, round=1)
    by_key = {chunk.reference.key: chunk for chunk in (*known, *gathered.chunks)}
    order = tuple(by_key[reference.key] for reference in both.references if reference.key in by_key)
    notes = note_of_places(both, first=first_count)
    dropped = both.dropped[first_count:]
    return [Round(searched=tuple(second), gathered=gathered, dropped=dropped, lost=both.lost, order=order, notes=notes)]


async def _attempt(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> Round:
    searched = await search_plan(run, planned, until=until, round=round)
    merged = await merge_all(run, searched, round=round)
    several = len(planned.queries) > 1 or any_unscored(searched)
    references = interleaved(merged.references) if several else merged.references
    gathering = partial(_gather, run, references, known=known, round=round)
    gathered = await threads.work(extent_of(searched), gathering)
    return Round(
        searched=tuple(searched), gathered=gathered, dropped=merged.dropped, lost=merged.lost, in_turns=several
    )


def _gather(run: Run, references: Sequence[Reference], *, known: Sequence[Chunk], round: int) -> Gathered:
    tokens = CHUNK_TOKENS if run.ports.model is None else int(CHUNK_TOKENS * run.scale)
    return gather(references, known=known, most=most_chunks(run.ports.server), tokens=tokens, round=round)


def _record(run: Run, attempts: Sequence[Round], *, start: float, round: int, notes: tuple[str, ...]) -> RoundActivity:
    omitted = sum((attempt.omitted for attempt in attempts), start=Counts())
    searches = [
        SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
        for attempt in attempts
        for searched, dropped in zip(attempt.searched, attempt.dropped, strict=True)
    ]
    return run.keep(
        RoundActivity(
            round=round,
            started_ms=run.at(start),
            elapsed_ms=run.at(asyncio.get_running_loop().time()) - run.at(start),
            searches=tuple(searches),
            found=sum(search.found for search in searches),
            omitted={reason: count for reason, count in omitted.items() if count},
            gathered=sum(len(attempt.gathered.chunks) for attempt in attempts),
            in_turns=attempts[-1].in_turns,
            lost=dict(ChainMap(*({**attempt.lost, **attempt.gathered.lost} for attempt in reversed(attempts)))),
            notes=notes,
        )
    )


MOST_RESULTS = 20
MOST_AGAIN = 6
CITED = "The answer cites it."


def with_cited(
    selected: Sequence[Selected], cited: Collection[str], *, chunks: Sequence[Chunk], most: int
) -> tuple[Selected, ...]:
    """The selected and the cited chunks, at most `most`. If there are more, the last uncited chunks are left out."""
    chosen_ids = {choice.chunk.id for choice in selected}
    additions = [
        Selected(chunk=chunk, rationale=CITED) for chunk in chunks if chunk.id in cited and chunk.id not in chosen_ids
    ]
    room = most - len(additions) - sum(choice.chunk.id in cited for choice in selected)
    choices: list[Selected] = []
    for choice in selected:
        if choice.chunk.id not in cited:
            room -= 1
            if room < 0:
                continue
        choices.append(choice)
    return (*choices, *additions)[:most]


def settle(judgement: Judgement, selected: tuple[Selected, ...]) -> Judgement:
    """The judgement with the final selection. Key points that name no selected chunk are dropped, with a note."""
    kept_ids = {choice.chunk.id for choice in selected}
    shortened = [
        replace(point, chunks=tuple(chunk for chunk in point.chunks if chunk in kept_ids))
        for point in judgement.evidence.key_points
    ]
    points = tuple(point for point in shortened if point.chunks)
    lost = len(shortened) - len(points)
    notes = (*judgement.notes, f"{lost} key points rested on chunks that cited ones replaced.") if lost else ()
    evidence = replace(judgement.evidence, key_points=points)
    return replace(judgement, selected=selected, evidence=evidence, notes=notes or judgement.notes)


def results(
    queries: Sequence[PlannedQuery], searched: Sequence[Searched], chunks: Sequence[Chunk]
) -> Iterator[QueryResult]:
    """The chunks that each query found: at most twenty for each query, in the order of its searches."""
    by_key = {chunk.reference.key: chunk for chunk in chunks}
    for query in queries:
        searches = [search for search in searched if search.subquery.search == query.query]
        keys = [document_key(search.subquery.target, hit) for search in searches for hit in search.page.hits]
        keys_found = dict.fromkeys(key for key in keys if key in by_key)
        yield QueryResult(query=query, chunks=tuple(by_key[key] for key in keys_found)[:MOST_RESULTS])


def chunks_found_again(
    results: Sequence[QueryResult], chosen: Sequence[Chunk], chunks: Sequence[Chunk]
) -> tuple[Chunk, ...]:
    """Chunks of the first round that were not chosen, and that a later search found again. There are at most six; the
    later queries take turns."""
    chosen_ids, known_ids = {chunk.id for chunk in chosen}, {chunk.id for chunk in chunks}
    rows = zip_longest(*(result.chunks for result in results))
    ids = dict.fromkeys(chunk.id for row in rows for chunk in row if chunk is not None)
    ids_again = [name for name in ids if name in known_ids and name not in chosen_ids][:MOST_AGAIN]
    by_id = {chunk.id: chunk for chunk in chunks}
    return tuple(by_id[name] for name in ids_again)
