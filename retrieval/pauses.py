"""Pauses before a call is repeated: the target asked for them, so whoever waits for it does not count them.

with pauses.heard(add):  await index.search(subquery)      # the engine, around a search
pauses.tell(2.0)                                           # a backend, before it sleeps
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_hear: ContextVar[Callable[[float], None] | None] = ContextVar("hear", default=None)


@contextmanager
def heard(hear: Callable[[float], None]) -> Iterator[None]:
    """`hear` gets the seconds of each pause that begins within."""
    before = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(before)


def tell(seconds: float) -> None:
    """A pause of so many seconds begins."""
    hear = _hear.get()
    if hear is not None:
        hear(seconds)
