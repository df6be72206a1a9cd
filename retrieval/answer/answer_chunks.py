"""Selects the final chunks of an answer, and the chunks that a follow-up found again."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from retrieval.model.answer import Chunk, Judgement, QueryResult, Selected
from retrieval.model.retrieval import PlannedQuery, document_key
from retrieval.model.search import Searched

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
