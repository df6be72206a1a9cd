"""The plan of a call, by a model or by the rules; and the searches that begin while a model writes the plan."""

import asyncio
from collections.abc import Mapping
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import TypeAlias

from retrieval.call.budget import SCHEMA_SECONDS, Run
from retrieval.call.model_calls import Question, ask
from retrieval.call.prompt_parts import shortenable
from retrieval.errors import BackendError
from retrieval.filters.schema import Schema
from retrieval.model.progress import Planned
from retrieval.model.retrieval import Chunk, QueryPlan, RetrievalRequest
from retrieval.model.search import Facets, Preferences
from retrieval.ports import Hear, IndexSchemas
from retrieval.retrieve.plan import facet_preferences, plan_by_model, plan_by_rules, plan_hints, plan_limits
from retrieval.retrieve.plan.plan_by_rules import RulesQuery
from retrieval.retrieve.plan.plan_hints import Offer
from retrieval.retrieve.search import searching
from retrieval.retrieve.search.searching import SearchTask, search_one


@dataclass(frozen=True, slots=True)
class Filterable:
    """The index whose fields a model's filter may name, and its fields."""

    index: str
    schema: Schema


FacetsTask: TypeAlias = "asyncio.Task[Mapping[str, Facets]]"


class HeadStart:
    """Begins searches in `group` while the plan is still being written. It searches only the targets in which the rest
    of the plan cannot change a search. `until` is the deadline of the searches, a time of the event loop. The searches
    begin when the question's preferences are known. While the queries so far would be a weak plan, one place
    stays free for the rules' query, so that no limit is exceeded. `growing` has the queries so far, and `searches` has
    the searches that have begun.
    """

    def __init__(self, run: Run, group: asyncio.TaskGroup, *, until: float) -> None:
        self.most = plan_limits.bounds_of(run.request)[1]
        self.growing = plan_by_model.GrowingPlan(most=self.most)
        self.searches: list[SearchTask] = []
        self._run = run
        self._group = group
        self._until = until
        certain = plan_limits.certain_targets(run.request)
        self._request = run.request if certain == run.request.targets else replace(run.request, targets=certain)
        self._preferences: Preferences | None = None
        self._context = copy_context()

    @cached_property
    def rules(self) -> RulesQuery:
        """The rules' query beside the plan."""
        return plan_by_rules.rules_query(self._run.request)

    @property
    def possible(self) -> bool:
        """Whether the request has a target that can be searched before the plan is complete."""
        return bool(self._request.targets)

    def hear(self, piece: str) -> None:
        """Gets the model's reply as it is written."""
        if self.growing.feed(piece):
            self._begin()

    def prefer(self, preferences: Preferences) -> None:
        """Gets the question's preferences, by index."""
        self._preferences = preferences
        self._begin()

    def _begin(self) -> None:
        """Begins new searches in the context of the call, since they do not belong to the model call."""
        if self._preferences is None:
            return
        spared = int(self.rules.is_weak(self.growing.queries))
        for count in range(1, min(len(self.growing.queries), self.most - spared) + 1):
            so_far = QueryPlan(queries=self.growing.queries[:count], preferences=self._preferences, by="model")
            wanted = searching.of_plan(self._request, so_far, spared=spared)
            for subquery in searching.not_begun(wanted, [subquery for subquery, _ in self.searches]):
                work = search_one(self._run, subquery, until=self._until)
                self.searches.append((subquery, self._group.create_task(work, context=self._context.copy())))


async def make_plan(
    run: Run, *, until: float, goals: bool = False, fields: Filterable | None = None, ahead: HeadStart | None = None
) -> QueryPlan:
    """The plan by the model, which is awaited at most until `until`, a time of the event loop.

    Without a model, or when the model fails, the rules plan. The facets that the question names are looked up at the
    same time. A caller's own queries, or at minimal effort the last message, are the whole plan. `ahead` reads the plan
    while it is written, and the queries that it read stay in the plan.
    """
    request = run.request
    if request.queries or request.effort == "minimal":
        return run.by_rules("plan", partial(plan_limits.as_given, request), count=_queries)[0]
    facets_reading = facet_preferences.facets_of(run, until=reading_limit(until))
    if run.ports.model is None:
        rules = partial(plan_by_rules.without_model, request, courtesies=not goals)
        planned = run.by_rules("plan", rules, count=_queries)[0]
        return replace(planned, preferences=await facet_preferences.find(run, await facets_reading))
    facets_task = asyncio.create_task(facets_reading)
    naming = asyncio.create_task(_find_preferences(run, ahead, facets_task))
    try:
        planned = await _make_plan(run, ahead, facets_task, until=until, goals=goals, fields=fields)
        return replace(planned, preferences=await naming)
    finally:
        naming.cancel()
        facets_task.cancel()


