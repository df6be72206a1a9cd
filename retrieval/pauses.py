"""Pauses before a call is repeated. The target asked for them, so they do not count as its time.

with pauses.heard(add):  await index.search(subquery)      # the engine, around a search
pauses.tell(2.0)                                           # a backend, before it sleeps
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class _Listener:
    """The functions that hear of pauses. A connection keeps the context in which it was opened, and with the context
    only this object."""

    hear: Callable[[float], None] | None


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard(hear: Callable[[float], None]) -> Iterator[None]:
    """`hear` gets the seconds of each pause that begins within, and is forgotten afterwards."""
    listener = _Listener(hear)
    before = _listener.set(listener)
    try:
        yield
    finally:
        listener.hear = None
        _listener.reset(before)


def tell(seconds: float) -> None:
    """Tell that a pause of so many seconds begins."""
    listener = _listener.get()
    if listener is not None and listener.hear is not None:
        listener.hear(seconds)
