"""Tells the observers of a call when each activity begins and when it ends."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from retrieval.model.activity import Begun, By, Ended, Kind, SearchActivity, StepActivity
from retrieval.model.search import Subquery
from retrieval.ports import Observer


class Doing:
    """The facts about an activity when it ends. See `Ended`."""

    by: By | None = None
    count: int | None = None
    record: StepActivity | SearchActivity | None = None
    error: BaseException | None = None


@contextmanager
def observed(
    observers: Sequence[Observer],
    kind: Kind,
    *,
    id: int | None = None,
    round: int = 0,
    queries: int = 0,
    subquery: Subquery | None = None,
) -> Iterator[Doing]:
    """Tells the observers when the work in the block begins and ends. An exception that leaves the block is recorded as
    the error."""
    doing = Doing()
    if not observers:
        yield doing
        return
    begun = Begun(kind=kind, id=id, round=round, queries=queries, subquery=subquery)
    for observer in observers:
        observer.begun(begun)
    try:
        yield doing
    except BaseException as error:
        doing.error = error
        raise
    finally:
        ended = Ended(begun=begun, by=doing.by, count=doing.count, record=doing.record, error=doing.error)
        for observer in reversed(observers):
            observer.ended(ended)