async def _find_preferences(run: Run, ahead: HeadStart | None, facets_task: FacetsTask) -> Preferences:
    wishes = await facet_preferences.find(run, await asyncio.shield(facets_task))
    if ahead is not None:
        ahead.prefer(wishes)
    return wishes


async def _make_plan(
    run: Run, ahead: HeadStart | None, facets_task: FacetsTask, *, until: float, goals: bool, fields: Filterable | None
) -> QueryPlan:
    request = run.request
    schema = None if fields is None else fields.schema
    most = plan_limits.bounds_of(request)[1]

    def keep(planned: QueryPlan) -> QueryPlan:
        return planned if ahead is None else plan_by_model.keeping(planned, ahead.growing, most=most)

    def complete(planned: QueryPlan) -> QueryPlan:
        if ahead is None:
            return plan_by_model.completed(planned, request, most=most)
        return plan_by_rules.completed(planned, request, ahead.rules, most=most)

    def by_model(text: str) -> QueryPlan:
        planned = complete(keep(read(text)))
        return planned if fields is None else replace(planned, filter_index=fields.index)

    def by_rules() -> QueryPlan:
        kept = keep(plan_by_rules.without_model(request, courtesies=not goals))
        return kept if ahead is None else plan_by_rules.behind_rules(kept, ahead.growing.queries, ahead.rules)

    hints = await _hints(run, until=until)
    shown_facets = await facet_preferences.shown_to_model(run, await asyncio.shield(facets_task))
    prompt_of = partial(
        plan_by_model.prompt, today=run.today, goals=goals, schema=schema, hints=hints, facets=shown_facets
    )
    read = partial(
        plan_by_model.read, most=most, goals=goals, schema=schema, sources=plan_limits.choices(request), hints=hints
    )
    hear = ahead.hear if ahead is not None and ahead.possible else _told(run, most)

    def make(request: RetrievalRequest, _: tuple[Chunk, ...]) -> Question[QueryPlan]:
        prompt, notes = prompt_of(request), attrgetter("notes")
        return Question(step="plan", prompt=prompt, read=by_model, notes=notes, count=_queries, hear=hear)

    result = await ask(run, shortenable(make, request), until=until, otherwise=by_rules)
    return result.value or by_rules()


def _told(run: Run, most: int) -> Hear | None:
    """A function that gets the model's reply piece by piece, and tells the caller of each new query. None where the
    caller wants no progress."""
    tell, growing = run.tell, plan_by_model.GrowingPlan(most=most)
    if tell is None:
        return None

    def hear(piece: str) -> None:
        if growing.feed(piece):
            tell(Planned(round=0, plan=QueryPlan(queries=growing.queries, by="model"), is_complete=False))

    return hear


async def _hints(run: Run, *, until: float) -> tuple[Offer, ...]:
    """The query hints for the plan."""
    targets = plan_limits.hinted(run.request)
    if not targets:
        return ()
    limit = reading_limit(until)
    schemas = {
        index: None if run.ports.schemas is None else await schema_of(run.ports.schemas, index, until=limit)
        for index in dict.fromkeys(target.index for target in targets)
    }
    return plan_hints.offers(targets, schemas)


def _queries(planned: QueryPlan) -> int:
    return len(planned.queries)


def reading_limit(until: float) -> float:
    """The time of the event loop at which the call stops waiting for fields and facets."""
    return min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)


async def schema_of(schemas: IndexSchemas, index: str, *, until: float) -> Schema | None:
    """The fields of an index; None where they cannot be read before `until`, a time of the event loop."""
    try:
        async with asyncio.timeout_at(until):
            return await schemas.schema(index)
    except (BackendError, TimeoutError):
        return None


async def filterable(run: Run, *, until: float) -> Filterable | None:
    """The first index whose fields are known; None where no fields are known, and for a model of CHAT_URL: a small one
    that is told of fields writes filters as queries."""
    if run.ports.schemas is None or run.ports.server is not None:
        return None
    for target in run.request.targets:
        schema = await schema_of(run.ports.schemas, target.index, until=until)
        if schema is not None:
            return Filterable(target.index, schema)
    return None
