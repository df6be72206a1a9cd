"""Pauses before a call is repeated. They do not count as search time.

with pauses.heard(add):  await index.search(subquery)      # the engine, around a search
pauses.begin(2.0)                                          # a backend, before it sleeps
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class _Listener:
    """Holds the function that gets the pauses. A connection that is opened in the block keeps the block's context, and
    so this object, after the block. So `heard` then removes the function from this object."""

    hear: Callable[[float], None] | None


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard(hear: Callable[[float], None]) -> Iterator[None]:
    """Calls `hear` with the seconds of each pause that begins within the block. Afterwards `hear` is removed."""
    listener = _Listener(hear)
    before = _listener.set(listener)
    try:
        yield
    finally:
        listener.hear = None
        _listener.reset(before)


def begin(seconds: float) -> None:
    """Report that a pause of `seconds` begins."""
    listener = _listener.get()
    if listener is not None and listener.hear is not None:
        listener.hear(seconds)
