"""The plan of a call, awaited: a model asked for it, or the rules."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from retrieval import threads
from retrieval.call import preferences
from retrieval.call.budget import Question
from retrieval.call.head_start import HeadStart
from retrieval.call.rounds import Run
from retrieval.errors import BackendError
from retrieval.filters.schema import Schema
from retrieval.model.facets import Facets, Preferences
from retrieval.model.plan import QueryPlan
from retrieval.model.retrieval import RetrievalRequest
from retrieval.ports import IndexSchemas
from retrieval.steps import plan

if TYPE_CHECKING:
    from retrieval.steps.plan_hints import Offered

Known: TypeAlias = "asyncio.Task[Mapping[str, Facets]]"

OPENING_SHARE: Final = 0.3
"""Of the time of an answer, for its plan; of what is then left, for a second plan."""

SCHEMA_SECONDS: Final = 2.0
"""For the fields of indexes whose sources have query hints, which are read once a process."""


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
    await threads.once(_load)
    request, calls = run.request, run.calls
    most = plan.wanted(request)[1]

    def kept(planned: QueryPlan) -> QueryPlan:
        return planned if ahead is None else plan.keeping(planned, ahead.heard, most=most)

    def by_rules() -> QueryPlan:
        return kept(_by_rules(request, courtesies=not goals))

    if calls.model is None:
        return calls.by_rules("plan", by_rules, count=_queries)[0]
    hints = await _hints(run, until=until)
    shown = preferences.shown(run, await asyncio.shield(known))
    prompt = plan.prompt(request, today=run.clock().date(), goals=goals, schema=schema, hints=hints, known=shown)
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


async def _hints(run: Run, *, until: float) -> "tuple[Offered, ...]":
    """The query hints for the plan."""
    targets = plan.hinted(run.request)
    if not targets:
        return ()
    from retrieval.steps import plan_hints

    limit = min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)
    schemas = {
        index: None if run.schemas is None else await schema_of(run.schemas, index, until=limit)
        for index in dict.fromkeys(one.index for one in targets)
    }
    return plan_hints.offered(targets, schemas)


def _load() -> None:
    from retrieval.rules import plan_by_rules  # noqa: F401
    from retrieval.steps import plan_hints  # noqa: F401


def _by_rules(request: RetrievalRequest, *, courtesies: bool) -> QueryPlan:
    from retrieval.rules import plan_by_rules

    return plan_by_rules.without_model(request, courtesies=courtesies)


def _queries(planned: QueryPlan) -> int:
    return len(planned.queries)


async def schema_of(schemas: IndexSchemas, index: str, *, until: float) -> Schema | None:
    """The fields of an index; None where they are not known at that time of the loop."""
    try:
        async with asyncio.timeout_at(until):
            return await schemas.schema(index)
    except (BackendError, TimeoutError):
        return None


async def filterable(
    request: RetrievalRequest, schemas: IndexSchemas, *, until: float
) -> tuple[str | None, Schema | None]:
    """The first target whose fields are known, for the filter that a model may write."""
    for target in request.targets:
        schema = await schema_of(schemas, target.index, until=until)
        if schema is not None:
            return target.index, schema
    return None, None
