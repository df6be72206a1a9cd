"""The plan of a call: a model is asked for it, or the rules; and the searches that begin while it is written."""

import asyncio
from collections.abc import Mapping
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval.call import preferences, search
from retrieval.call.budget import Question
from retrieval.call.rounds import Begun, search_one
from retrieval.call.run import Run
from retrieval.errors import BackendError
from retrieval.filters.schema import Schema
from retrieval.model.facets import Facets, Preferences
from retrieval.model.plan import QueryPlan
from retrieval.ports import IndexSchemas
from retrieval.rules import plan_by_rules
from retrieval.steps import plan, plan_hints
from retrieval.steps.plan_hints import Offered

Known: TypeAlias = "asyncio.Task[Mapping[str, Facets]]"

OPENING_SHARE: Final = 0.3
"""Of the time of an answer, for its plan; of what is then left, for a second plan."""

SCHEMA_SECONDS: Final = 2.0
"""For the fields of indexes whose sources have query hints, which are read once a process."""


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


async def make_plan(
    run: Run, *, until: float, goals: bool = False, schema: Schema | None = None, ahead: HeadStart | None = None
) -> QueryPlan:
    """The plan by the model until a time of the loop; without one, or when it fails, by rules.

    The facets that the question names are found beside it; what the caller planned is searched as it stands. `ahead`
    hears the plan while it is written, and what it heard stays in the plan.
    """
    request, calls = run.request, run.calls
    if request.queries or request.effort == "minimal":
        return calls.by_rules("plan", partial(plan.as_given, request), count=_queries)[0]
    limit = min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)
    known = asyncio.create_task(preferences.known(run, until=limit))
    naming = asyncio.create_task(_named(run, ahead, known))
    try:
        planned = await _planned(run, ahead, known, until=until, goals=goals, schema=schema)
        return replace(planned, preferences=await naming)
    finally:
        naming.cancel()
        known.cancel()


async def _named(run: Run, ahead: HeadStart | None, known: Known) -> Preferences:
    named = await preferences.named(run, await asyncio.shield(known))
    if ahead is not None:
        ahead.prefer(named)
    return named


async def _planned(
    run: Run, ahead: HeadStart | None, known: Known, *, until: float, goals: bool, schema: Schema | None
) -> QueryPlan:
    request, calls = run.request, run.calls
    most = plan.wanted(request)[1]

    def kept(planned: QueryPlan) -> QueryPlan:
        return planned if ahead is None else plan.keeping(planned, ahead.heard, most=most)

    def by_rules() -> QueryPlan:
        return kept(plan_by_rules.without_model(request, courtesies=not goals))

    if calls.model is None:
        return calls.by_rules("plan", by_rules, count=_queries)[0]
    hints = await _hints(run, until=until)
    shown = preferences.shown(run, await asyncio.shield(known))
    prompt = plan.prompt(request, today=run.ports.clock().date(), goals=goals, schema=schema, hints=hints, known=shown)
    read = partial(plan.read, most=most, goals=goals, schema=schema, sources=plan.choices(request), hints=hints)
    asked = Question(
        step="plan",
        version=prompt.name,
        prompt=prompt,
        read=lambda text: plan.completed(kept(read(text)), request, most=most),
        notes=lambda value: value.notes,
        count=_queries,
        hear=ahead.hear if ahead is not None and ahead.possible else None,
    )
    planned = await calls.ask(asked, until=until, otherwise=by_rules)
    return planned.value or by_rules()


async def _hints(run: Run, *, until: float) -> tuple[Offered, ...]:
    """The query hints for the plan."""
    targets = plan.hinted(run.request)
    if not targets:
        return ()
    limit = min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)
    schemas = {
        index: None if run.ports.schemas is None else await schema_of(run.ports.schemas, index, until=limit)
        for index in dict.fromkeys(one.index for one in targets)
    }
    return plan_hints.offered(targets, schemas)


def _queries(planned: QueryPlan) -> int:
    return len(planned.queries)


async def schema_of(schemas: IndexSchemas, index: str, *, until: float) -> Schema | None:
    """The fields of an index; None where they are not known at that time of the loop."""
    try:
        async with asyncio.timeout_at(until):
            return await schemas.schema(index)
    except (BackendError, TimeoutError):
        return None


async def filterable(run: Run, *, until: float) -> tuple[str | None, Schema | None]:
    """The first target whose fields are known, for the filter that a model may write."""
    if run.ports.schemas is None:
        return None, None
    for target in run.request.targets:
        schema = await schema_of(run.ports.schemas, target.index, until=until)
        if schema is not None:
            return target.index, schema
    return None, None
