"""Events for the observers of a call: each activity when it begins, and once when it ends."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

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


@contextmanager
def observed(
    observers: Sequence[Observer], kind: Kind, *, round: int = 0, queries: int = 0, subquery: Subquery | None = None
) -> Iterator[Doing]:
    """An activity around the work in the block. An exception that leaves the block is its error."""
    doing = Doing()
    if not observers:
        yield doing
        return
    begun = Begun(kind=kind, round=round, queries=queries, subquery=subquery)
    for observer in observers:
        observer.begun(begun)
    try:
        yield doing
    except BaseException as error:
        doing.error = error
        raise
    finally:
        ended = Ended(
            begun=begun,
            by=doing.by,
            count=doing.count,
            input_tokens=doing.input_tokens,
            output_tokens=doing.output_tokens,
            searched=doing.searched,
            error=doing.error,
        )
        for observer in reversed(observers):
            observer.ended(ended)
