"""Work beside the event loop, in a thread: what one call needs must not keep all others waiting.

A thread that runs Python gives way every five milliseconds, so the loop goes on. It does not within one call of a
library, so that what is done here must be linear and bounded too.
"""

import asyncio
import gc
import re
from collections.abc import Callable
from typing import Final, TypeVar

LONG: Final = 4_096
"""Bytes. Reading as much takes 30 ms at worst: a filter of nothing but commas."""

MUCH: Final = 200_000
"""Characters of documents, or bytes. Usual answers hold a tenth of that."""

_FILTER: Final = re.compile(rb"filter|\\u", re.IGNORECASE)
"""What a text has that holds a filter, however it is escaped. The first filter of a process loads their grammar."""

Value = TypeVar("Value")

_done: Final[set[Callable[[], object]]] = set()


async def read(text: bytes, work: Callable[[], Value]) -> Value:
    """What `work` makes of a text; beside the loop where that takes more than a moment."""
    return work() if len(text) <= LONG and not _FILTER.search(text) else await asyncio.to_thread(work)


async def work(size: int, work: Callable[[], Value]) -> Value:
    """What `work` gives; beside the loop where it goes over more text than is gone over in a moment."""
    return work() if size <= MUCH else await asyncio.to_thread(work)


async def once(load: Callable[[], object]) -> None:
    """Return when `load` was done once in this process, beside the loop: modules, tables, grammars.

    Whoever asks while it is being done waits for that, so `load` may be called more than once; imports wait for each
    other.
    """
    if load not in _done:
        await asyncio.to_thread(load)
        _done.add(load)
        gc.freeze()  # What is loaded stays; walking over it for garbage would hold the loop, for 50 ms and more.
