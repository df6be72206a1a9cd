"""The steps of an answer, awaited: route and plan, retrieve, judge and write, a second round where one is needed.

Model calls that do not need each other run at once: route beside plan, judge beside write; five at most. Where a
model fails, or has no time or tokens left, the rules take over, so there is always an answer.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from retrieval import telemetry
from retrieval.call import draft, judging, rounds, search, second_round, selection
from retrieval.call.budget import ModelCalls, Question
from retrieval.call.draft import State
from retrieval.call.late import Pace
from retrieval.call.planning import OPENING_SHARE, filterable, make_plan
from retrieval.call.rounds import RULES_SECONDS, Round, Run
from retrieval.call.waiting import Waits
from retrieval.citations import frame, sources
from retrieval.model.activity import DropReason
from retrieval.model.answer import Answer, AnswerRequest, Route, Written
from retrieval.model.chunk import OmitReason
from retrieval.model.evidence import Judgement
from retrieval.model.plan import QueryPlan
from retrieval.model.steps import RoundActivity
from retrieval.ports import ChatModel, Clock, IndexFacets, IndexSchemas, Observer, SearchIndex
from retrieval.rules import matches
from retrieval.steps import judge, route, write
from retrieval.text.languages.recognition import language_of_conversation

SEARCHING_SHARE: Final = 0.6


async def answer(
    request: AnswerRequest,
    *,
    index: SearchIndex,
    schemas: IndexSchemas,
    model: ChatModel | None,
    clock: Clock,
    pace: Pace | None = None,
    facets: IndexFacets | None = None,
    values_shown: bool = False,
    start: float | None = None,
    observers: Sequence[Observer] = (),
) -> Answer:
    """Answer the last user message within the limits of the request, whose time counts from `start` (None is now).

    Raises RetrievalFailed when every search of the plan failed, UnsupportedFilter when a target cannot express the
    caller's filter. The failure of a model is not an error: the activity records it.
    """
    limits = request.limits
    calls = ModelCalls(model, runtime=limits.runtime, tokens=limits.tokens, start=start, observers=observers)
    run = Run(
        request=request.retrieval,
        calls=calls,
        index=index,
        clock=clock,
        schemas=schemas,
        facets=facets,
        values_shown=values_shown,
        waits=Waits(pace),
    )
    routed, plan = await _open(request, run, schemas=schemas)
    if plan is None:
        return _answer(calls, route=routed, written=Written(markdown=routed.reply, by=routed.by))
    share = SEARCHING_SHARE if model is not None else 1.0
    first = await rounds.search_round(run, plan, until=_share(calls, request, share))
    if first.filter != "kept":
        plan = replace(plan, filter=None, filter_text="", notes=(*plan.notes, rounds.GIVEN_UP[first.filter]))
    state = await _judge_and_write(request, run, plan=plan, first=first)
    await _give_way()
    if _is_followed_up(request, state.judgement):
        state = await second_round.follow_up(request, run, plan=plan, state=state, first=first)
    await _give_way()
    judgement, written = _finish(request, calls, state)
    await _give_way()
    return _answer(calls, route=routed, plan=plan, state=state, judgement=judgement, written=written)


def _is_followed_up(request: AnswerRequest, judgement: Judgement) -> bool:
    """Whether a second round may be wanted; not where a judge expects nothing of it, whatever the writer misses."""
    evidence = judgement.evidence
    return bool(request.limits.follow_ups) and not evidence.sufficient and not evidence.more_is_useless


async def _open(request: AnswerRequest, run: Run, *, schemas: IndexSchemas) -> tuple[Route, QueryPlan | None]:
    """The route, and the plan where documents are needed. An obvious courtesy costs no model call."""
    calls, obvious = run.calls, route.obvious(request.messages)
    if obvious is not None or calls.model is None:
        routed, _ = calls.by_rules("route", partial(route.without_model, request.messages))
        return routed, await _plan(run, schemas=schemas, until=calls.deadline) if routed.run_rag else None
    until, today = _share(calls, request, OPENING_SHARE), run.clock().date()
    asked = Question(
        step="route",
        version=route.PROMPT,
        prompt=route.prompt(request, today=today),
        read=partial(route.read, language=language_of_conversation(request.messages)),
        notes=lambda value: value.notes,
    )
    async with asyncio.TaskGroup() as group:
        planning = group.create_task(_plan(run, schemas=schemas, until=until))
        answered = await calls.ask(asked, until=until)
        routed = answered.value or Route(run_rag=True, by="rules")
        if not routed.run_rag:
            planning.cancel()
    return routed, planning.result() if routed.run_rag else None


async def _plan(run: Run, *, schemas: IndexSchemas, until: float) -> QueryPlan:
    index, schema = await filterable(run.request, schemas, until=until) if run.calls.model else (None, None)
    planned = await make_plan(run, until=until, goals=True, schema=schema)
    return replace(planned, filter_index=index) if planned.by == "model" else planned


async def _judge_and_write(request: AnswerRequest, run: Run, *, plan: QueryPlan, first: Round) -> State:
    """The chunks judged, and an answer drafted from the same chunks at the same time."""
    await _give_way()
    calls, chunks, any_found = run.calls, first.gathered.chunks, bool(first.found)
    results = tuple(selection.results(plan.queries, first.searched, chunks))
    if calls.model is None or not chunks:
        judgement = await judging.make_judgement(request, run, first)
        return State(chunks=chunks, results=results, judgement=judgement, any_found=any_found)
    prompt = write.prompt(
        request,
        chunks,
        today=run.clock().date(),
        queries=search.queries(first.searched),
        most=min(request.limits.chunks, judge.MOST_SELECTED),
    )
    writing = Question(step="answer", version=write.PROMPT, prompt=prompt, read=write.read)
    asking = calls.ask(writing, until=calls.deadline - RULES_SECONDS)
    await _give_way()
    async with asyncio.TaskGroup() as group:
        drafting = group.create_task(asking)
        judgement = await judging.make_judgement(request, run, first)
    drafted = drafting.result()
    state = State(chunks=chunks, results=results, judgement=judgement, drafted=drafted.record, any_found=any_found)
    return draft.searching(await draft.with_draft(state, drafted.value, request, shown=chunks))


def _finish(request: AnswerRequest, calls: ModelCalls, state: State) -> tuple[Judgement, Written]:
    """The judgement with every cited chunk selected, and the answer, which says what is missing if it is not enough."""
    judgement = state.judgement if state.written is None else draft.doubted(state.judgement, state.written.missing)
    if state.written is None:
        best = [one.chunk for one in judgement.selected] or state.chunks
        failed = matches.why(state.concluded or state.drafted)
        work = partial(matches.answer, request, best, failed=failed, any_found=state.any_found)
        is_recorded = state.drafted is not None and state.drafted.by == "rules"
        written = work() if is_recorded else calls.by_rules("answer", work)[0]
        selected = selection.with_cited(
            judgement.selected, written.cited, chunks=state.chunks, most=request.limits.chunks
        )
        return selection.settled(judgement, selected), replace(written, removed=state.removed)
    selected = selection.with_cited(
        judgement.selected, state.written.cited, chunks=state.chunks, most=request.limits.chunks
    )
    written = replace(state.written, removed=state.removed)
    completed = frame.completed(written, request.messages, judgement.evidence)
    judgement = draft.doubted(selection.settled(judgement, selected), written.unfounded)
    return judgement, sources.listed(completed, request, state.chunks)


async def _give_way() -> None:
    """Lets other requests run between two steps by rules, each of which takes milliseconds."""
    await asyncio.sleep(0)


def _share(calls: ModelCalls, request: AnswerRequest, share: float) -> float:
    return calls.start + request.limits.runtime * share


def _answer(
    calls: ModelCalls,
    *,
    route: Route,
    written: Written,
    plan: QueryPlan | None = None,
    state: State | None = None,
    judgement: Judgement | None = None,
) -> Answer:
    activity = sorted(calls.activity, key=lambda one: one.started_ms)
    _tell([one for one in activity if isinstance(one, RoundActivity)])
    return Answer(
        route=route,
        plan=plan,
        chunks=() if state is None else state.chunks,
        results=() if state is None else state.results,
        judgement=judgement,
        written=written,
        ended_by=tuple(sorted(calls.ended_by)),
        activity=tuple(activity),
    )


def _tell(rounds: Sequence[RoundActivity]) -> None:
    dropped = sum((Counter(one.omitted) for one in rounds), start=Counter[DropReason | OmitReason]())
    telemetry.documents(
        subqueries=sum(len(one.searches) for one in rounds),
        found=sum(one.found for one in rounds),
        returned=sum(one.gathered for one in rounds),
        dropped=dropped.items(),
    )
