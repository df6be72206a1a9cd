"""The second round of an answer, awaited: what is missing is searched, or planned anew where nothing was found.

A second plan takes the place of the judge and the writer of the first round, which have nothing to read, so a call has
no more model calls than with them, and waits for no more of them in a row.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval.call import draft, judging, preferences, rounds, search, selection
from retrieval.call.budget import ModelCalls, Question
from retrieval.call.draft import State
from retrieval.call.planning import OPENING_SHARE, SCHEMA_SECONDS, filterable
from retrieval.call.rounds import RULES_SECONDS, Round, Run
from retrieval.citations.blocks import Block
from retrieval.model.answer import AnswerRequest
from retrieval.model.chunk import Chunk
from retrieval.model.evidence import Judgement
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.model.search import Recall, Subquery
from retrieval.model.steps import Limit
from retrieval.steps import conclude, second_plan
from retrieval.steps import plan as plans

FOLLOW_UP_SHARE: Final = 0.25
"""A follow-up begins only while this much of the time is left; its searches get half of what is left then."""

ANY: Final = Recall(text=1, vectors=0, rerank=False)
"""The cheapest search."""

NOTHING_THERE: Final = "Under the filters of the call the indexes have no document at all."

Conclusion: TypeAlias = Question[tuple[Judgement, tuple[Block, ...]]]
Asking: TypeAlias = Callable[[tuple[Chunk, ...]], Conclusion]
"""Makes the question of a conclusion over these chunks."""


async def follow_up(request: AnswerRequest, run: Run, *, plan: QueryPlan, state: State, first: Round) -> State:
    """One more round for what is missing, and a conclusion from both rounds."""
    calls, anew = run.calls, _is_planned_anew(run, plan, first)
    lead = None if _is_known(state) else judging.lead_of(run, plan, first)
    wanted = judging.follow_ups(run, plan, state.judgement) if lead is None else (lead.query,)
    if not (wanted or anew):
        return state
    queries = (*search.queries(first.searched), *(one.query for one in wanted))
    lacking = _lacking(request, calls, state, partial(_conclusion, request, run, queries=queries))
    if lacking is not None:
        return replace(state, concluded=calls.skip("conclude", lacking))
    if anew:
        wanted, plan = await _other_queries(request, run, first=first, otherwise=wanted), replace(plan, sources=())
        if not wanted:
            return state
    second = await rounds.follow_up_round(run, plan, lead or wanted, first=first, places=request.limits.chunks)
    chunks = (*state.chunks, *second.gathered.chunks)
    results = tuple(selection.results(wanted, second.searched, chunks))
    again = selection.found_again(results, state.judgement.selected, state.chunks)
    state = replace(state, results=(*state.results, *results), any_found=state.any_found or bool(second.found))
    if not (second.gathered.chunks or again or second.led):
        return state
    return await _concluded(request, run, state=state, first=first, second=second, again=again)


def _is_known(state: State) -> bool:
    """Whether a model says what is missing, if anything."""
    return state.judgement.evidence.by == "model" or (state.written is not None and bool(state.written.missing))


def _is_planned_anew(run: Run, plan: QueryPlan, first: Round) -> bool:
    """Whether a model's plan, whose searches were answered, left nothing to judge or to answer from."""
    answered = any(one.error is None for one in first.searched)
    return run.calls.model is not None and plan.by == "model" and answered and not first.gathered.chunks


