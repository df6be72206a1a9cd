"""Pauses before a call is repeated: the target asked for them, so whoever waits for it does not count them.

with pauses.heard(add):  await index.search(subquery)      # the engine, around a search
pauses.tell(2.0)                                           # a backend, before it sleeps
"""

from collections.abc import Callable
from contextvars import ContextVar

_hear: ContextVar[Callable[[float], None] | None] = ContextVar("hear", default=None)


class Hearing:
    """A block within which pauses are heard of. It is a class, since a generator would take twice as long."""

    __slots__ = ("_before", "_told")

    def __init__(self, told: Callable[[float], None]) -> None:
        self._told = told

    def __enter__(self) -> None:
        self._before = _hear.set(self._told)

    def __exit__(self, *_: object) -> None:
        _hear.reset(self._before)


def heard(hear: Callable[[float], None]) -> Hearing:
    """`hear` gets the seconds of each pause that begins within."""
    return Hearing(hear)


def tell(seconds: float) -> None:
    """A pause of so many seconds begins."""
    hear = _hear.get()
    if hear is not None:
        hear(seconds)
