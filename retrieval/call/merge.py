"""Merge: the documents of all sub-queries as one list of references, every dropped document counted under a reason."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Hit, Page, Searched, SearchTarget

if TYPE_CHECKING:
    from retrieval.filters.evaluate import Predicate

UNRANKED: Final = math.inf

Found = tuple[float, int, int, int, Hit]
Dropped = list[Counter[DropReason]]


def merge(searched: Sequence[Searched], *, most: int | None = None) -> Merged:
    """References by score, then sub-query, then rank; a document counts once, for the sub-query that scored it best.

    Documents that fail their target's `check`, or have any score below its threshold, are dropped. Documents that were
    never ranked follow the ranked ones: a missing ranker does not mean a score of zero. A target keeps at most
    `max_documents`, all of them `most`: the best, or the best of each search in turns where the scores are not of one
    ranker. Documents of two indexes are two documents, whatever their keys.

    Where a target is not to be ranked, its documents have no threshold and count for the sub-query where they come
    first, and all sub-queries take turns (azure-retrieve 2026-08-01-preview, `resultsProcessing` none).
    """
    dropped = [_unusable(one.page) for one in searched]
    targets = [one.subquery.target for one in searched]
    indexes, names = [one.index for one in targets], [one.source_name for one in targets]
    passes, lowest = [_check(target) for target in targets], [_lowest(one) for one in searched]
    best: dict[tuple[str, str], Reference] = {}
    new = tuple.__new__
    below: set[tuple[str, str, str]] = set()
    for _, _, _, position, hit in sorted(_found(searched)):
        one, passing, score = (indexes[position], hit.key), passes[position], hit.score
        if one in best:
            dropped[position]["duplicate"] += 1
        elif passing is not None and not passing(hit.source):
            dropped[position]["filter"] += 1
        elif (score is not None and score < lowest[position]) or (below and (names[position], *one) in below):
            below.add((names[position], *one))
            dropped[position]["threshold"] += 1
        else:
            best[one] = new(Reference, (hit, targets[position], position, None))
    found = tuple(best.values())
    if not all(one.subquery.target.recall.rerank for one in searched):
        found = turns(found)
    kept = list(within_limits(found if comparable(searched) else turns(found), dropped, most))
    if len(kept) < len(found):
        places = {id(one): place for place, one in enumerate(found)}
        found = tuple(sorted(kept, key=lambda one: places[id(one)]))
    return Merged(references=found, dropped=tuple(dropped))


def by_source(searched: Sequence[Searched], targets: Sequence[SearchTarget]) -> list[int]:
    """The positions of searches target by target, as a whole plan has them, however early they began.

    Those of a plan that is read as it is written begin query by query.
    """
    known = {target.source_name: place for place, target in reversed(list(enumerate(targets)))}
    return sorted(range(len(searched)), key=lambda at: known.get(searched[at].subquery.target.source_name, 0))


def merge_in(order: Sequence[int], searched: Sequence[Searched], *, most: int | None = None) -> Merged:
    """What `merge` gives for the searches in an order of their positions."""
    if all(at == place for place, at in enumerate(order)):
        return merge(searched, most=most)
    merged = merge([searched[at] for at in order], most=most)
    references = tuple(one._replace(subquery=order[one.subquery]) for one in merged.references)
    dropped = dict(zip(order, merged.dropped, strict=True))
    return Merged(references=references, dropped=tuple(dropped[at] for at in range(len(searched))))


def comparable(searched: Sequence[Searched]) -> bool:
    """Whether the scores of all searches are of one ranker, which gives the same score the same meaning everywhere."""
    pages = [one.page for one in searched if one.page.hits]
    kinds = {one.subquery.target.kind for one in searched if one.page.hits}
    return len(pages) < 2 or (len(kinds) == 1 and all(one.comparable and one.unranked is None for one in pages))


def after(merged: Merged, searches: int) -> Merged:
    """What was merged of searches that come after so many others."""
    moved = tuple(one._replace(subquery=one.subquery + searches) for one in merged.references)
    return replace(merged, references=moved)


def turns(references: Sequence[Reference], order: Sequence[int] | None = None) -> tuple[Reference, ...]:
    """References in turns of their searches, each search's in their own order; `order` is that of the searches.

    For searches without scores to compare, and for the plan of a model, whose searches are for different things: the
    best documents of each come before the tenth of one, however long their lists are. The searches of the rules are for
    one question, in the order of scores.
    """
    by_search: defaultdict[int, list[Reference]] = defaultdict(list)
    for reference in references:
        by_search[reference.subquery].append(reference)
    rounds = zip_longest(*(by_search[search] for search in order or sorted(by_search)))
    return tuple(one for each in rounds for one in each if one is not None)


def _unusable(page: Page) -> Counter[DropReason]:
    counts: dict[DropReason, int] = {"error": page.unreadable, "excluded": page.excluded}
    return Counter({reason: count for reason, count in counts.items() if count})


def _check(target: SearchTarget) -> "Predicate | None":
    """The check of a target. Most targets need none, so evaluation is loaded only for those that do."""
    if target.check is None:
        return None
    from retrieval.filters.evaluate import predicate

    return predicate(target.check)


def _found(searched: Sequence[Searched]) -> Iterator[Found]:
    """The three numbers by which hits are ordered, then the sub-query and the hit.

    The numbers are score, sub-query and rank; where a target is not to be ranked, rank and sub-query. No two hits share
    the first four, so that sorting never compares hits.
    """
    for position, one in enumerate(searched):
        if one.subquery.target.recall.rerank:
            for rank, hit in enumerate(one.page.hits):
                yield (UNRANKED if hit.score is None else -hit.score), position, rank, position, hit
        else:
            for rank, hit in enumerate(one.page.hits):
                yield UNRANKED, rank, position, position, hit


def _lowest(searched: Searched) -> float:
    """The score that a document needs, if it has one."""
    target = searched.subquery.target
    return target.threshold if target.recall.rerank and not searched.page.cut else -math.inf


def within_limits(references: Iterable[Reference], dropped: Dropped, most: int | None) -> Iterable[Reference]:
    kept: Counter[str] = Counter()
    for reference in references:
        target = reference.target
        name = target.source_name
        full = target.max_documents is not None and kept[name] >= target.max_documents
        if full or (most is not None and kept.total() >= most):
            dropped[reference.subquery]["limit"] += 1
        else:
            kept[name] += 1
            yield reference
