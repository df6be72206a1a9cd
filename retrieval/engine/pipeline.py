"""The steps of every call in the engine: plan, search all at once, merge, judge, follow up, ground; awaited here.

The effort of the request says how far a call goes. `retrieve` ends with the grounding text of one round; the answer
workflow uses the same functions, adds a judgement and one follow-up, and writes. Observers get an event for each
activity. Modules that only the answer workflow needs are loaded by it, so that a retrieve starts faster.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from retrieval import telemetry, threads
from retrieval.engine import hinted_search, plan, search
from retrieval.engine.activity import activity_of
from retrieval.engine.ground import ground
from retrieval.engine.merge import merge, turns
from retrieval.engine.model_calls import ModelCalls, Question
from retrieval.engine.observing import observed
from retrieval.engine.search import Attempt, Counts
from retrieval.errors import BackendError, BackendTimeout, RetrievalFailed, UnsupportedFilter
from retrieval.filters.schema import Schema
from retrieval.model.activity import Activity, PlanningActivity, SearchActivity
from retrieval.model.chunk import Chunk, Gathered
from retrieval.model.definitions import ModelDeployment
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.retrieval import Grounding, Merged, Outcome, RetrievalRequest
from retrieval.model.search import Page, Searched, Subquery
from retrieval.model.steps import RoundActivity, StepActivity
from retrieval.ports import ChatModel, Clock, IndexSchemas, Observer, SearchIndex
from retrieval.text.source_labels import extent

if TYPE_CHECKING:
    from retrieval.engine.plan_hints import Offered
    from retrieval.model.answer import AnswerRequest
    from retrieval.model.evidence import Judgement

PLANNING_SHARE: Final = 0.4
"""Of the time that a retrieval has for its plan and its searches."""
WRITING_SHARE: Final = 0.4
"""Of the time of a call, for a model that writes an answer from what was found."""
SCHEMA_SECONDS: Final = 2.0
"""For the fields of indexes whose sources have query hints, which are read once a process."""
RULES_SECONDS: Final = 0.1
"""The time reserved for the steps after the last model call."""

PATTERNS: Final = 200
"""How often the patterns of a filter may go over a text."""
RESERVED_SECONDS: Final = 0.1
"""The share of a retrieval's time that is reserved for merging, grounding and writing."""

NOTHING_LEFT: Final = "The plan's filter excluded every document, so the search was repeated without it."
ONE_INDEX: Final = "The plan's filter uses the fields of {index!r} and was applied to that index only."
CANNOT_SAY: Final = "The index cannot evaluate the plan's filter, so the search was made without it."

MOST_CHUNKS: Final = 16
CHUNK_TOKENS: Final = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A running call: the request, its remaining budget, and the index that it searches.

    `schemas` tells the fields that query hints name; None where nothing does.
    """

    request: RetrievalRequest
    calls: ModelCalls
    index: SearchIndex
    clock: Clock
    deployment: ModelDeployment | None = None
    schemas: IndexSchemas | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The result of a round. `searched` holds the searches whose documents were used.

    `given_up` says why the plan's filter, if it had one, was not used in them.
    """

    searched: tuple[Searched, ...]
    gathered: Gathered
    given_up: str | None = None


