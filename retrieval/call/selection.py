"""Which references the next steps use, and which chunks an answer has in the end."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from retrieval.model.answer import QueryResult
from retrieval.model.chunk import Chunk
from retrieval.model.evidence import Judgement, Selected
from retrieval.model.plan import PlannedQuery
from retrieval.model.search import Searched

MOST_RESULTS = 20
MOST_AGAIN = 6
CITED = "The answer cites it."


def with_cited(
    selected: Sequence[Selected], cited: Collection[str], *, chunks: Sequence[Chunk], most: int
) -> tuple[Selected, ...]:
    """At most `most` chunks, with every cited chunk: they replace the last of those that are not cited."""
    chosen = {one.chunk.id for one in selected}
    added = [Selected(chunk=one, rationale=CITED) for one in chunks if one.id in cited and one.id not in chosen]
    room = most - len(added) - sum(one.chunk.id in cited for one in selected)
    kept: list[Selected] = []
    for one in selected:
        if one.chunk.id not in cited:
            room -= 1
            if room < 0:
                continue
        kept.append(one)
    return (*kept, *added)[:most]


def settled(judgement: Judgement, selected: tuple[Selected, ...]) -> Judgement:
    """The judgement with the final selection; key points of other chunks are dropped, with a note."""
    kept = {one.chunk.id for one in selected}
    held = [
        replace(point, chunks=tuple(one for one in point.chunks if one in kept))
        for point in judgement.evidence.key_points
    ]
    points = tuple(point for point in held if point.chunks)
    lost = len(held) - len(points)
    notes = (*judgement.notes, f"{lost} key points rested on chunks that cited ones replaced.") if lost else ()
    evidence = replace(judgement.evidence, key_points=points)
    return replace(judgement, selected=selected, evidence=evidence, notes=notes or judgement.notes)


def results(
    queries: Sequence[PlannedQuery], searched: Sequence[Searched], chunks: Sequence[Chunk]
) -> Iterator[QueryResult]:
    """The chunks that each query found, among those that were used: at most twenty, in the order of its searches."""
    known = {one.reference.key: one for one in chunks}
    for query in queries:
        searches = [one for one in searched if one.subquery.search == query.query]
        keys = [(one.subquery.target.index, hit.key) for one in searches for hit in one.page.hits]
        found = dict.fromkeys(key for key in keys if key in known)
        yield QueryResult(query=query, chunks=tuple(known[key] for key in found)[:MOST_RESULTS])


def found_again(
    results: Sequence[QueryResult], selected: Sequence[Selected], chunks: Sequence[Chunk]
) -> tuple[Chunk, ...]:
    """Chunks of the first round that were not selected and that a later search found: six, in turns of its queries."""
    chosen, known = {one.chunk.id for one in selected}, {one.id for one in chunks}
    ranked = zip_longest(*(result.chunks for result in results))
    found = dict.fromkeys(one.id for each in ranked for one in each if one is not None)
    kept = [name for name in found if name in known and name not in chosen][:MOST_AGAIN]
    by_id = {one.id: one for one in chunks}
    return tuple(by_id[name] for name in kept)
