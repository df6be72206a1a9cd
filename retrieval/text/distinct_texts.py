"""What is given to a reader of a list of texts: whole ones in their order, none twice, within so many and so much."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from retrieval.model.activity import OmitReason
from retrieval.text.near_duplicates import Distinct

Item = TypeVar("Item")


def kept(
    items: Iterable[Item],
    *,
    text: Callable[[Item], str],
    size: Callable[[Item, int], int],
    most: int,
    room: int,
    known: Sequence[str] = (),
) -> tuple[list[Item], Counter[OmitReason]]:
    """The items to give, and the number of the others that were looked at, by the reason why they are left out.

    `size` is in the unit of `room`; its second argument is the room that is left. An item that does not fit is skipped,
    a smaller one after it may fit. It ends with `most` items, or as many as one call may compare; `known` texts are not
    given again.
    """
    omitted: Counter[OmitReason] = Counter()
    distinct = Distinct()
    for one in known:
        distinct.look(one)
    taken: list[Item] = []
    for item in items:
        if len(taken) == most or distinct.full:
            break
        read = text(item)
        if not read:
            omitted["empty"] += 1
        elif (needed := size(item, room)) > room:
            omitted["budget"] += 1
        elif distinct.look(read) is not None:
            omitted["near_duplicate"] += 1
        else:
            taken.append(item)
            room -= needed
    return taken, omitted
