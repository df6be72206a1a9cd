"""Orders references beyond their scores: a model's selection first, then the best document of each query.

Scores on the wire never rise down the list. A document with a lower score than the next one gets that one's score;
no score is lowered, and thresholds and limits were applied to the documents' own scores before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from retrieval.model.retrieval import Key, Merged, Reference
from retrieval.model.search import Searched


def best_of_each(references: Sequence[Reference], searched: Sequence[Searched]) -> tuple[Key, ...]:
    """The best document of each of several queries, in the order of the references.

    They come before the second document of any query: a plan's queries are for different parts of a question, and all
    scores of one may be above those of another.
    """
    queries = dict.fromkeys(search.subquery.search for search in searched)
    if len(queries) == 1:
        return ()
    places = {reference.key: place for place, reference in enumerate(references)}
    best: set[int] = set()
    for query in queries:
        firsts = [_first(search, places) for search in searched if search.subquery.search == query]
        best.update(sorted(place for place in firsts if place is not None)[:1])
    return tuple(references[place].key for place in sorted(best))


def in_order(merged: Merged, first: Iterable[Key]) -> Merged:
    """The references with those documents first, in that order. Unranked documents stay after the ranked ones.

    Where a source is not to be ranked the order is that of its search, and stays.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(first))}
    references = merged.references
    if not places or not all(reference.target.recall.rerank for reference in references):
        return merged
    ranks = [(reference.hit.score is None, places.get(reference.key, len(places))) for reference in references]
    order = sorted(range(len(references)), key=ranks.__getitem__)
    return Merged(references=_raise_scores([references[place] for place in order]), dropped=merged.dropped)


def _raise_scores(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Gives each reference the highest score from its own place on, where that is not its own."""
    highest: float | None = None
    with_scores: list[Reference] = []
    for reference in reversed(references):
        score = reference.hit.score
        is_lower = score is not None and highest is not None and score < highest
        with_scores.append(reference._replace(shown=highest if is_lower else None))
        if score is not None and not is_lower:
            highest = score
    return tuple(reversed(with_scores))


def _first(search: Searched, places: Mapping[Key, int]) -> int | None:
    """The place of the best document of a search that is a reference, by its score there."""
    index = search.subquery.target.index
    hits = [hit for hit in search.page.hits if (index, hit.key) in places]
    best = max(hits, key=lambda hit: -math.inf if hit.score is None else hit.score, default=None)
    return None if best is None else places[index, best.key]
