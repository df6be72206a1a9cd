"""Pauses before a call is repeated: the target asked for them, so whoever waits for it does not count them.

with pauses.heard(add):  await index.search(subquery)      # the engine, around a search
pauses.tell(2.0)                                           # a backend, before it sleeps
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class _Listener:
    """Who hears of pauses. A connection keeps the context that it was opened in, and with it only this."""

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
    """A pause of so many seconds begins."""
    listener = _listener.get()
    if listener is not None and listener.hear is not None:
        listener.hear(seconds)
