"""The second round of an answer. It searches for missing points or for names in the documents found, or plans anew if
nothing was found.

Where nothing was found, the first round calls neither the judge nor the writer. So a second plan does not raise the
number of model calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from retrieval import threads
from retrieval.call import answer_chunks, draft, fitting, judging, preferences, rounds, searching, subqueries, writing
from retrieval.call.draft import State
from retrieval.call.model_calls import READING, ModelCalls, Question
from retrieval.call.planning import filterable, reading_limit
from retrieval.call.rounds import Round
from retrieval.call.run import OPENING_SHARE, RULES_SECONDS, Run
from retrieval.call.writing import Draft
from retrieval.citations.blocks import Block
from retrieval.model.activity import By, Limit, StepActivity
from retrieval.model.answer import Chunk, Judgement
from retrieval.model.progress import Planned
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import Recall, Subquery
from retrieval.rules.second_search import pays
from retrieval.steps import conclude, judge, second_plan, write
from retrieval.steps import plan as plans

ANY: Final = Recall(text=1, vectors=0, rerank=False)
"""The recall of the cheapest search."""

NOTHING_THERE: Final = "Under the filters of the call the indexes have no document at all."

Conclusion: TypeAlias = Question[tuple[Judgement, tuple[Block, ...]]]
Asking: TypeAlias = Callable[[tuple[Chunk, ...]], Conclusion]
"""Makes the `Question` of `conclude` for chunks."""


def is_allowed(run: Run, judgement: Judgement) -> bool:
    """Whether the limits allow a second round, and the evidence is not known to be enough. There is no second round
    where the judge expects nothing from further searches."""
    evidence = judgement.evidence
    return bool(run.request.limits.follow_ups) and not evidence.sufficient and not evidence.more_is_useless


async def follow_up(run: Run, *, plan: QueryPlan, state: State, first: Round) -> State:
    """The state after a second round and a conclusion, where they are possible."""
    calls, plans_anew = run.calls, _is_planned_anew(run, plan, first)
    by_names = not _is_known(state) and pays(run.request, plan, first.searched)
    lead = subqueries.lead_of(run.request, plan, first.searched, first.references) if by_names else None
    follow_ups = judging.follow_ups(run, plan, state.judgement) if lead is None else (lead.query,)
    if not (follow_ups or plans_anew):
        return state
    queries = (*subqueries.queries(first.searched), *(query.query for query in follow_ups))
    lacking = _lacking(run, state, partial(_conclusion, run, queries=queries))
    if lacking is not None:
        return replace(state, concluded=calls.skip("conclude", lacking))
    by: By = "model" if lead is None and _is_known(state) else "rules"
    if plans_anew:
        otherwise, plan = follow_ups, replace(plan, sources=())
        follow_ups = await _other_queries(run, first=first, otherwise=otherwise)
        if not follow_ups:
            return state
        by = "rules" if follow_ups == otherwise else "model"
    if calls.tell is not None:
        calls.tell(Planned(round=1, plan=QueryPlan(queries=follow_ups, by=by), is_complete=True))
    if lead is None:
        second = await rounds.follow_up_round(run, plan, follow_ups, first=first)
    else:
        second = await rounds.lead_round(run, lead, first=first, places=run.request.limits.chunks)
    chunks = (*state.chunks, *second.gathered.chunks)
    results = tuple(answer_chunks.results(follow_ups, second.searched, chunks))
    chunks_again = answer_chunks.chunks_found_again(results, state.judgement.selected, state.chunks)
    state = replace(state, results=(*state.results, *results), any_found=state.any_found or bool(second.found))
    if not (second.gathered.chunks or chunks_again or second.order):
        return state
    return await _conclude(run, state=state, first=first, second=second, chunks_again=chunks_again)


def _is_known(state: State) -> bool:
    """Whether a model has judged the evidence, or has named missing points."""
    return state.judgement.evidence.by == "model" or (state.written is not None and bool(state.written.missing))


def _is_planned_anew(run: Run, plan: QueryPlan, first: Round) -> bool:
    """Whether a model made the plan, at least one of its searches succeeded, and the first round has no chunks."""
    is_answered = any(result.error is None for result in first.searched)
    return run.calls.model is not None and plan.by == "model" and is_answered and not first.gathered.chunks


async def _other_queries(run: Run, *, first: Round, otherwise: tuple[PlannedQuery, ...]) -> tuple[PlannedQuery, ...]:
    """The queries of a second plan, and after them the unsearched queries of the rules (`otherwise`), up to the limit
    of queries. Without a second plan, the queries are those of `otherwise`. There are none where no search can find a
    document."""
    request, calls, most = run.request, run.calls, plans.bounds_of(run.request)[1]
    until = calls.deadline - (1 - OPENING_SHARE) * calls.seconds_left
    if not await _anything(run, first, until=until):
        calls.skip("plan", "not needed", notes=(NOTHING_THERE,))
        return ()
    limit = reading_limit(until)
    fields = await filterable(run, until=limit)
    schema = None if fields is None else fields.schema
    shown_facets = preferences.shown_to_model(run, await preferences.facets_of(run, until=limit))
    searched = tuple(dict.fromkeys(result.subquery.search for result in first.searched))
    today = run.ports.clock().date()

    def make(request: RetrievalRequest, _: tuple[Chunk, ...]) -> Question[QueryPlan]:
        return Question(
            step="plan",
            version=second_plan.PROMPT,
            prompt=second_plan.prompt(request, today=today, searched=searched, schema=schema, facets=shown_facets),
            read=partial(second_plan.read, most=most, searched=searched),
            notes=lambda value: value.notes,
            count=lambda value: len(value.queries),
        )

    planned = (await calls.ask(fitting.question(make, request), until=until)).value
    if planned is None:
        return otherwise
    return plans.distinct((*planned.queries, *second_plan.unsearched(otherwise, searched)))[:most]


async def _anything(run: Run, first: Round, *, until: float) -> bool:
    """Whether any document can be found under the filters and permissions of the call. Also true if a search fails, or
    a target is not of the kind `searchIndex`."""
    targets = [target for target in run.request.targets if not target.never]
    if any(result.page.found for result in first.searched) or any(result.kind != "searchIndex" for result in targets):
        return True
    everything = [
        Subquery(search="*", target=replace(target, recall=ANY), user_token=run.request.user_token)
        for target in targets
    ]
    results = await searching.search_all(run, everything, until=until, is_told=False)
    return any(result.error is not None or result.page.found for result in results)


async def _conclude(run: Run, *, state: State, first: Round, second: Round, chunks_again: tuple[Chunk, ...]) -> State:
    """The state with both rounds' chunks, and a model's conclusion if there is one."""
    calls, new_chunks = run.calls, second.gathered.chunks
    chunks, searched = (*state.chunks, *new_chunks), (*first.searched, *second.searched)
    best = judging.not_judged(run.request, second.order or judging.with_new(state.chunks, new_chunks))
    if calls.model is None:
        return replace(state, chunks=chunks, judgement=best)
    chosen_chunks = tuple(choice.chunk for choice in state.judgement.selected)
    asking = partial(_conclusion, run, queries=subqueries.queries(searched))
    read_chunks, question = _affordable(calls, chosen_chunks, (*new_chunks, *chunks_again), asking)
    if read_chunks:
        conclusion, record = await _ask(run, question, read_chunks)
    else:
        conclusion, record = None, calls.skip("conclude", "tokens")
    state = replace(state, chunks=chunks, concluded=record)
    if conclusion is not None:
        state = replace(state, judgement=conclusion[0])
        return await draft.with_draft(state, conclusion[1], run.request, shown=read_chunks)
    keeps_judgement = state.judgement.evidence.by == "model" or state.written is not None
    return state if keeps_judgement else replace(state, judgement=best)


async def _ask(
    run: Run, question: Conclusion, chunks: tuple[Chunk, ...]
) -> tuple[tuple[Judgement, Draft] | None, StepActivity]:
    """The judgement and the draft of a model, and the record of its call. If a reply breaks off, its judgement and
    complete blocks are kept."""
    calls, until = run.calls, run.calls.deadline - RULES_SECONDS
    read_judgement = partial(judge.judgement, chunks=chunks, most=run.request.limits.chunks)
    growing = writing.growing_draft(run, chunks, first=write.MOST_BLOCKS, read_judgement=read_judgement)
    result = await (calls.ask(question, until=until) if growing is None else growing.ask(calls, question, until=until))
    part = partial(conclude.part, result.part, chunks=chunks, most=run.request.limits.chunks)
    value = await threads.work(READING * len(result.part), part) if result.value is None else (*result.value, False)
    if value is None:
        return None, result.record
    judgement, blocks, is_cut = value
    claims = None if growing is None else growing.claims(blocks)
    return (judgement, Draft(blocks=blocks, claims=claims, first=write.MOST_BLOCKS, is_cut=is_cut)), result.record


def _affordable(
    calls: ModelCalls, chosen_chunks: tuple[Chunk, ...], more: tuple[Chunk, ...], asking: Asking
) -> tuple[tuple[Chunk, ...], Conclusion]:
    """The chunks for a conclusion, as many as the tokens allow, and the question."""
    whole = asking((*chosen_chunks, *more))
    if calls.affords(whole):
        return (*chosen_chunks, *more), whole
    question = asking(chosen_chunks)
    for chunk in more:
        longer = asking((*chosen_chunks, chunk))
        if calls.affords(longer):
            chosen_chunks, question = (*chosen_chunks, chunk), longer
    return chosen_chunks, question


def _conclusion(run: Run, read_chunks: tuple[Chunk, ...], *, queries: Sequence[str]) -> Conclusion:
    most, today = run.request.limits.chunks, run.ports.clock().date()

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Conclusion:
        return Question(
            step="conclude",
            version=conclude.PROMPT,
            prompt=conclude.prompt(request, chunks, most=most, today=today, queries=queries),
            read=partial(conclude.read, chunks=chunks, most=most),
            notes=lambda value: value[0].notes,
            is_kept=True,
        )

    return fitting.question(make, run.request, read_chunks)


def _lacking(run: Run, state: State, asking: Asking) -> Limit | None:
    """The limit that prevents a follow-up, if any: time or tokens. Tokens are needed only if a model concludes."""
    calls = run.calls
    if not run.has_time(until=calls.deadline):
        return "runtime"
    chosen_chunks = tuple(choice.chunk for choice in state.judgement.selected)
    if calls.model is not None and not calls.affords(asking(chosen_chunks)):
        return "tokens"
    return None
