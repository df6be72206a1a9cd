"""Orders references by more than their scores: a model's selection first, then the best document of each query.

A follow-up may search for names of the first documents. At most three documents that are linked to these names are
placed among the first ten. The first five documents of the first round stay among these ten. A linked document whose
title is a name comes after the second document of the first round. The strongest other linked document comes after the
fourth, if it is clearly stronger than the next. The other placed documents come after the fifth. The order does not
depend on the number of documents that the caller asks for.

The order changes no score: a reference has the score that a ranker gave it, or none. Thresholds apply to the scores of
links (`Linked`).
"""

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Beside, Key, Merged, Reference, document_key
from retrieval.model.search import Searched
from retrieval.retrieve.search.linked_documents import Linked
from retrieval.retrieve.search.merge import Dropped, Lost, interleaved, ranked_hits, within
from retrieval.text.counted_noun import how_many

BEFORE_ENTITLED: Final = 2
BEFORE_STRONGEST: Final = 4
KEPT: Final = 5
"""The numbers of first-round documents before linked documents whose title is a name, before the strongest other linked
document, and before the other linked documents."""

PLACES: Final = 3
"""The number of places for linked documents."""

LEADING: Final = 0.1
"""A leading document is stronger than the next by at least this difference. Without its place recall@5 of HotpotQA
falls by 3.0 [.5, 6.0], and that of MultiHop-RAG rises by 1.1 [-.3, 2.7]."""

PLACED: Final = "{documents} of the follow-up placed by what leads there, not by a score."


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
    return replace(merged, references=tuple(references[place] for place in order))


def beside(merged: Merged, searched: Sequence[Searched], lesser: Beside, *, first: Sequence[Key] = ()) -> Merged:
    """The references with the documents of `first` before all others, then so many of the leading searches. The
    searches of `lesser` take turns with the rest. Unranked documents stay after the ranked ones."""
    texts = lesser.texts
    leading, others = (_found_by(merged, searched, texts, is_beside=is_beside) for is_beside in (False, True))
    best = best_of_each(leading, [search for search in searched if search.subquery.search not in texts])
    keys = [reference.key for reference in in_order(replace(merged, references=leading), (*first, *best)).references]
    head = tuple(dict.fromkeys((*first, *keys[: lesser.after])))
    new = [reference.key for reference in others if reference.key not in head]
    rest = [key for pair in zip_longest(new, keys[lesser.after :]) for key in pair if key is not None]
    places = {key: place for place, key in enumerate(dict.fromkeys((*head, *rest)))}
    is_ranked = all(reference.target.recall.rerank for reference in merged.references)

    def place(reference: Reference) -> tuple[bool, int]:
        return is_ranked and reference.hit.score is None, places.get(reference.key, len(places))

    return replace(merged, references=tuple(sorted(merged.references, key=place)))


def give_places(
    first: Merged,
    second: Merged,
    linked: Sequence[Linked],
    *,
    held: int = 0,
    most: int | None = None,
    in_turns: bool = False,
) -> Merged:
    """The documents of the first round and the linked documents that get places, at most `most`. The positions of the
    searches of `second` follow those of `first`. The first `held` documents stay first. With `in_turns` the searches
    take turns until a limit is reached.

    A document of `second` without a place is counted for its search: as `duplicate` if the first round has it, as
    `threshold` if its score is too low, else as `limit`.
    """
    references, first_searches = _in_places(first.references, linked, held), len(first.dropped)
    dropped: Dropped = [Counter(counts) for counts in (*first.dropped, *second.dropped)]
    by_key = {reference.key: reference for reference in first.references}
    taken_keys = {reference.key for reference in references if reference.subquery >= first_searches}
    for key in taken_keys & by_key.keys():
        dropped[by_key[key].subquery]["duplicate"] += 1
    low_keys = {link.reference.key for link in linked if _too_low(link)}
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


def in_turns(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """References in turns of their searches, each search with its best documents first. The searches are in the order
    of the scores of their best documents. Unranked documents follow the ranked documents, in turns too. Azure numbers
    the references of an answer in this order (real answers of 2025-08-01-preview and 2025-11-01-preview)."""
    by_score = sorted(references, key=_by_score)
    order = tuple(dict.fromkeys(reference.subquery for reference in by_score))
    ranked, unranked = (
        [reference for reference in by_score if (reference.hit.score is None) is is_unranked]
        for is_unranked in (False, True)
    )
    return (*interleaved(ranked, order), *interleaved(unranked, order))


def _by_score(reference: Reference) -> float:
    score = reference.hit.placing
    return math.inf if score is None else -score


def _first(search: Searched, places: Mapping[Key, int]) -> int | None:
    """The place, among the references, of the document with the highest score in this search."""
    index, best, highest = search.subquery.target.index, None, -math.inf
    for hit in search.page.hits:
        score = -math.inf if hit.placing is None else hit.placing
        if (best is None or score > highest) and (index, hit.key) in places:
            best, highest = places[index, hit.key], score
    return best


def _found_by(
    merged: Merged, searched: Sequence[Searched], texts: Container[str], *, is_beside: bool
) -> tuple[Reference, ...]:
    """The references that the searches beside the others found, or the others. Best first, by these searches alone."""
    known = {reference.key: reference for reference in merged.references}
    chosen = [search for search in searched if (search.subquery.search in texts) is is_beside]
    hits = (document_key(chosen[at].subquery.target, hit) for _, _, _, at, hit in sorted(ranked_hits(chosen)))
    return tuple(known[key] for key in dict.fromkeys(hits) if key in known)


def _in_places(first: Sequence[Reference], linked: Sequence[Linked], held: int) -> tuple[Reference, ...]:
    """The documents of a first round, with the linked documents that get places among them, after the first `held`."""
    before_entitled, before_strongest, kept = (max(place, held) for place in (BEFORE_ENTITLED, BEFORE_STRONGEST, KEPT))
    kept_keys = {reference.key for reference in first[:kept]}
    able = [link for link in linked if link.reference.key not in kept_keys and not _too_low(link)]
    new = able[:PLACES]
    others = [link for link in new if not link.entitled]
    leading = others[: len(others) > 1 and others[0].strength >= others[1].strength + LEADING]
    keys = {link.reference.key for link in new}
    rest = [reference for reference in first if reference.key not in keys]
    return (
        *rest[:before_entitled],
        *(link.reference for link in new if link.entitled),
        *rest[before_entitled:before_strongest],
        *(link.reference for link in leading),
        *rest[before_strongest:kept],
        *(link.reference for link in others[len(leading) :]),
        *rest[kept:],
    )


def _reason(key: Key, *, known_keys: Container[Key], low_keys: Container[Key]) -> DropReason:
    if key in known_keys:
        return "duplicate"
    return "threshold" if key in low_keys else "limit"


def _too_low(link: Linked) -> bool:
    return link.score is not None and link.score < link.reference.target.threshold
