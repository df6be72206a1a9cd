"""The second round of an answer. It searches for missing points or for names in the documents found. If the first
queries found no usable documents, it plans anew.

Where nothing was found, no model reads the first round. So a second plan does not raise the number of model calls.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

from retrieval.answer import reading, rounds
from retrieval.answer.reading import JudgedAnswer, State
from retrieval.answer.rounds import Round
from retrieval.call import prompt_parts, prompts, replies
from retrieval.call.budget import OPENING_SHARE, Run
from retrieval.call.model_calls import Question, affords, ask
from retrieval.call.prompt_parts import shortenable
from retrieval.filters.schema import Schema
from retrieval.model.activity import By, Limit
from retrieval.model.answer import Judgement
from retrieval.model.conversation import Prompt
from retrieval.model.json_value import JsonValue
from retrieval.model.progress import Planned
from retrieval.model.retrieval import Chunk, PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.model.search import Facets, Recall, Subquery
from retrieval.retrieve.plan import facet_preferences, plan_by_model, plan_by_rules, plan_hints, plan_limits
from retrieval.retrieve.plan.planning import filterable, reading_limit
from retrieval.retrieve.search import searching
from retrieval.retrieve.search_for_names import searches_names
from retrieval.writing import answer_blocks

PROMPT: Final[str] = "replan-2"


def prompt(
    request: RetrievalRequest,
    *,
    today: date,
    searched: Sequence[str],
    schema: Schema | None = None,
    facets: Sequence[Facets] = (),
) -> Prompt:
    """The prompt for a model. `searched` are the search texts used so far. `facets` have the values that the caller may
    see."""
    messages = request.messages
    members: dict[str, JsonValue] = {
        "searched": list(searched),
        **facet_preferences.facts_of(facets, prompt_parts.shown_text(messages)),
        "fields": plan_hints.filter_fields(schema),
        **prompt_parts.dated(messages, today),
    }
    shown = {name: value for name, value in members.items() if value} | prompt_parts.members(messages)
    reply = plan_by_model.reply_schema(goals=True)
    parts = {"why", *shown, *replies.members_of(reply), *(() if "languages" in shown else ("languages unknown",))}
    return Prompt(
        name=PROMPT,
        instructions=prompts.composed(PROMPT, parts, most=plan_limits.bounds_of(request)[1]),
        data=json.dumps(shown, ensure_ascii=False),
        schema=reply,
    )


def read(text: str, *, most: int, searched: Sequence[str]) -> QueryPlan:
    """At most `most` queries that were not searched yet. Raises BadModelReply if the reply cannot be read or has no
    such query."""
    return plan_by_model.read(text, most=most, goals=True, known=[PlannedQuery(query=query) for query in searched])


def unsearched(queries: Sequence[PlannedQuery], searched: Sequence[str]) -> tuple[PlannedQuery, ...]:
    """The queries that were not searched. Upper and lower case make no difference."""
    texts = {text.casefold() for text in searched}
    return tuple(query for query in queries if query.query.casefold() not in texts)


ANY: Final = Recall(text=1, vectors=0, rerank=False)
"""The recall of the cheapest search."""

NOTHING_THERE: Final = "Under the filters of the call the indexes have no document at all."


def is_allowed(run: Run, judgement: Judgement) -> bool:
    """Whether the limits allow a second round, and the evidence is not known to be enough. There is no second round
    where a model expects nothing from further searches."""
    evidence = judgement.evidence
    return bool(run.request.limits.follow_ups) and not evidence.sufficient and not evidence.more_is_useless


async def follow_up(run: Run, *, plan: QueryPlan, state: State, first: Round) -> State:
    """The state after a second round and a second reading, where they are possible."""
    plans_anew = _is_planned_anew(run, plan, first)
    is_judged = state.judgement.evidence.by == "model"
    by_names = not is_judged and searches_names(run.request, plan, first.searched)
    lead = searching.lead_of(run.request, plan, first.searched, first.references) if by_names else None
    follow_ups = _follow_ups(run, plan, state.judgement) if lead is None else (lead.query,)
    if not (follow_ups or plans_anew):
        return state
    queries = (*searching.queries(first.searched), *(query.query for query in follow_ups))
    lacking = _lacking(run, _last_question(run, state.chosen, queries=queries))
    if lacking is not None:
        return replace(state, reading=run.skip("answer", lacking))
    by: By = "model" if lead is None and is_judged else "rules"
    if plans_anew:
        otherwise, plan = follow_ups, replace(plan, sources=())
        follow_ups = await _other_queries(run, first=first, otherwise=otherwise)
        if not follow_ups:
            return state
        by = "rules" if follow_ups == otherwise else "model"
    run.report(Planned(round=1, plan=QueryPlan(queries=follow_ups, by=by), is_complete=True))
    if lead is None:
        second = await rounds.follow_up_round(run, plan, follow_ups, first=first)
    else:
        second = await rounds.lead_round(run, lead, first=first, places=run.request.limits.chunks)
    chunks = (*state.chunks, *second.gathered.chunks)
    results = tuple(rounds.results(follow_ups, second.searched, chunks))
    chunks_again = rounds.chunks_found_again(results, state.chosen, state.chunks)
    state = replace(state, results=(*state.results, *results), any_found=state.any_found or bool(second.found))
    if not (second.gathered.chunks or chunks_again or second.order):
        return state
    return await _read_again(run, state=state, first=first, second=second, chunks_again=chunks_again)


def _follow_ups(run: Run, planned: QueryPlan, judgement: Judgement) -> tuple[PlannedQuery, ...]:
    """The follow-ups of the judgement that were not searched yet. If no model judged and no chunk is selected, the
    queries of the rules' plan are used instead."""
    wanted = judgement.evidence.follow_ups
    if judgement.evidence.by != "model" and not judgement.selected:
        wanted = plan_by_rules.without_model(run.request, courtesies=False).queries
    return unsearched(wanted, [query.query for query in planned.queries])


