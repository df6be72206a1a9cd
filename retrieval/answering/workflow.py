"""The steps of an answer: route and plan, retrieve, judge and write, one follow-up. The awaiting happens here.

Model calls that do not need each other run at once: route beside plan, judge beside write; five at most. Where a
model fails, or has no time or tokens left, the rules take over, so there is always an answer.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from retrieval import telemetry, threads
from retrieval.answering import conclude, route, write
from retrieval.answering.citations import check as citations
from retrieval.answering.citations.blocks import Block
from retrieval.answering.offline import extract
from retrieval.engine import evidence, judge, judging, prompts, rounds, selection
from retrieval.engine.late import Pace
from retrieval.engine.model_calls import READING, ModelCalls, Question
from retrieval.engine.planning import make_plan, schema_of
from retrieval.engine.rounds import RULES_SECONDS, Round, Run
from retrieval.engine.waiting import Waits
from retrieval.filters.schema import Schema
from retrieval.model.activity import DropReason
from retrieval.model.answer import Answer, AnswerRequest, QueryResult, Removed, Route, Written
from retrieval.model.chunk import Chunk, OmitReason
from retrieval.model.evidence import Judgement
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.retrieval import RetrievalRequest
from retrieval.model.steps import Limit, RoundActivity
from retrieval.ports import ChatModel, Clock, IndexFacets, IndexSchemas, Observer, SearchIndex
from retrieval.text.clipped import clip
from retrieval.text.languages.recognition import language_of_conversation

OPENING_SHARE: Final = 0.3
SEARCHING_SHARE: Final = 0.6
FOLLOW_UP_SHARE: Final = 0.25
"""A follow-up begins only while this much of the time is left; its searches get half of what is left then."""

LONGEST_SEARCH: Final = 300
"""Characters of a sentence about something missing that are searched."""

SOUGHT: Final = "Find what the answer says is missing."
UNGROUNDED: Final = "It cites no chunk of this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of an answer: the chunks so far, their judgement, and the text that may be kept.

    `removed` is what that text lost, or what the last draft lost where no draft may be kept.
    """

    chunks: tuple[Chunk, ...]
    results: tuple[QueryResult, ...]
    judgement: Judgement
    written: Written | None = None
    removed: tuple[Removed, ...] = ()


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
    if first.given_up is not None:
        plan = replace(plan, filter=None, filter_text="", notes=(*plan.notes, first.given_up))
    state = await _judge_and_write(request, run, plan=plan, first=first)
    await _give_way()
    if not state.judgement.evidence.sufficient and request.limits.follow_ups:
        state = await _follow_up(request, run, plan=plan, state=state, first=first)
    await _give_way()
    judgement, written = _finish(request, calls, state)
    await _give_way()
    return _answer(calls, route=routed, plan=plan, state=state, judgement=judgement, written=written)


async def _open(request: AnswerRequest, run: Run, *, schemas: IndexSchemas) -> tuple[Route, QueryPlan | None]:
    """The route, and the plan where documents are needed. An obvious courtesy costs no model call."""
    calls, obvious = run.calls, route.obvious(request.messages)
    if obvious is not None or calls.model is None:
        routed = calls.by_rules("route", partial(route.without_model, request.messages))
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
        routed = await calls.ask(asked, until=until) or Route(run_rag=True, by="rules")
        if not routed.run_rag:
            planning.cancel()
    return routed, planning.result() if routed.run_rag else None


async def _plan(run: Run, *, schemas: IndexSchemas, until: float) -> QueryPlan:
    index, schema = await _filterable(run.request, schemas, until=until) if run.calls.model else (None, None)
    planned = await make_plan(run, until=until, goals=True, schema=schema)
    return replace(planned, filter_index=index) if planned.by == "model" else planned


async def _filterable(
    request: RetrievalRequest, schemas: IndexSchemas, *, until: float
) -> tuple[str | None, Schema | None]:
    """The first target whose fields are known, for the filter that a model may write."""
    for target in request.targets:
        schema = await schema_of(schemas, target.index, until=until)
        if schema is not None:
            return target.index, schema
    return None, None


async def _judge_and_write(request: AnswerRequest, run: Run, *, plan: QueryPlan, first: Round) -> State:
    """The chunks judged, and an answer drafted from the same chunks at the same time."""
    await _give_way()
    calls, chunks = run.calls, first.gathered.chunks
    results = tuple(selection.results(plan.queries, first.searched, chunks))
    if calls.model is None or not chunks:
        return State(chunks=chunks, results=results, judgement=await judging.make_judgement(request, run, first))
    writing = Question(step="answer", version=write.PROMPT, prompt=write.prompt(request, chunks), read=write.read)
    draft = calls.ask(writing, until=calls.deadline - RULES_SECONDS)
    async with asyncio.TaskGroup() as group:
        drafting = group.create_task(draft)
        judgement = await judging.make_judgement(request, run, first)
    state = State(chunks=chunks, results=results, judgement=judgement)
    return _searching(await _with_draft(state, drafting.result(), request, shown=chunks))