async def retrieve(
    request: RetrievalRequest,
    *,
    index: SearchIndex,
    model: ChatModel | None,
    clock: Clock,
    deployment: ModelDeployment | None = None,
    schemas: IndexSchemas | None = None,
    start: float | None = None,
    observers: Sequence[Observer] = (),
) -> Outcome:
    """Answer a retrieval by one round, within `request.max_runtime` seconds of `start` (loop time; None is now).

    Where a model is to write an answer afterwards, in 60 % of that. Every query of the plan runs in every target that
    the plan picks. `deployment` names the model in the activity, `schemas` tells the fields that query hints name.
    Raises RetrievalFailed when every sub-query failed, or one that must not, UnsupportedFilter when a target cannot
    express its filter.
    """
    calls = ModelCalls(model, runtime=request.max_runtime - RESERVED_SECONDS, start=start, observers=observers)
    run = Run(request=request, calls=calls, index=index, clock=clock, deployment=deployment, schemas=schemas)
    started_at, until = clock(), calls.deadline
    if request.output_mode == "answerSynthesis" and model is not None:
        until -= WRITING_SHARE * request.max_runtime
    left = until - asyncio.get_running_loop().time()
    planned = await make_plan(run, until=until - (1 - PLANNING_SHARE) * max(left, 0))
    searched = await search_all(run, planned, until=until)
    errors = [one.error for one in searched if one.error is not None]
    if len(errors) == len(searched):
        raise RetrievalFailed(errors)
    search.check_required(searched)
    size = extent_of(searched)
    merged = await _merge(run, searched, size=size)
    with observed(calls.observers, "ground") as doing:
        work = partial(_ground, run, planned, searched, merged, started_at=started_at)
        grounding, activity = await threads.work(size, work)
        doing.count = len(grounding.included)
    outcome = Outcome(request=request, grounding=grounding, references=merged.references, activity=activity)
    telemetry.counted(outcome)
    return outcome


async def make_plan(run: Run, *, until: float, goals: bool = False, schema: Schema | None = None) -> QueryPlan:
    """The plan by the model until a time of the loop; without one, or when it fails, by rules."""
    request, calls = run.request, run.calls
    if request.queries or request.effort == "minimal":
        return calls.by_rules("plan", partial(plan.as_given, request), count=_queries)
    by_rules = partial(plan.without_model, request, courtesies=not goals)
    if calls.model is None:
        return calls.by_rules("plan", by_rules, count=_queries)
    hints = await _hints(run, until=until)
    prompt = plan.prompt(request, today=run.clock().date(), goals=goals, schema=schema, hints=hints)
    most, sources = plan.wanted(request)[1], plan.choices(request)
    asked = Question(
        step="plan",
        version=prompt.name,
        prompt=prompt,
        read=partial(plan.read, most=most, goals=goals, schema=schema, sources=sources, hints=hints),
        notes=lambda value: value.notes,
        count=_queries,
    )
    return await calls.ask(asked, until=until, otherwise=by_rules) or by_rules()


async def schema_of(schemas: IndexSchemas, index: str, *, until: float) -> Schema | None:
    """The fields of an index; None where they are not known at that time of the loop."""
    try:
        async with asyncio.timeout_at(until):
            return await schemas.schema(index)
    except (BackendError, TimeoutError):
        return None


async def search_all(run: Run, planned: QueryPlan, *, until: float, round: int = 0) -> list[Searched]:
    """Run every query in every target at once, until a time of the loop; a failed one is data, not an exception.

    A source that query hints left without a document is searched again without them. A filter that its target cannot
    express is the caller's error, not a failure: UnsupportedFilter ends all searches.
    """
    found = await _search_all(run, search.subqueries(run.request, planned), until=until, round=round)
    sources = hinted_search.fruitless(found)
    if not sources:
        return found
    bare = search.subqueries(run.request, hinted_search.without(planned, sources))
    again = [one for one in bare if one.target.source_name in sources]
    return hinted_search.given_up(found, sources) + await _search_all(run, again, until=until, round=round)


async def _hints(run: Run, *, until: float) -> "tuple[Offered, ...]":
    """The query hints for the plan. The modules for them are loaded only if a source has any."""
    targets = plan.hinted(run.request)
    if not targets:
        return ()
    from retrieval.engine import plan_hints

    limit = min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)
    schemas = {
        index: None if run.schemas is None else await schema_of(run.schemas, index, until=limit)
        for index in dict.fromkeys(one.index for one in targets)
    }
    return plan_hints.offered(targets, schemas)


