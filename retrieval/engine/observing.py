"""Events for the observers of a call: each activity when it begins, and once when it ends."""

from collections.abc import Callable, Sequence
from functools import partial

from retrieval.model.activity import Begun, By, Ended, Kind
from retrieval.model.search import Searched, Subquery
from retrieval.ports import Observer


class Doing:
    """What is known about an activity when it ends. See `Ended`."""

    by: By | None = None
    count: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    searched: Searched | None = None
    error: BaseException | None = None


class Observing:
    """An activity around the work in a block, with its `Doing`. An exception that leaves the block is its error.

    It is a class, since every call runs through a dozen of them, and a generator would take twice as long.
    """

    __slots__ = ("_begin", "_begun", "_doing", "_observers")

    def __init__(self, observers: Sequence[Observer], begin: Callable[[], Begun]) -> None:
        self._observers, self._begin, self._doing = observers, begin, Doing()

    def __enter__(self) -> Doing:
        if self._observers:
            self._begun = self._begin()
        for observer in self._observers:
            observer.begun(self._begun)
        return self._doing

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._observers:
            return
        doing = self._doing
        ended = Ended(
            begun=self._begun,
            by=doing.by,
            count=doing.count,
            input_tokens=doing.input_tokens,
            output_tokens=doing.output_tokens,
            searched=doing.searched,
            error=doing.error if error is None else error,
        )
        for observer in reversed(self._observers):
            observer.ended(ended)


def observed(
    observers: Sequence[Observer], kind: Kind, *, round: int = 0, queries: int = 0, subquery: Subquery | None = None
) -> Observing:
    """An activity around the work in a block, of which the observers are told."""
    return Observing(observers, partial(Begun, kind=kind, round=round, queries=queries, subquery=subquery))