async def _follow_up(request: AnswerRequest, run: Run, *, plan: QueryPlan, state: State, first: Round) -> State:
    """One more round for what is missing, and a conclusion from both rounds."""
    calls, wanted = run.calls, judging.follow_ups(run, plan, state.judgement)
    if not wanted:
        return state
    lacking = _lacking(request, calls, state)
    if lacking is not None:
        calls.skip("conclude", lacking)
        return state
    judged, most = state.judgement.evidence.by, request.limits.chunks
    second = await rounds.follow_up_round(run, plan, wanted, first=first, by=judged, places=most)
    added = second.gathered.chunks
    chunks = (*state.chunks, *added)
    results = tuple(selection.results(wanted, second.searched, chunks))
    again = selection.found_again(results, state.judgement.selected, state.chunks)
    state = replace(state, results=(*state.results, *results))
    if not (added or again or second.led):
        return state
    searched, found = (*first.searched, *second.searched), second.led or added
    by_rules = partial(evidence.judgement, request, chunks, searched=searched, most=most, found=found)
    if calls.model is None:
        return replace(state, chunks=chunks, judgement=calls.by_rules("conclude", by_rules))
    seen = tuple(one.chunk for one in state.judgement.selected)
    seen, question = _affordable(request, calls, seen, (*added, *again))
    concluded = await calls.ask(question, until=calls.deadline - RULES_SECONDS)
    if concluded is not None:
        state = replace(state, chunks=chunks, judgement=concluded[0])
        return await _with_draft(state, concluded[1], request, shown=seen)
    kept = judged == "model" or state.written is not None
    return replace(state, chunks=chunks, judgement=state.judgement if kept else by_rules())


def _affordable(
    request: AnswerRequest, calls: ModelCalls, seen: tuple[Chunk, ...], more: tuple[Chunk, ...]
) -> tuple[tuple[Chunk, ...], Question[tuple[Judgement, tuple[Block, ...]]]]:
    """The chunks that a conclusion can afford, and the question: all of them, or as many as the tokens allow."""
    whole = _conclusion(request, (*seen, *more))
    if calls.affords(whole):
        return (*seen, *more), whole
    question = _conclusion(request, seen)
    for chunk in more:
        longer = _conclusion(request, (*seen, chunk))
        if calls.affords(longer):
            seen, question = (*seen, chunk), longer
    return seen, question


def _conclusion(request: AnswerRequest, seen: tuple[Chunk, ...]) -> Question[tuple[Judgement, tuple[Block, ...]]]:
    most = request.limits.chunks
    return Question(
        step="conclude",
        version=conclude.PROMPT,
        prompt=conclude.prompt(request, seen, most=most),
        read=partial(conclude.read, chunks=seen, most=most),
        notes=lambda value: value[0].notes,
    )


def _lacking(request: AnswerRequest, calls: ModelCalls, state: State) -> Limit | None:
    """What a follow-up lacks, time or tokens, if anything; where a model concludes, it needs tokens for that too."""
    if calls.seconds_left < request.limits.runtime * FOLLOW_UP_SHARE:
        return "runtime"
    selected = tuple(one.chunk for one in state.judgement.selected)
    if calls.model is not None and not calls.affords(_conclusion(request, selected)):
        return "tokens"
    return None


async def _with_draft(
    state: State, draft: Sequence[Block] | None, request: AnswerRequest, *, shown: tuple[Chunk, ...]
) -> State:
    """The draft with the citations that pass; a draft that cites nothing is kept only for what it says is missing.

    `shown` is what its writer saw. It may cite as many chunks as may be selected; those that are selected come first.
    """
    if draft is None:
        return state
    asked, most = prompts.shown(request.messages), request.limits.chunks
    chosen = {one.chunk.id for one in state.judgement.selected}
    check = partial(citations.check, draft, chunks=shown, by="model", asked=asked, selected=chosen)
    size = READING * sum(len(block.text) for block in draft)
    written = await threads.work(size, check)
    if len(written.cited) > most:
        over = sorted(written.cited, key=lambda id: id not in chosen)[most:]
        written = await threads.work(size, partial(check, over=over))
    if written.citations or written.missing:
        return replace(state, written=written, removed=written.removed)
    if state.written is not None:
        return state
    uncited = (Removed(kind="sentence", text=written.markdown[:200], reason=UNGROUNDED),) if written.markdown else ()
    return replace(state, removed=(*written.removed, *uncited))


def _doubted(judgement: Judgement, written: Written) -> Judgement:
    """The judgement of an answer: the evidence is not enough where the answer says that something is missing."""
    if not written.missing:
        return judgement
    return replace(judgement, evidence=replace(judgement.evidence, sufficient=False))


def _searching(state: State) -> State:
    """The state, whose judgement searches for what the answer says is missing where the judge searches for nothing."""
    if state.written is None or not state.written.missing:
        return state
    doubted, missing = _doubted(state.judgement, state.written), state.written.missing[: judge.MOST_FOLLOW_UPS]
    queries = tuple(PlannedQuery(query=clip(one.text, LONGEST_SEARCH), goal=SOUGHT) for one in missing)
    evidence = replace(doubted.evidence, follow_ups=doubted.evidence.follow_ups or queries)
    return replace(state, judgement=replace(doubted, evidence=evidence))


def _finish(request: AnswerRequest, calls: ModelCalls, state: State) -> tuple[Judgement, Written]:
    """The judgement with every cited chunk selected, and the answer, which says what is missing if it is not enough."""
    judgement = state.judgement if state.written is None else _doubted(state.judgement, state.written)
    if state.written is None:
        any_found = any(isinstance(one, RoundActivity) and one.found for one in calls.activity)
        write_by_rules = partial(extract.answer, request, judgement, found=state.chunks, any_found=any_found)
        written = write_by_rules() if calls.left_to_rules("answer") else calls.by_rules("answer", write_by_rules)
        return judgement, replace(written, removed=(*state.removed, *written.removed))
    selected = selection.with_cited(
        judgement.selected, state.written.cited, chunks=state.chunks, most=request.limits.chunks
    )
    written = replace(state.written, removed=state.removed)
    completed = extract.completed(request, written, judgement.evidence, found=state.chunks)
    return selection.settled(judgement, selected), completed


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
