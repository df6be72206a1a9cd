"""Merge: the documents of all sub-queries as one list of references, every dropped document counted under a reason."""

from collections import Counter
from collections.abc import Sequence

from retrieval.model import DropReason, Merged, Reference, Searched

Found = tuple[int, int, Reference]


def merge(searched: Sequence[Searched], *, threshold: float, limit: int | None) -> Merged:
    """References by score, then sub-query, then rank; a document counts once, for the sub-query that scored it best.

    Documents below `threshold` (reranker score, 0 to 4) go; those that were never ranked follow the ranked ones, since
    a ranker that is away is not a score of zero; one score below the threshold is enough.
    `limit` is the most documents that are kept.
    """
    dropped: list[Counter[DropReason]] = [Counter() for _ in searched]
    for position, one in enumerate(searched):
        if one.page.unreadable:
            dropped[position]["error"] += one.page.unreadable
    best: dict[str, Reference] = {}
    below: set[str] = set()
    for _, _, reference in sorted(_found(searched), key=_order):
        if reference.hit.key in best:
            dropped[reference.subquery]["duplicate"] += 1
        elif reference.hit.key in below or (reference.hit.score is not None and reference.hit.score < threshold):
            below.add(reference.hit.key)
            dropped[reference.subquery]["threshold"] += 1
        else:
            best[reference.hit.key] = reference
    kept = tuple(best.values())
    for reference in kept[limit:] if limit is not None else ():
        dropped[reference.subquery]["limit"] += 1
    return Merged(references=kept[:limit], dropped=tuple(dropped))


def _found(searched: Sequence[Searched]) -> list[Found]:
    return [
        (position, rank, Reference(hit=hit, subquery=position))
        for position, one in enumerate(searched)
        for rank, hit in enumerate(one.page.hits)
    ]


def _order(found: Found) -> tuple[float, int, int]:
    position, rank, reference = found
    score = reference.hit.score
    return (float("inf") if score is None else -score, position, rank)
