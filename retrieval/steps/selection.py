"""Which references go on, and which chunks an answer ends up with."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from retrieval.answer import Chunk, PlannedQuery, QueryResult, Selected
from retrieval.model import Reference, Searched

MOST_RESULTS = 20
CITED = "The answer cites it."


def turns(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """References in turns of their searches, each search's in their own order.

    Where a question has several parts, the best documents of every part come before the tenth of one. Turns were never
    the worst of the ways to merge searches for different things, and do not depend on how long their lists are.
    """
    by_search: defaultdict[int, list[Reference]] = defaultdict(list)
    for reference in references:
        by_search[reference.subquery].append(reference)
    rounds = zip_longest(*(by_search[search] for search in sorted(by_search)))
    return tuple(one for each in rounds for one in each if one is not None)


def with_cited(
    selected: Sequence[Selected], cited: Collection[str], *, chunks: Sequence[Chunk], most: int
) -> tuple[Selected, ...]:
    """At most `most` chunks, every cited one among them: the last of those that nobody cites give way."""
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


def results(
    queries: Sequence[PlannedQuery], searched: Sequence[Searched], chunks: Sequence[Chunk]
) -> Iterator[QueryResult]:
    """What each query found, of the chunks that went on: at most twenty, in the order of its searches."""
    known = {(one.reference.target.index, one.reference.hit.key): one for one in chunks}
    for query in queries:
        searches = [one for one in searched if one.subquery.search == query.query]
        keys = [(one.subquery.target.index, hit.key) for one in searches for hit in one.page.hits]
        found = dict.fromkeys(key for key in keys if key in known)
        yield QueryResult(query=query, chunks=tuple(known[key] for key in found)[:MOST_RESULTS])
