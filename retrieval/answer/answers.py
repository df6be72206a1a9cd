"""Runs the steps of an answer: route and plan, retrieve, read the evidence, a second round where one is needed.

Route and plan run at the same time. Without MCP servers an answer takes at most four model calls. Where a model fails,
or has no time or tokens left, the rules take over.

The route is the decision whether a message needs documents. A model decides; by rules, greetings, thanks and
farewells need none, and a question with a subject does.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Final

from retrieval.answer import reading, rounds, second_round
from retrieval.answer.reading import State
from retrieval.answer.rounds import Round
from retrieval.call import prompt_parts, prompts, replies
from retrieval.call.budget import OPENING_SHARE, SEARCHING_SHARE, Run
from retrieval.call.model_calls import Question, ask
from retrieval.call.ports import Ports
from retrieval.call.prompt_parts import shortenable
from retrieval.errors import BadModelReply
from retrieval.model.activity import DropReason, OmitReason, RoundActivity
from retrieval.model.answer import Answer, Judgement, RouteDecision, Written
from retrieval.model.conversation import Message, Prompt, question_place, split
from retrieval.model.progress import Planned
from retrieval.model.retrieval import Chunk, QueryPlan, RetrievalRequest
from retrieval.ports import Observer, Tell
from retrieval.retrieve.plan.planning import filterable, make_plan
from retrieval.retrieve.search import searching
from retrieval.retrieve.synthesis import other_languages
from retrieval.telemetry import spans
from retrieval.text.content_words import of_question
from retrieval.text.languages.language import ENGLISH, Language, language_of, language_of_conversation
from retrieval.text.length import LONGEST_READ, ends
from retrieval.text.links import plain
from retrieval.text.user_message import reply_to, without_courtesies
from retrieval.writing import answer_by_rules
from retrieval.writing.markdown import with_gaps, with_list
from retrieval.writing.shown_draft import ShownAnswer


async def answer(
    request: RetrievalRequest,
    ports: Ports,
    *,
    start: float | None = None,
    observers: Sequence[Observer] = (),
    tell: Tell | None = None,
) -> Answer:
    """Answer the last user message within the limits of the request. The runtime counts from `start`, a time of the
    event loop; None means now.

    `tell` gets the progress. It gets the blocks of the answer, and revisions of blocks. After all revisions, the blocks
    together are the returned answer.

    Raises RetrievalFailed when every search of the plan failed, unless all failures were timeouts. Raises
    UnsupportedFilter when a target cannot express the caller's filter. The failure of a model is not an error: the
    activity records it.
    """
    run = Run(request, ports, start=start, observers=observers, tell=tell)
    shown = None if tell is None else ShownAnswer(tell)
    decision, plan = await _open(run)
    if plan is None:
        return _answer(run, route=decision, written=Written(markdown=decision.reply, by=decision.by), shown=shown)
    run.report(Planned(round=0, plan=plan, is_complete=True))
    first = await rounds.search_round(run, plan, until=_end_of_searches(run))
    if first.filter != "kept":
        plan = replace(plan, filter=None, filter_text="", notes=(*plan.notes, rounds.FILTER_GIVEN_UP[first.filter]))
    state = await _read(run, plan=plan, first=first, shown=shown)
    await asyncio.sleep(0)  # other requests run between two steps, since a step by rules blocks for milliseconds
    if second_round.is_allowed(run, state.judgement):
        state = await second_round.follow_up(run, plan=plan, state=state, first=first)
    await asyncio.sleep(0)
    is_unread = run.ports.model is None and not state.any_failed
    languages = await other_languages(run, request.messages, state.chunks) if is_unread else ()
    judgement, written = _finish(run, state, languages)
    return _answer(run, route=decision, plan=plan, state=state, judgement=judgement, written=written, shown=shown)


async def _open(run: Run) -> tuple[RouteDecision, QueryPlan | None]:
    """The route, and the plan where documents are needed. No model is asked for an obvious route: of thanks, or of a
    question with a subject. A model of CHAT_URL, which answers of itself when it is asked, is asked for none."""
    request = run.request
    until = run.deadline if run.ports.model is None else _share(run, OPENING_SHARE)
    has_no_router = run.ports.model is None or run.ports.server is not None
    if has_no_router or obvious_route(request.messages) is not None:
        decision, _ = run.by_rules("route", partial(route_by_rules, request.messages))
        run.report(decision)
        return decision, await _plan(run, until=until) if decision.run_rag else None
    language = language_of_conversation(request.messages)

    def make(request: RetrievalRequest, _: tuple[Chunk, ...]) -> Question[RouteDecision]:
        return Question(
            step="route",
            prompt=route_prompt(request, today=run.today),
            read=partial(read_route, language=language),
            notes=lambda value: value.notes,
        )

    question = shortenable(make, request)
    async with asyncio.TaskGroup() as group:
        planning = group.create_task(_plan(run, until=until))
        routing = await ask(run, question, until=until)
        decision = routing.value or RouteDecision(run_rag=True, by="rules")
        run.report(decision)
        if not decision.run_rag:
            planning.cancel()
    return decision, planning.result() if decision.run_rag else None


async def _plan(run: Run, *, until: float) -> QueryPlan:
    fields = await filterable(run, until=until) if run.ports.model else None
    return await make_plan(run, until=until, goals=True, fields=fields)


async def _read(run: Run, *, plan: QueryPlan, first: Round, shown: ShownAnswer | None) -> State:
    """The state after the first round, and after a model has read its chunks if there are any."""
    request, chunks = run.request, first.gathered.chunks
    state = State(
        chunks=chunks,
        results=tuple(rounds.results(plan.queries, first.searched, chunks)),
        judgement=reading.not_judged(request, chunks),
        any_found=bool(first.found),
        any_failed=any(searched.fault is not None for searched in first.searched),
        shown=shown,
    )
    if run.ports.model is None or not chunks:
        return state
    await asyncio.sleep(0)
    queries, is_last = searching.queries(first.searched), not request.limits.follow_ups
    question = reading.question(run, chunks, queries=queries, next=plan.next, is_last=is_last)
    await asyncio.sleep(0)
    return await reading.read(run, state, question, chunks, unjudged=state.judgement)


def _finish(run: Run, state: State, languages: Sequence[str]) -> tuple[Judgement, Written]:
    """The judgement with every cited chunk selected, and the answer. If the evidence is judged insufficient, or the
    answer names missing points, a section about missing points follows a model's answer. Nobody judges whether an
    answer that breaks off is sufficient."""
    request, judgement = run.request, state.judgement
    if state.written is None:
        written = replace(_best_matches(run, state, languages), removed=state.removed)
        return _settle(run, state, judgement, written), written
    written = replace(state.written, removed=state.removed)
    completed = with_gaps(written, request.messages, judgement.evidence)
    judgement = _settle(run, state, judgement, written)
    if written.is_cut:
        judgement = replace(judgement, evidence=replace(judgement.evidence, sufficient=None))
    return judgement, with_list(completed, request, state.chunks)


def _best_matches(run: Run, state: State, languages: Sequence[str]) -> Written:
    best = [selected.chunk for selected in state.judgement.selected] or state.chunks
    failure = answer_by_rules.why(state.reading)
    by_rules = partial(answer_by_rules.answer, any_found=state.any_found, any_failed=state.any_failed)
    work = partial(by_rules, run.request, best, failed=failure, languages=languages)
    reading_failed = state.reading is not None and state.reading.by == "rules"
    return work() if reading_failed else run.by_rules("answer", work)[0]


def _settle(run: Run, state: State, judgement: Judgement, written: Written) -> Judgement:
    """The judgement, with every cited chunk selected."""
    most = run.request.limits.chunks
    choices = rounds.with_cited(judgement.selected, written.cited, chunks=state.chunks, most=most)
    return rounds.settle(judgement, choices)


def _end_of_searches(run: Run) -> float:
    """The deadline of the first searches, a time of the event loop. A server of CHAT_URL may have taken long until
    here, so that the searches have their share of what is left."""
    if run.ports.model is None:
        return run.deadline
    if run.ports.server is not None:
        return run.deadline - (1 - SEARCHING_SHARE) * run.seconds_left
    return _share(run, SEARCHING_SHARE)


def _share(run: Run, share: float) -> float:
    return run.start + run.request.limits.runtime * share


def _answer(
    run: Run,
    *,
    route: RouteDecision,
    written: Written,
    plan: QueryPlan | None = None,
    state: State | None = None,
    judgement: Judgement | None = None,
    shown: ShownAnswer | None,
) -> Answer:
    if shown is not None:
        shown.settle(written.shown)
    activity = sorted(run.activity, key=lambda record: record.started_ms)
    _count_documents([record for record in activity if isinstance(record, RoundActivity)])
    return Answer(
        route=route,
        plan=plan,
        chunks=() if state is None else state.chunks,
        results=() if state is None else state.results,
        judgement=judgement,
        written=written,
        ended_by=tuple(sorted({*run.ended_by, *(("reply",) if written.is_cut else ())})),
        activity=tuple(activity),
        started_at=run.ports.clock() - timedelta(milliseconds=run.at(asyncio.get_running_loop().time())),
    )


def _count_documents(rounds: Sequence[RoundActivity]) -> None:
    dropped = sum((Counter(record.omitted) for record in rounds), start=Counter[DropReason | OmitReason]())
    spans.documents(
        subqueries=sum(len(record.searches) for record in rounds),
        found=sum(record.found for record in rounds),
        returned=sum(record.gathered for record in rounds),
        dropped=dropped.items(),
    )


PROMPT: Final[str] = "route-3"
LONGEST_REPLY: Final = 1_000

SCHEMA: Final = replies.object_of(
    {
        "should_run_rag": {"type": "boolean"},
        "route": {"type": "string", "enum": ["run_rag", "no_rag"]},
        "assistant_message": {"type": "string"},
    }
)


def route_prompt(request: RetrievalRequest, *, today: date) -> Prompt:
    """The prompt for a model."""
    shown = {**prompt_parts.dated(request.messages, today), **prompt_parts.members(request.messages)}
    return Prompt(
        name=PROMPT,
        instructions=prompts.text(PROMPT),
        data=json.dumps(shown, ensure_ascii=False),
        schema=SCHEMA,
    )


def read_route(text: str, *, language: Language = ENGLISH) -> RouteDecision:
    """The route of a reply. A reply that contradicts itself means that documents are needed. Raises BadModelReply.

    If no documents are needed, a reply without a message for the user gets a message in the `language`.
    """
    reply = replies.read_object(text)
    run, route = replies.boolean(reply, "should_run_rag"), reply.get("route")
    if route not in ("run_rag", "no_rag"):
        raise BadModelReply("its route is neither run_rag nor no_rag")
    if run != (route == "run_rag"):
        note = f"The reply said {'' if run else 'not '}to retrieve, but the route was {route}; documents were searched."
        return RouteDecision(run_rag=True, by="model", notes=(note,))
    if run:
        return RouteDecision(run_rag=True, by="model")
    message = plain(replies.line(reply.get("assistant_message"), longest=LONGEST_REPLY), longest=LONGEST_REPLY)
    notes = () if message else ("The reply had no message for the user; a fixed message was used.",)
    return RouteDecision(run_rag=False, reply=message or language.frames.offer, by="model", notes=notes)


SUBJECT_WORDS: Final = 2
"""The content words from which a question has a subject. "How are you doing today?" has one."""

_QUESTION_MARK: Final = re.compile("[?？؟]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def obvious_route(messages: Sequence[Message]) -> RouteDecision | None:
    """The route of a message that is only a greeting, thanks or a farewell, and of a question with a subject; None for
    any other message. A courtesy is not obvious after a message of the user, since that message still needs an answer.
    A question is not obvious beside guidance, which may exclude its subject.

    A small model answered 24 of 30 plain questions itself when it was asked for their route.
    """
    guidance, _ = split(messages)
    last = question_place(messages)
    text = messages[last].text
    if not guidance and _asks_for_a_subject(ends(text, LONGEST_READ)):
        return RouteDecision(run_rag=True, by="rules")
    if last and messages[last - 1].role == "user":
        return None
    reply = reply_to(text)
    return None if reply is None else RouteDecision(run_rag=False, reply=reply, by="rules")


def route_by_rules(messages: Sequence[Message]) -> RouteDecision:
    """The route by rules: documents are needed, unless `obvious` finds another route."""
    return obvious_route(messages) or RouteDecision(run_rag=True, by="rules")


def _asks_for_a_subject(text: str) -> bool:
    question = without_courtesies(text)
    first = _WORD.search(question)
    asks = _QUESTION_MARK.search(question) or (first and language_of(question).asks(first[0]))
    return bool(asks) and len(of_question(question)) >= SUBJECT_WORDS
