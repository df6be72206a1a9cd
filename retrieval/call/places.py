"""The places of a follow-up's documents: the last of the first ten, so that a doubt keeps what the first round found.

References stay in the order of their scores: a document at its place has a score no higher than the one before it and
no lower than the one after it.
"""

from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from retrieval.call.merge import Dropped, within_limits
from retrieval.model.activity import DropReason
from retrieval.model.retrieval import Key, Merged, Reference
from retrieval.rules.follow_up import LINKED, Linked

TEN: Final = 10
PLACES: Final = 3
"""Of ten, for documents that are linked; `MORE` for those whose title is a name that led to them."""
MORE: Final = 2


def chosen(linked: Sequence[Linked], first: Sequence[Reference], *, places: int) -> tuple[Reference, ...]:
    """The linked documents that get places among so many, best first; none with a score below its threshold."""
    usual, more = places * PLACES // TEN, places * MORE // TEN
    head = {one.key for one in first[: places - usual - more]}
    open_ones = [one for one in linked if one.reference.key not in head and not _too_low(one.reference)]
    taken = [
        one.reference
        for place, one in enumerate(open_ones[: usual + more])
        if one.strength >= LINKED and (place < usual or one.entitled)
    ]
    kept = {one.key for one in first[: places - len(taken)]}
    return tuple(one for one in taken if one.key not in kept)


def placed(first: Merged, second: Merged, linked: Sequence[Linked], *, most: int | None = None) -> Merged:
    """The documents of both rounds. The references of `second` are of the searches after those of `first`.

    What gets no place is counted for its search: `duplicate` if the first round has it, `threshold`, or `limit`.
    """
    before = len(first.dropped)
    places = TEN if most is None else min(TEN, most)
    new = chosen(linked, first.references, places=places)
    names = {one.key for one in new}
    others = [one for one in first.references if one.key not in names]
    head, rest = others[: places - len(new)], others[places - len(new) :]
    dropped: Dropped = [Counter(one) for one in (*first.dropped, *second.dropped)]
    known = {one.key: one for one in first.references}
    for one in new:
        if one.subquery >= before and one.key in known:
            dropped[known[one.key].subquery]["duplicate"] += 1
    low = {one.reference.key for one in linked if _too_low(one.reference)}
    taken = {one.key for one in new if one.subquery >= before}
    for one in second.references:
        if one.key not in taken:
            dropped[one.subquery][_reason(one.key, known=known, low=low)] += 1
    between = _between(new, above=head[-1:], below=rest[:1])
    return Merged(references=tuple(within_limits((*head, *between, *rest), dropped, most)), dropped=tuple(dropped))


def _reason(key: Key, *, known: Container[Key], low: Container[Key]) -> DropReason:
    if key in known:
        return "duplicate"
    return "threshold" if key in low else "limit"


def _too_low(reference: Reference) -> bool:
    score = reference.hit.score
    return score is not None and score < reference.target.threshold


def _between(
    new: Sequence[Reference], *, above: Sequence[Reference], below: Sequence[Reference]
) -> tuple[Reference, ...]:
    """The documents with scores that are between their neighbours' and do not rise; unranked beside unranked ones."""
    most = above[0].score if above else None
    least = below[0].score if below else None
    if above and most is None:
        return tuple(one._replace(hit=one.hit._replace(score=None), raised=None) for one in new)
    scored: list[Reference] = []
    for one in new:
        score = one.hit.score
        if score is not None:
            score = min(max(score, least or 0.0), score if most is None else most)
            most = score
        scored.append(one._replace(hit=one.hit._replace(score=score), raised=None))
    return tuple(scored)
