"""Orders references by more than their scores: a model's selection first, then the best document of each query.

A follow-up may search for names of the first documents. At most five documents that are linked to these names are
placed among the first ten. The first five documents of the first round stay among these ten. A linked document whose
title is a name comes after the second document of the first round. The strongest other linked document comes after the
fourth, if it is clearly stronger than the next. The other placed documents come after the fifth. The order does not
depend on the number of documents that the caller asks for.

If all targets rank, a score in a retrieve response is never higher than the score before it. A document with a lower
score than a later document is shown with the highest later score. A placed document is shown with a score between those
of its neighbours. Thresholds apply to the scores before this change.
"""

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from retrieval.call.merge import Dropped, Lost, within
from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Key, Merged, Reference
from retrieval.model.search import Searched
from retrieval.rules.linked_documents import Linked
from retrieval.text.counted_noun import how_many

BEFORE_ENTITLED: Final = 2
BEFORE_STRONGEST: Final = 4
KEPT: Final = 5
"""The numbers of first-round documents before linked documents whose title is a name, before the strongest other linked
document, and before the other linked documents."""

PLACES: Final = 3
"""The number of places for linked documents. `MORE` further places are only for entitled documents, whose title is a
name."""
MORE: Final = 2

LEADING: Final = 0.1
"""A leading document is stronger than the next by at least this difference."""

PLACED: Final = "{documents} of the follow-up placed by what leads there, shown with scores between the neighbours'."


def best_of_each(references: Sequence[Reference], searched: Sequence[Searched]) -> tuple[Key, ...]:
    """The best document of each query, in the order of the references; none for a single query.

    These documents come before the second document of any query, since a plan's queries are for different parts of a
    question.
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
    """The references with the documents of `first` before all others, in the order of `first`.

    Unranked documents stay after the ranked documents. If any target has no ranking, the order does not change.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(first))}
    references = merged.references
    if not places or not all(reference.target.recall.rerank for reference in references):
        return merged
    ranks = [(reference.hit.score is None, places.get(reference.key, len(places))) for reference in references]
    order = sorted(range(len(references)), key=ranks.__getitem__)
    return replace(merged, references=_raise_scores([references[place] for place in order]))


def give_places(
    first: Merged, second: Merged, linked: Sequence[Linked], *, most: int | None = None, in_turns: bool = False
) -> Merged:
    """The documents of the first round and the linked documents that get places, at most `most`. The positions of the
    searches of `second` follow those of `first`. With `in_turns` the searches take turns until a limit is reached.

    A document of `second` without a place is counted for its search: as `duplicate` if the first round has it, as
    `threshold` if its score is too low, else as `limit`.
    """
    references, first_searches = _in_places(first.references, linked), len(first.dropped)
    dropped: Dropped = [Counter(counts) for counts in (*first.dropped, *second.dropped)]
    by_key = {reference.key: reference for reference in first.references}
    taken_keys = {reference.key for reference in references if reference.subquery >= first_searches}
    for key in taken_keys & by_key.keys():
        dropped[by_key[key].subquery]["duplicate"] += 1
    low_keys = {link.reference.key for link in linked if _too_low(link.reference)}
    lost: Lost = {**first.lost, **second.lost}
    for reference in second.references:
        if reference.key not in taken_keys:
            reason = _reason(reference.key, known_keys=by_key, low_keys=low_keys)
            dropped[reference.subquery][reason] += 1
            lost[reference.key] = reason
    kept = within(references, dropped, lost, most=most, in_turns=in_turns)
    return Merged(references=kept, dropped=tuple(dropped), lost=lost)


def note_of_places(merged: Merged, *, first: int) -> tuple[str, ...]:
    """A sentence about the documents that got places by a follow-up, if any. `first` is the number of searches of the
    first round."""
    count = sum(reference.subquery >= first for reference in merged.references)
    return (PLACED.format(documents=how_many(count, "document")),) if count else ()


def _raise_scores(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Shows each reference with the highest score of the references after it, if that is higher than its own score."""
    highest: float | None = None
    with_scores: list[Reference] = []
    for reference in reversed(references):
        score = reference.hit.score
        is_lower = score is not None and highest is not None and score < highest
        shown = highest if is_lower else None
        with_scores.append(reference if reference.shown == shown else reference._replace(shown=shown))
        if score is not None and not is_lower:
            highest = score
    return tuple(reversed(with_scores))


def _first(search: Searched, places: Mapping[Key, int]) -> int | None:
    """The place, among the references, of the document with the highest score in this search."""
    index, best, highest = search.subquery.target.index, None, -math.inf
    for hit in search.page.hits:
        score = -math.inf if hit.score is None else hit.score
        if (best is None or score > highest) and (index, hit.key) in places:
            best, highest = places[index, hit.key], score
    return best


def _in_places(first: Sequence[Reference], linked: Sequence[Linked]) -> tuple[Reference, ...]:
    """The documents of a first round, with the linked documents that get places among them."""
    kept_keys = {reference.key for reference in first[:KEPT]}
    able = [link for link in linked if link.reference.key not in kept_keys and not _too_low(link.reference)]
    new = [link for place, link in enumerate(able[: PLACES + MORE]) if place < PLACES or link.entitled]
    others = [link for link in new if not link.entitled]
    leading = others[: len(others) > 1 and others[0].strength >= others[1].strength + LEADING]
    keys = {link.reference.key for link in new}
    rest = [reference for reference in first if reference.key not in keys]
    order = (
        *rest[:BEFORE_ENTITLED],
        *(link.reference for link in new if link.entitled),
        *rest[BEFORE_ENTITLED:BEFORE_STRONGEST],
        *(link.reference for link in leading),
        *rest[BEFORE_STRONGEST:KEPT],
        *(link.reference for link in others[len(leading) :]),
        *rest[KEPT:],
    )
    return _between_neighbours(order, keys)


def _between_neighbours(references: Sequence[Reference], keys: Collection[Key]) -> tuple[Reference, ...]:
    """The references. Those with a key in `keys` are shown with scores between the scores of their neighbours. After an
    unranked document they are shown without a score."""
    floors: list[float | None] = [None]
    for reference in reversed(references):
        floors.append(floors[-1] if reference.key in keys else reference.score)
    above: list[Reference] = []
    for reference, floor in zip(references, reversed(floors[:-1]), strict=True):
        if reference.key in keys:
            reference = _between(reference, above[-1].score if above else reference.hit.score, floor)
        above.append(reference)
    return tuple(above)


def _between(reference: Reference, ceiling: float | None, floor: float | None) -> Reference:
    if ceiling is None:
        return reference._replace(hit=reference.hit._replace(score=None), shown=None)
    score = reference.hit.score
    shown = floor if score is None else min(max(score, floor or 0.0), ceiling)
    return reference._replace(shown=None if shown == score else shown)


def _reason(key: Key, *, known_keys: Container[Key], low_keys: Container[Key]) -> DropReason:
    if key in known_keys:
        return "duplicate"
    return "threshold" if key in low_keys else "limit"


def _too_low(reference: Reference) -> bool:
    score = reference.hit.score
    return score is not None and score < reference.target.threshold
