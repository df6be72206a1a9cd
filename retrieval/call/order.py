"""The order of references beyond their scores: what a model selected, then the best document of each query.

Scores on the wire never rise down the list. Whoever comes first is raised to the next score where its own is lower;
nobody is lowered, and thresholds and limits were applied to the documents' own scores before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from retrieval.model.retrieval import Key, Merged, Reference
from retrieval.model.search import Searched


def best_of_each(references: Sequence[Reference], searched: Sequence[Searched]) -> tuple[Key, ...]:
    """The best document of each of several queries, in the order of the references.

    They come before the second of any: the queries of a plan are for different parts of a question, and the scores of
    one may be above those of another throughout.
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


def ordered(merged: Merged, first: Iterable[Key]) -> Merged:
    """With those documents first, in that order. Unranked documents stay after the ranked ones.

    Where a source is not to be ranked the order is that of its search, and stays.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(first))}
    references = merged.references
    if not places or not all(reference.target.recall.rerank for reference in references):
        return merged
    ranks = [(one.hit.score is None, places.get(one.key, len(places))) for one in references]
    order = sorted(range(len(references)), key=ranks.__getitem__)
    return Merged(references=_raised([references[place] for place in order]), dropped=merged.dropped)


def _raised(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Each with the highest score from its own place on, where that is not its own. An earlier order counts no more."""
    highest: float | None = None
    raised: list[Reference] = []
    for reference in reversed(references):
        own = reference.hit.score
        is_lower = own is not None and highest is not None and own < highest
        raised.append(reference._replace(raised=highest if is_lower else None))
        if own is not None and not is_lower:
            highest = own
    return tuple(reversed(raised))


def _first(search: Searched, places: Mapping[Key, int]) -> int | None:
    """The place of the best document of a search that is a reference, by its score there."""
    index = search.subquery.target.index
    known = [hit for hit in search.page.hits if (index, hit.key) in places]
    best = max(known, key=lambda hit: -math.inf if hit.score is None else hit.score, default=None)
    return None if best is None else places[index, best.key]
