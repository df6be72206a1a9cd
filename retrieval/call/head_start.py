"""The searches of a plan that is still being written: each begins as soon as its query is complete."""

import asyncio
from contextvars import copy_context
from dataclasses import replace

from retrieval.call import search
from retrieval.call.rounds import Begun, Run, search_one
from retrieval.model.facets import Preferences
from retrieval.model.plan import QueryPlan
from retrieval.steps import plan


class HeadStart:
    """Begins searches in `group`, until a time of the loop, in targets about which the rest of the plan says nothing.

    They begin when it is known what the question prefers. `heard` are the queries so far, `begun` their searches.
    """

    def __init__(self, run: Run, group: asyncio.TaskGroup, *, until: float) -> None:
        self.heard = plan.Heard(most=plan.wanted(run.request)[1])
        self.begun: list[Begun] = []
        self._run = run
        self._group = group
        self._until = until
        settled = plan.settled(run.request)
        self._request = run.request if settled == run.request.targets else replace(run.request, targets=settled)
        self._preferences: Preferences | None = None
        self._context = copy_context()

    @property
    def possible(self) -> bool:
        """Whether there is such a target."""
        return bool(self._request.targets)

    def hear(self, piece: str) -> None:
        """Gets the model's reply as it is written."""
        if self.heard.feed(piece):
            self._begin()

    def prefer(self, preferences: Preferences) -> None:
        """Gets what the question prefers, by index."""
        self._preferences = preferences
        self._begin()

    def _begin(self) -> None:
        """The searches are the call's own, not a part of the model's work, and so is their context."""
        if self._preferences is None:
            return
        for count in range(1, len(self.heard.queries) + 1):
            so_far = QueryPlan(queries=self.heard.queries[:count], preferences=self._preferences, by="model")
            wanted = search.subqueries(self._request, so_far)
            for one in search.left(wanted, [subquery for subquery, _ in self.begun]):
                made = search_one(self._run, one, until=self._until)
                self.begun.append((one, self._group.create_task(made, context=self._context.copy())))
