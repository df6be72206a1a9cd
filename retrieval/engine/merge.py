"""Merge: the documents of all sub-queries as one list of references, every dropped document counted under a reason."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Merged, Reference
from retrieval.model.search import Page, Searched, SearchTarget

if TYPE_CHECKING:
    from retrieval.filters.evaluate import Predicate

Found = tuple[int, int, Reference]
Dropped = list[Counter[DropReason]]


def merge(searched: Sequence[Searched]) -> Merged:
    """References by score, then sub-query, then rank; a document counts once, for the sub-query that scored it best.

    Documents that fail their target's `check`, or have any score below its threshold, are dropped. Documents that were
    never ranked follow the ranked ones: a missing ranker does not mean a score of zero. A target keeps at most
    `max_documents`. Documents of two targets are two documents, whatever their keys.
    """
    dropped = [_unusable(one.page) for one in searched]
    passes = [_check(one.subquery.target) for one in searched]
    best: dict[tuple[str, str], Reference] = {}
    below: set[tuple[str, str]] = set()
    for _, _, reference in sorted(_found(searched), key=_order):
        key = (reference.target.index, reference.hit.key)
        if key in best:
            dropped[reference.subquery]["duplicate"] += 1
        elif not passes[reference.subquery](reference.hit.source):
            dropped[reference.subquery]["filter"] += 1
        elif key in below or _too_low(reference, searched[reference.subquery].page):
            below.add(key)
            dropped[reference.subquery]["threshold"] += 1
        else:
            best[key] = reference
    return Merged(references=tuple(_within_limits(best.values(), dropped)), dropped=tuple(dropped))


def _unusable(page: Page) -> Counter[DropReason]:
    counts: dict[DropReason, int] = {"error": page.unreadable, "excluded": page.excluded}
    return Counter({reason: count for reason, count in counts.items() if count})


def _check(target: SearchTarget) -> "Predicate":
    """The check of a target. Most targets need none, so evaluation is loaded only for those that do."""
    if target.check is None:
        return lambda source: True
    from retrieval.filters.evaluate import predicate

    return predicate(target.check)


def _found(searched: Sequence[Searched]) -> list[Found]:
    return [
        (position, rank, Reference(hit=hit, target=one.subquery.target, subquery=position))
        for position, one in enumerate(searched)
        for rank, hit in enumerate(one.page.hits)
    ]


def _order(found: Found) -> tuple[float, int, int]:
    position, rank, reference = found
    score = reference.hit.score
    return (float("inf") if score is None else -score, position, rank)


def _too_low(reference: Reference, page: Page) -> bool:
    score = reference.hit.score
    return score is not None and score < reference.target.threshold and not page.cut


def _within_limits(references: Iterable[Reference], dropped: Dropped) -> Iterable[Reference]:
    kept: Counter[str] = Counter()
    for reference in references:
        target = reference.target
        if target.max_documents is not None and kept[target.index] >= target.max_documents:
            dropped[reference.subquery]["limit"] += 1
        else:
            kept[target.index] += 1
            yield reference