async def _search_all(run: Run, subqueries: Sequence[Subquery], *, until: float, round: int) -> list[Searched]:
    loop = asyncio.get_running_loop()

    async def one(subquery: Subquery) -> Searched:
        started_at, start = run.clock(), loop.time()
        page: Page = Page()
        with observed(run.calls.observers, "search", round=round, subquery=subquery) as doing:
            try:
                async with asyncio.timeout_at(until):
                    page = await run.index.search(subquery)
                doing.count = page.found
            except TimeoutError:
                doing.error = BackendTimeout(f"The search in {subquery.target.index!r}", seconds=max(until - start, 0))
            except BackendError as caught:
                doing.error = caught
            error = doing.error if isinstance(doing.error, BackendError) else None
            elapsed = _milliseconds(loop.time() - start)
            doing.searched = found = Searched(
                subquery=subquery, page=page, error=error, started_at=started_at, elapsed_ms=elapsed
            )
        return found

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(subquery)) for subquery in subqueries]
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None
    return [task.result() for task in tasks]


async def search_round(
    run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk] = (), round: int = 0
) -> Round:
    """A recorded round: the searches of the plan, their documents as chunks, counted. It may drop the plan's filter.

    Raises RetrievalFailed where every search of the first round failed, other than by our own time limit, and
    UnsupportedFilter for a caller's filter that a target cannot express.
    """
    start = asyncio.get_running_loop().time()
    with observed(run.calls.observers, "round", round=round, queries=len(planned.queries)) as doing:
        attempts, notes = await _attempts(run, planned, until=until, known=known, round=round)
        doing.count = sum(len(one.gathered.chunks) for one in attempts)
    last = attempts[-1]
    notes = (*notes, *hinted_search.notes(last.searched))
    if any(isinstance(one.error, BackendTimeout) for one in last.searched):
        run.calls.ended_by.add("runtime")
    _record(run.calls, attempts, start=start, round=round, notes=notes)
    if round == 0:
        search.check(last.searched)
    given_up = next((note for note in notes if note in (NOTHING_LEFT, CANNOT_SAY)), None)
    return Round(searched=last.searched, gathered=last.gathered, given_up=given_up)


async def make_judgement(asked: "AnswerRequest", run: Run, first: Round) -> "Judgement":
    """Which chunks of the first round support an answer, and whether they are enough; by rules without a model."""
    from retrieval.engine import evidence, judge

    found, most, calls = first.gathered.chunks, asked.limits.chunks, run.calls
    by_rules = partial(evidence.judgement, asked, found, searched=first.searched, most=most)
    if calls.model is None or not found:
        return calls.by_rules("judge", by_rules)
    question = Question(
        step="judge",
        version=judge.PROMPT,
        prompt=judge.prompt(asked, found, most=most),
        read=partial(judge.read, chunks=found, most=most),
        notes=lambda value: value.notes,
    )
    return await calls.ask(question, until=calls.deadline - RULES_SECONDS) or by_rules()


def follow_ups(run: Run, planned: QueryPlan, judgement: "Judgement") -> tuple[PlannedQuery, ...]:
    """The queries for missing information that were not searched yet."""
    searched = {one.query.casefold() for one in planned.queries}
    wanted = judgement.evidence.follow_ups or plan.without_model(run.request, courtesies=False).queries
    return tuple(one for one in wanted if one.query.casefold() not in searched)


async def follow_up(run: Run, planned: QueryPlan, wanted: tuple[PlannedQuery, ...], *, known: Sequence[Chunk]) -> Round:
    """One more round for missing information, without the plan's filters, in half of the remaining time."""
    more = replace(planned, queries=wanted, filter=None, hinted=(), history=())
    until = run.calls.deadline - run.calls.seconds_left / 2
    return await search_round(run, more, until=until, known=known, round=1)


