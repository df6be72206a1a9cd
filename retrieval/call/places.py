"""Gives a follow-up's documents places: the last of the first ten, so that a doubt keeps the first round's documents.

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
"""Places of ten for documents that are linked; `MORE` for those whose title is a name that led to them."""
MORE: Final = 2


def choose(linked: Sequence[Linked], first: Sequence[Reference], *, places: int) -> tuple[Reference, ...]:
    """The linked documents that get places among so many, best first; none with a score below its threshold."""
    usual, more = places * PLACES // TEN, places * MORE // TEN
    head = {reference.key for reference in first[: places - usual - more]}
    candidates = [link for link in linked if link.reference.key not in head and not _too_low(link.reference)]
    references = [
        link.reference
        for place, link in enumerate(candidates[: usual + more])
        if link.strength >= LINKED and (place < usual or link.entitled)
    ]
    head_keys = {reference.key for reference in first[: places - len(references)]}
    return tuple(reference for reference in references if reference.key not in head_keys)


def give_places(first: Merged, second: Merged, linked: Sequence[Linked], *, most: int | None = None) -> Merged:
    """The documents of both rounds. The references of `second` are of the searches after those of `first`.

    A document without a place is counted for its search: `duplicate` if the first round has it, `threshold`, or
    `limit`.
    """
    first_searches = len(first.dropped)
    places = TEN if most is None else min(TEN, most)
    new = choose(linked, first.references, places=places)
    keys = {reference.key for reference in new}
    others_of_first = [reference for reference in first.references if reference.key not in keys]
    head, rest = others_of_first[: places - len(new)], others_of_first[places - len(new) :]
    dropped: Dropped = [Counter(counts) for counts in (*first.dropped, *second.dropped)]
    by_key = {reference.key: reference for reference in first.references}
    for reference in new:
        if reference.subquery >= first_searches and reference.key in by_key:
            dropped[by_key[reference.key].subquery]["duplicate"] += 1
    low_keys = {link.reference.key for link in linked if _too_low(link.reference)}
    taken_keys = {reference.key for reference in new if reference.subquery >= first_searches}
    lost = {**first.lost, **second.lost}
    for reference in second.references:
        if reference.key not in taken_keys:
            reason = _reason(reference.key, known_keys=by_key, low_keys=low_keys)
            dropped[reference.subquery][reason] += 1
            lost[reference.key] = reason
    between = _between(new, above=head[-1:], below=rest[:1])
    references = tuple(within_limits((*head, *between, *rest), dropped, most))
    return Merged(references=references, dropped=tuple(dropped), lost=lost)


def _reason(key: Key, *, known_keys: Container[Key], low_keys: Container[Key]) -> DropReason:
    if key in known_keys:
        return "duplicate"
    return "threshold" if key in low_keys else "limit"


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
        return tuple(reference._replace(hit=reference.hit._replace(score=None), raised=None) for reference in new)
    scored: list[Reference] = []
    for reference in new:
        score = reference.hit.score
        if score is not None:
            score = min(max(score, least or 0.0), score if most is None else most)
            most = score
        scored.append(reference._replace(hit=reference.hit._replace(score=score), raised=None))
    return tuple(scored)