def _is_planned_anew(run: Run, plan: QueryPlan, first: Round) -> bool:
    """Whether a model made the plan, at least one of its searches succeeded, and the first round has no chunks."""
    is_answered = any(result.error is None for result in first.searched)
    return run.ports.model is not None and plan.by == "model" and is_answered and not first.gathered.chunks


async def _other_queries(run: Run, *, first: Round, otherwise: tuple[PlannedQuery, ...]) -> tuple[PlannedQuery, ...]:
    """The queries of a second plan, and after them the unsearched queries of the rules (`otherwise`), up to the limit
    of queries. Without a second plan, the queries are those of `otherwise`. There are none where no search can find a
    document."""
    request, most = run.request, plan_limits.bounds_of(run.request)[1]
    until = run.deadline - (1 - OPENING_SHARE) * run.seconds_left
    if not await _anything(run, first, until=until):
        run.skip("plan", "not needed", notes=(NOTHING_THERE,))
        return ()
    limit = reading_limit(until)
    fields = await filterable(run, until=limit)
    schema = None if fields is None else fields.schema
    shown_facets = await facet_preferences.shown_to_model(run, await facet_preferences.facets_of(run, until=limit))
    searched = tuple(dict.fromkeys(result.subquery.search for result in first.searched))

    def make(request: RetrievalRequest, _: tuple[Chunk, ...]) -> Question[QueryPlan]:
        return Question(
            step="plan",
            prompt=prompt(request, today=run.today, searched=searched, schema=schema, facets=shown_facets),
            read=partial(read, most=most, searched=searched),
            notes=lambda value: value.notes,
            count=lambda value: len(value.queries),
        )

    planned = (await ask(run, shortenable(make, request), until=until)).value
    if planned is None:
        return otherwise
    return plan_by_model.distinct((*planned.queries, *unsearched(otherwise, searched)))[:most]


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


async def _read_again(run: Run, *, state: State, first: Round, second: Round, chunks_again: tuple[Chunk, ...]) -> State:
    """The state with both rounds' chunks, after a model has read the chosen chunks and the new ones."""
    new_chunks = second.gathered.chunks
    best = reading.not_judged(run.request, second.order or reading.with_new(state.chunks, new_chunks))
    chosen, known = state.chosen, state.judgement.evidence.by == "model" or state.written is not None
    state = replace(state, chunks=(*state.chunks, *new_chunks), judgement=state.judgement if known else best)
    if run.ports.model is None:
        return state
    queries = searching.queries((*first.searched, *second.searched))
    chunks, question = _affordable(run, chosen, (*new_chunks, *chunks_again), queries=queries)
    if not chunks:
        return replace(state, reading=run.skip("answer", "tokens"))
    return await reading.read(run, state, question, chunks, unjudged=best, first=answer_blocks.MOST_BLOCKS)


def _affordable(
    run: Run, chosen: tuple[Chunk, ...], more: tuple[Chunk, ...], *, queries: Sequence[str]
) -> tuple[tuple[Chunk, ...], Question[JudgedAnswer]]:
    """The chunks for the second reading, as many as the tokens allow, and the question."""
    question = _last_question(run, (*chosen, *more), queries=queries)
    if affords(run, question):
        return (*chosen, *more), question
    question = _last_question(run, chosen, queries=queries)
    for chunk in more:
        longer = _last_question(run, (*chosen, chunk), queries=queries)
        if affords(run, longer):
            chosen, question = (*chosen, chunk), longer
    return chosen, question


def _last_question(run: Run, chunks: tuple[Chunk, ...], *, queries: Sequence[str]) -> Question[JudgedAnswer]:
    return reading.question(run, chunks, queries=queries, is_last=True)


def _lacking(run: Run, question: Question[JudgedAnswer]) -> Limit | None:
    """The limit that prevents a follow-up, if any: time or tokens. Tokens are needed only if a model reads again."""
    if not run.has_time(until=run.deadline):
        return "runtime"
    return "tokens" if run.ports.model is not None and not affords(run, question) else None