async def _other_queries(
    request: AnswerRequest, run: Run, *, first: Round, otherwise: tuple[PlannedQuery, ...]
) -> tuple[PlannedQuery, ...]:
    """The queries of a second plan, and as far as there is room the rules' (`otherwise`); none where any is in vain."""
    calls, most = run.calls, request.limits.queries
    until = calls.deadline - (1 - OPENING_SHARE) * calls.seconds_left
    if not await _anything(run, first, until=until):
        calls.needless("plan", NOTHING_THERE)
        return ()
    limit = min(until, asyncio.get_running_loop().time() + SCHEMA_SECONDS)
    schema = None if run.schemas is None else (await filterable(run.request, run.schemas, until=limit))[1]
    known = preferences.shown(run, await preferences.known(run, until=limit))
    searched = tuple(dict.fromkeys(one.subquery.search for one in first.searched))
    question = Question(
        step="plan",
        version=second_plan.PROMPT,
        prompt=second_plan.prompt(request, today=run.clock().date(), searched=searched, schema=schema, known=known),
        read=partial(second_plan.read, most=most, searched=searched),
        notes=lambda value: value.notes,
        count=lambda value: len(value.queries),
    )
    planned = (await calls.ask(question, until=until)).value
    if planned is None:
        return otherwise
    return plans.distinct((*planned.queries, *second_plan.unsearched(otherwise, searched)))[:most]


async def _anything(run: Run, first: Round, *, until: float) -> bool:
    """Whether any document can be found at all under the filters and permissions of the call; in doubt it can."""
    targets = [one for one in run.request.targets if not one.never]
    if any(one.page.found for one in first.searched) or any(one.kind != "searchIndex" for one in targets):
        return True
    everything = [
        Subquery(search="*", target=replace(one, recall=ANY), user_token=run.request.user_token) for one in targets
    ]
    found = await rounds.search_all(run, everything, until=until)
    return any(one.error is not None or one.page.found for one in found)


async def _concluded(
    request: AnswerRequest, run: Run, *, state: State, first: Round, second: Round, again: tuple[Chunk, ...]
) -> State:
    """The judgement of both rounds, and the answer from their chunks."""
    calls, added = run.calls, second.gathered.chunks
    chunks, searched = (*state.chunks, *added), (*first.searched, *second.searched)
    best = judging.not_judged(request, chunks, led=second.led or added)
    if calls.model is None:
        return replace(state, chunks=chunks, judgement=best)
    selected = tuple(one.chunk for one in state.judgement.selected)
    asking = partial(_conclusion, request, run, queries=search.queries(searched))
    seen, question = _affordable(calls, selected, (*added, *again), asking)
    if seen:
        asked = await calls.ask(question, until=calls.deadline - RULES_SECONDS)
        concluded, record = asked.value, asked.record
    else:
        concluded, record = None, calls.skip("conclude", "tokens")
    state = replace(state, chunks=chunks, concluded=record)
    if concluded is not None:
        return await draft.with_draft(replace(state, judgement=concluded[0]), concluded[1], request, shown=seen)
    kept = state.judgement.evidence.by == "model" or state.written is not None
    return state if kept else replace(state, judgement=best)


def _affordable(
    calls: ModelCalls, seen: tuple[Chunk, ...], more: tuple[Chunk, ...], asking: Asking
) -> tuple[tuple[Chunk, ...], Conclusion]:
    """The chunks that a conclusion can afford, and the question: all of them, or as many as the tokens allow."""
    whole = asking((*seen, *more))
    if calls.affords(whole):
        return (*seen, *more), whole
    question = asking(seen)
    for chunk in more:
        longer = asking((*seen, chunk))
        if calls.affords(longer):
            seen, question = (*seen, chunk), longer
    return seen, question


def _conclusion(request: AnswerRequest, run: Run, seen: tuple[Chunk, ...], *, queries: Sequence[str]) -> Conclusion:
    most = request.limits.chunks
    return Question(
        step="conclude",
        version=conclude.PROMPT,
        prompt=conclude.prompt(request, seen, most=most, today=run.clock().date(), queries=queries),
        read=partial(conclude.read, chunks=seen, most=most),
        notes=lambda value: value[0].notes,
    )


def _lacking(request: AnswerRequest, calls: ModelCalls, state: State, asking: Asking) -> Limit | None:
    """What a follow-up lacks, time or tokens, if anything; where a model concludes, it needs tokens for that too."""
    if calls.seconds_left < request.limits.runtime * FOLLOW_UP_SHARE:
        return "runtime"
    selected = tuple(one.chunk for one in state.judgement.selected)
    if calls.model is not None and not calls.affords(asking(selected)):
        return "tokens"
    return None
