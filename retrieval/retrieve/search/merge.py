"""Merges the documents of all sub-queries into one list of references, counts every dropped document by its reason, and
orders the list by more than scores: a model's selection first, then the best document of each query.

A follow-up may search for names of the first documents. At most three documents that are linked to these names are
placed among the first ten. The first five documents of the first round stay among these ten. A linked document whose
title is a name comes after the second document of the first round. The strongest other linked document comes after the
fourth, if it is clearly stronger than the next. The other placed documents come after the fifth. The order does not
depend on the number of documents that the caller asks for.

The order changes no score: a reference has the score that a ranker gave it, or none. Thresholds apply to the scores of
links (`Linked`).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from retrieval.filters.evaluate import predicate
from retrieval.model.activity import DropReason, SearchActivity
from retrieval.model.retrieval import Beside, Key, Merged, Reference, document_key
from retrieval.model.search import Hit, Page, Searched, SearchTarget
from retrieval.retrieve.search_for_names import Linked
from retrieval.text.counted_noun import how_many

UNRANKED: Final = math.inf

RankedHit = tuple[float, int, int, int, Hit]
Dropped = list[Counter[DropReason]]
Lost = dict[Key, DropReason]


def merge(searched: Sequence[Searched]) -> Merged:
    """References in the order of score, sub-query and rank. A document counts once, for the sub-query that gave it the
    highest score.

    Documents that fail their target's `check` are dropped. A document is also dropped if its highest score is below the
    target's threshold. Each search with such a score counts the document as `threshold`. Documents without a score
    follow the others, and no threshold applies to them. A target keeps at most `max_documents`. Within this limit the
    best documents are kept. Where the scores of the searches are not `comparable`, the searches take turns instead,
    each with its best documents first. A target without ranking has no threshold. Its documents count for the sub-query
    in which they have the best rank. If any target has no ranking, the references are returned in turns: the first of
    each sub-query, then the second of each, and so on (azure-retrieve 2026-08-01-preview, `resultsProcessing` none).
    """
    dropped = [_unusable(search.page) for search in searched]
    targets = [search.subquery.target for search in searched]
    indexes, lowest = [target.index for target in targets], [_lowest(search) for search in searched]
    passes = [None if target.check is None else predicate(target.check) for target in targets]
    best: dict[Key, Reference] = {}
    new = tuple.__new__
    too_low: set[tuple[str, str, str]] = set()
    lost: Lost = {}
    for _, _, _, position, hit in sorted(ranked_hits(searched)):
        key, score = (indexes[position], hit.key), hit.score
        is_low = score is not None and score < lowest[position]
        if key in best:
            dropped[position]["threshold" if is_low else "duplicate"] += 1
        elif (passing := passes[position]) is not None and not passing(hit.source):
            dropped[position]["filter"] += 1
            lost[key] = "filter"
        elif is_low or (too_low and (targets[position].source, *key) in too_low):
            too_low.add((targets[position].source, *key))
            dropped[position]["threshold"] += 1
            lost[key] = "threshold"
        else:
            lost.pop(key, None)
            best[key] = new(Reference, (hit, targets[position], position))
    references = tuple(best.values())
    if not all(search.subquery.target.recall.rerank for search in searched):
        references = interleaved(references)
    references = within(references, dropped, lost, most=None, in_turns=not comparable(searched))
    return Merged(references=references, dropped=tuple(dropped), lost=lost)


def by_source(searched: Sequence[Searched], targets: Sequence[SearchTarget]) -> list[int]:
    """The positions of searches, target by target, in the order of `targets`. Searches may have begun in another order,
    since a plan that is still being written begins its searches query by query.
    """
    if len(searched) == 1:
        return [0]
    place_of = {target.source_name: place for place, target in reversed(list(enumerate(targets)))}
    return sorted(range(len(searched)), key=lambda at: place_of.get(searched[at].subquery.target.source_name, 0))


def merge_in(searched: Sequence[Searched], targets: Sequence[SearchTarget], *, first: int) -> Merged:
    """Merges searches, the `first` of them in the order of their targets (`by_source`), and the others behind them."""
    order = [*by_source(searched[:first], targets), *range(first, len(searched))]
    if all(at == place for place, at in enumerate(order)):
        return merge(searched)
    merged = merge([searched[at] for at in order])
    references = tuple(reference._replace(subquery=order[reference.subquery]) for reference in merged.references)
    dropped = dict(zip(order, merged.dropped, strict=True))
    return replace(merged, references=references, dropped=tuple(dropped[at] for at in range(len(searched))))


def alone(searched: Searched) -> SearchActivity:
    """The record of a search at its end. Of the dropped documents, the record counts only those with a score below the
    threshold of the search's target."""
    lowest = _lowest(searched)
    below_count = sum(hit.score is not None and hit.score < lowest for hit in searched.page.hits)
    dropped: dict[DropReason, int] = {"threshold": below_count} if below_count else {}
    return SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)


