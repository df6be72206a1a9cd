"""Runs work in a thread beside the event loop, so that one call does not block all other calls.

A thread that runs Python code yields every five milliseconds, so the loop goes on. A call of a compiled library may
block the loop until it returns. So the work here must take bounded time, linear in the size of the text.
"""

import asyncio
import gc
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any, Final, TypeVar

LONG: Final = 4_096
"""The most bytes that are read on the event loop. Reading that many bytes takes at most 30 ms. A text that may have a
filter is read in a thread."""

MUCH: Final = 200_000
"""The most characters of documents, or bytes, that are read on the event loop. Usual answers have a tenth of this
size."""

CITATION: Final = 200
"""Writing one citation takes as long as reading this many characters of a document."""

_FILTER: Final = re.compile(rb"filter|\\u", re.IGNORECASE)
"""Matches a text that may have a filter: it has the word "filter", or a JSON escape that may hide the word. The first
filter of a process loads the grammar, which takes long."""

Value = TypeVar("Value")

_done: Final[set[Hashable]] = set()
_locks: Final[dict[Hashable, Lock]] = {}


async def read(text: bytes, work: Callable[[], Value], *, filters: Collection[str] = ()) -> Value:
    """The result of `work` for a text. The work runs in a thread if the text is longer than `LONG` bytes, or if there
    may be filters."""
    short = len(text) <= LONG and not filters and not _FILTER.search(text)
    return work() if short else await asyncio.to_thread(work)


async def work(size: int, work: Callable[[], Value]) -> Value:
    """The result of `work`. The work runs in a thread if it reads more than `MUCH` characters or bytes, as `size`
    says."""
    return work() if size <= MUCH else await asyncio.to_thread(work)


async def once(load: Callable[[], object]) -> None:
    """Run `load` in a thread, unless it has succeeded in this process before. It loads modules, tables or grammars."""
    if load not in _done:
        await at_first(load, load)


async def imported(*modules: str) -> None:
    """Return when the modules of these names are imported, so that a function may import from them at once."""
    for module in modules:
        if module not in _done:
            await at_first(module, partial(import_module, module))


async def at_first(key: Hashable, work: Callable[[], Value]) -> Value:
    """The result of `work`.

    The work runs in a thread until it has succeeded once for `key`, since the first call loads modules. Other calls for
    `key` wait meanwhile. Then they run `work` too, with caches that the first call has filled.
    """
    return work() if key in _done else await asyncio.to_thread(_load, key, work)


def mark_seen(task: asyncio.Task[Any]) -> None:
    """Retrieves the exception of a task, so that asyncio does not warn if no caller waits any more."""
    if not task.cancelled():
        task.exception()


async def cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and return when all have ended."""
    running = tuple(tasks)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


@contextmanager
def loading() -> Iterator[None]:
    """Turns the garbage collector off while the block loads modules. The collector would take a fifth of the time of an
    import. Afterwards the collector ignores all objects of the process (`gc.freeze`), since most of them stay in
    memory. Otherwise a collection would block the event loop for 50 ms or more. A load that fails freezes nothing.
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
