"""Merges the documents of all sub-queries into one list of references, and counts every dropped document by its
reason."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from retrieval.filters.evaluate import predicate
from retrieval.model.activity import DropReason, SearchActivity
from retrieval.model.retrieval import Key, Merged, Reference
from retrieval.model.search import Hit, Page, Searched, SearchTarget

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
    names, indexes = [target.source_name for target in targets], [target.index for target in targets]
    passes, lowest = (
        [None if target.check is None else predicate(target.check) for target in targets],
        [_lowest(search) for search in searched],
    )
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
        elif is_low or (too_low and (names[position], *key) in too_low):
            too_low.add((names[position], *key))
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
    place_of = {target.source_name: place for place, target in reversed(list(enumerate(targets)))}
    return sorted(range(len(searched)), key=lambda at: place_of.get(searched[at].subquery.target.source_name, 0))


def merge_in(order: Sequence[int], searched: Sequence[Searched]) -> Merged:
    """Merges searches in the given order of their positions."""
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
                (UNRANKED if (score := hit.placing) is None else -score, position, rank, position, hit)
                for rank, hit in hits
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