def comparable(searched: Sequence[Searched]) -> bool:
    """Whether the same score means the same in every search that found documents. If several searches found documents,
    their targets must be of the same kind, and their pages `comparable` and without `unranked`."""
    pages = [search.page for search in searched if search.page.hits]
    kinds = {search.subquery.target.kind for search in searched if search.page.hits}
    return len(pages) < 2 or (len(kinds) == 1 and all(page.comparable and page.unranked is None for page in pages))


def any_unscored(searched: Sequence[Searched]) -> bool:
    """Whether any page with documents has a false `scored`. The pages of MCP servers have it false."""
    return any(search.page.hits and not search.page.scored for search in searched)


def after(merged: Merged, searches: int) -> Merged:
    """The merged documents, with the positions of their searches raised by `searches`, the number of searches before
    them."""
    references = tuple(reference._replace(subquery=reference.subquery + searches) for reference in merged.references)
    return replace(merged, references=references)


def interleaved(references: Sequence[Reference], order: Sequence[int] | None = None) -> tuple[Reference, ...]:
    """References in turns of their searches.

    The references of one search keep their order; `order` is the order of the searches. Callers use this where scores
    cannot be compared, or where each search should contribute documents.
    """
    by_search: defaultdict[int, list[Reference]] = defaultdict(list)
    for reference in references:
        by_search[reference.subquery].append(reference)
    rounds = zip_longest(*(by_search[search] for search in order or sorted(by_search)))
    return tuple(reference for turn in rounds for reference in turn if reference is not None)


def _unusable(page: Page) -> Counter[DropReason]:
    counts: dict[DropReason, int] = {"error": page.unreadable, "excluded": page.excluded, "limit": page.beyond}
    return Counter({reason: count for reason, count in counts.items() if count})


def ranked_hits(searched: Sequence[Searched]) -> list[RankedHit]:
    """A tuple for each hit: three numbers for the order, the sub-query, and the hit. For a target with ranking, the
    numbers are negative score (or infinity), sub-query and rank. Without ranking, they are infinity, rank and
    sub-query. No two entries share the first four values, so sorting never compares hits.
    """
    ranked_hits: list[RankedHit] = []
    for position, search in enumerate(searched):
        hits = enumerate(search.page.hits)
        if search.subquery.target.recall.rerank:
            ranked_hits += [
                (UNRANKED if score is None else -score, position, rank, position, hit)
                for rank, hit in hits
                for score in (hit.score if hit.raised is None else hit.raised,)
            ]
        else:
            ranked_hits += [(UNRANKED, rank, position, position, hit) for rank, hit in hits]
    return ranked_hits


def _lowest(searched: Searched) -> float:
    """The lowest score with which a document is kept; minus infinity where no threshold applies."""
    threshold = searched.threshold
    return -math.inf if threshold is None else threshold


def within(
    references: tuple[Reference, ...], dropped: Dropped, lost: Lost, *, most: int | None, in_turns: bool
) -> tuple[Reference, ...]:
    """The references within the limits of their targets and within `most`, in their order. The first references are
    kept; with `in_turns`, the searches take turns. References over a limit are counted in `dropped`, and have their
    reason in `lost`."""
    kept = list(_within_limits(interleaved(references) if in_turns else references, dropped, lost, most))
    if len(kept) == len(references):
        return references
    places = {id(reference): place for place, reference in enumerate(references)}
    return tuple(sorted(kept, key=lambda reference: places[id(reference)]))


def _within_limits(
    references: Iterable[Reference], dropped: Dropped, lost: Lost, most: int | None
) -> Iterable[Reference]:
    counts: Counter[str] = Counter()
    for reference in references:
        target = reference.target
        name = target.source or target.index
        full = target.max_documents is not None and counts[name] >= target.max_documents
        if full or (most is not None and counts.total() >= most):
            dropped[reference.subquery]["limit"] += 1
            lost[reference.key] = "limit"
        else:
            counts[name] += 1
            yield reference


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
    reasons: Lost = {link.reference.key: "threshold" for link in linked if _too_low(link)}
    reasons.update(dict.fromkeys(by_key, "duplicate"))
    lost: Lost = {**first.lost, **second.lost}
    for reference in second.references:
        if reference.key not in taken_keys:
            reason = reasons.get(reference.key, "limit")
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
    hit = reference.hit
    score = hit.score if hit.raised is None else hit.raised
    return UNRANKED if score is None else -score


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


def _too_low(link: Linked) -> bool:
    return link.score is not None and link.score < link.reference.target.threshold
