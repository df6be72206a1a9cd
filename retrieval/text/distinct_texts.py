"""What is given to a reader of a list of texts: whole ones in their order, none twice, within so many and so much."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from retrieval.model.activity import OmitReason
from retrieval.text.near_duplicates import Distinct

Item = TypeVar("Item")


def choose(
    items: Iterable[Item],
    *,
    text: Callable[[Item], str],
    size: Callable[[Item, int], int],
    most: int,
    room: int,
    earlier: Sequence[str] = (),
) -> tuple[list[Item], list[tuple[Item, OmitReason]]]:
    """The items to give, and the others that were looked at, each with the reason why it is left out.

    `size` is in the unit of `room`; its second argument is the room that is left. An item that does not fit is skipped,
    a smaller one after it may fit. It ends with `most` items, or as many as one call may compare; `known` texts are not
    given again.
    """
    omitted: list[tuple[Item, OmitReason]] = []
    distinct = Distinct()
    for earlier_text in earlier:
        distinct.look(earlier_text)
    chosen: list[Item] = []
    for item in items:
        if len(chosen) == most or distinct.full:
            break
        item_text = text(item)
        if not item_text:
            omitted.append((item, "empty"))
        elif (room_needed := size(item, room)) > room:
            omitted.append((item, "budget"))
        elif distinct.look(item_text) is not None:
            omitted.append((item, "near_duplicate"))
        else:
            chosen.append(item)
            room -= room_needed
    return chosen, omitted
