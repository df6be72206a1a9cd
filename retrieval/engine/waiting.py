"""Waiting for the searches of a call, awaited: until the deadline, and for a late one no longer than `late` says."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from retrieval.engine.late import Pace, patience
from retrieval.errors import BackendLate, BackendTimeout
from retrieval.model.search import Page, Searched, Subquery
from retrieval.ports import SearchIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    target: str
    start: float
    limit: asyncio.Timeout


class Waits:
    """Searches that are waited for together, until a time of the loop. Without a `pace` none is late.

    A target whose failure fails the call is waited for until then.
    """

    def __init__(self, pace: Pace | None, *, until: float) -> None:
        self._pace = pace
        self._until = until
        self._searches = 0
        self._answered: list[float] = []
        self._open: set[_Open] = set()

    async def search(self, index: SearchIndex, subquery: Subquery) -> Page:
        """Raises BackendLate, BackendTimeout at the deadline, BackendError, and UnsupportedFilter."""
        start, name = _now(), subquery.target.index
        self._searches += 1
        try:
            async with asyncio.timeout_at(self._until) as limit:
                with self._opened(subquery, limit):
                    page = await index.search(subquery)
        except TimeoutError:
            kind = BackendLate if limit.when() != self._until else BackendTimeout
            raise kind(f"The search in {name!r}", seconds=max(_now() - start, 0)) from None
        self._answer(name, _now() - start)
        return page

    @contextmanager
    def _opened(self, subquery: Subquery, limit: asyncio.Timeout) -> Iterator[None]:
        if self._pace is None or subquery.target.fail_on_error:
            yield
            return
        opened = _Open(target=subquery.target.index, start=_now(), limit=limit)
        self._open.add(opened)
        try:
            yield
        finally:
            self._open.remove(opened)

    def _answer(self, name: str, seconds: float) -> None:
        if self._pace is None:
            return
        self._answered.append(seconds)
        self._pace.took(name, seconds)
        for one in self._open:
            after = patience(self._pace.bound(one.target), self._answered, searches=self._searches)
            if after is not None and not one.limit.expired():
                one.limit.reschedule(min(self._until, one.start + after))


@dataclass(frozen=True, slots=True)
class Begun:
    """Searches that began before the plan was whole; the others are waited for together with them."""

    waits: Waits
    tasks: list[tuple[Subquery, asyncio.Task[Searched]]] = field(default_factory=list)

    @property
    def subqueries(self) -> list[Subquery]:
        return [one for one, _ in self.tasks]


def _now() -> float:
    return asyncio.get_running_loop().time()