def extent_of(searched: Sequence[Searched]) -> int:
    """About how many characters the work goes over; each pattern of a caller's filter goes over them again."""
    checked = any(one.subquery.target.check is not None for one in searched)
    return sum(extent(hit) for one in searched for hit in one.page.hits) * (PATTERNS if checked else 1)


async def _merge(run: Run, searched: Sequence[Searched], *, size: int, round: int = 0) -> Merged:
    with observed(run.calls.observers, "merge", round=round) as doing:
        merged = await threads.work(size, partial(merge, searched, most=run.request.most_documents))
        doing.count = len(merged.references)
    return merged


def _ground(
    run: Run, planned: QueryPlan, searched: Sequence[Searched], merged: Merged, *, started_at: datetime
) -> tuple[Grounding, tuple[Activity, ...]]:
    grounding = ground(merged.references, max_tokens=run.request.max_output_tokens)
    steps = [one for one in run.calls.activity if isinstance(one, StepActivity) and one.prompt is not None]
    planning = [
        PlanningActivity(
            elapsed_ms=one.elapsed_ms,
            started_at=started_at,
            model=run.deployment,
            input_tokens=one.input_tokens,
            output_tokens=one.output_tokens,
            error=one.error,
        )
        for one in steps
    ]
    told = planned.by == "rules" or bool(plan.choices(run.request) or plan.hinted(run.request))
    warning = " ".join(planned.notes) if told else ""
    return grounding, activity_of(
        searched,
        planning=next(iter(planning), None),
        merged=merged,
        grounding=grounding,
        effort="minimal" if run.request.effort == "minimal" else "low",
        by=planned.by,
        warning=warning or None,
    )


async def _attempts(
    run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int
) -> tuple[list[Attempt], tuple[str, ...]]:
    attempt = partial(_attempt, run, until=until, known=known, round=round)
    bare = replace(planned, filter=None)
    if planned.filter is None:
        return [await attempt(bare)], ()
    try:
        first = await attempt(planned)
    except UnsupportedFilter:
        return [await attempt(bare)], (CANNOT_SAY,)
    if first.gathered.chunks or not search.may_be_the_filter(first.searched):
        several = len(run.request.targets) > 1
        return [first], (ONE_INDEX.format(index=planned.filter_index),) if several else ()
    return [first, await attempt(bare)], (NOTHING_LEFT,)


async def _attempt(run: Run, planned: QueryPlan, *, until: float, known: Sequence[Chunk], round: int) -> Attempt:
    from retrieval.engine import chunks

    searched = await search_all(run, planned, until=until, round=round)
    size = extent_of(searched)
    merged = await _merge(run, searched, size=size, round=round)
    references = turns(merged.references) if planned.by == "model" else merged.references
    tokens = CHUNK_TOKENS if run.calls.model is None else int(CHUNK_TOKENS * run.calls.scale)
    gather = partial(chunks.gather, references, known=known, most=MOST_CHUNKS, tokens=tokens, round=round)
    gathered = await threads.work(size, gather)
    return Attempt(searched=tuple(searched), gathered=gathered, dropped=merged.dropped)


def _record(
    calls: ModelCalls, attempts: Sequence[Attempt], *, start: float, round: int, notes: tuple[str, ...]
) -> None:
    omitted = sum((one.omitted for one in attempts), start=Counts())
    searches = [
        SearchActivity(searched=searched, found=searched.page.found, dropped=dropped)
        for one in attempts
        for searched, dropped in zip(one.searched, one.dropped, strict=True)
    ]
    calls.activity.append(
        RoundActivity(
            round=round,
            started_ms=calls.at(start),
            elapsed_ms=calls.at(asyncio.get_running_loop().time()) - calls.at(start),
            searches=tuple(searches),
            found=sum(search.found for search in searches),
            omitted={reason: count for reason, count in omitted.items() if count},
            gathered=sum(len(one.gathered.chunks) for one in attempts),
            notes=notes,
        )
    )


def _queries(planned: QueryPlan) -> int:
    return len(planned.queries)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
