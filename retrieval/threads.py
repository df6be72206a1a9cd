"""Work in a thread beside the event loop, so that one call does not block all others.

A thread that runs Python yields every five milliseconds, so the loop goes on. It does not yield within one call of a
library, so the work here must be linear and bounded too.
"""

import asyncio
import gc
import re
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any, Final, TypeVar

LONG: Final = 4_096
"""The most bytes that are read on the event loop. Reading as much takes 30 ms at worst, for a filter of nothing but
commas."""

MUCH: Final = 200_000
"""The most characters of documents, or bytes, that are read on the event loop. Usual answers have a tenth of that."""

CITATION: Final = 200
"""The characters of a document that take as long to read as writing a citation takes."""

_FILTER: Final = re.compile(rb"filter|\\u", re.IGNORECASE)
"""The sign that a text has a filter, however it is escaped. The first filter of a process loads the grammar."""

Value = TypeVar("Value")

_done: Final[set[Hashable]] = set()
_locks: Final[dict[Hashable, Lock]] = {}


async def read(text: bytes, work: Callable[[], Value], *, filters: Collection[str] = ()) -> Value:
    """The result of `work` for a text. It runs in a thread if that takes more than a moment."""
    short = len(text) <= LONG and not filters and not _FILTER.search(text)
    return work() if short else await asyncio.to_thread(work)


async def work(size: int, work: Callable[[], Value]) -> Value:
    """The result of `work`. It runs in a thread if it goes over more text than a moment allows."""
    return work() if size <= MUCH else await asyncio.to_thread(work)


async def once(load: Callable[[], object]) -> None:
    """Return when `load` has run once in this process, beside the loop: modules, tables, grammars."""
    if load not in _done:
        await at_first(load, load)


async def imported(*modules: str) -> None:
    """Return when the modules of these names are imported, so that a function may import from them at once."""
    for module in modules:
        if module not in _done:
            await at_first(module, partial(import_module, module))


async def at_first(key: Hashable, work: Callable[[], Value]) -> Value:
    """The result of `work`.

    It runs beside the loop until it has succeeded once for `key`, since the first call loads modules. Calls meanwhile
    wait, and then run `work` too, so that its caches are filled once.
    """
    return work() if key in _done else await asyncio.to_thread(_load, key, work)


def mark_seen(task: asyncio.Task[Any]) -> None:
    """Marks the failure of a task as seen, since it may be that no caller waits for it any more."""
    if not task.cancelled():
        task.exception()


@contextmanager
def loading() -> Iterator[None]:
    """Loads modules without the garbage collector, which takes a fifth of an import.

    Afterwards the loaded objects, which stay, are frozen: walking over them would hold the loop for 50 ms and more. A
    load that fails freezes nothing.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _load(key: Hashable, work: Callable[[], Value]) -> Value:
    with _locks.setdefault(key, Lock()), loading():
        value = work()
    _done.add(key)
    return value
