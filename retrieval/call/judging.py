"""The judgement of what a round found, awaited: by a model, or by nobody where there is none or it fails."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from retrieval.call import search
from retrieval.call.budget import Question
from retrieval.call.rounds import RULES_SECONDS, Round, Run
from retrieval.model.calibration import best_score
from retrieval.model.chunk import Chunk
from retrieval.model.conversation import question_of
from retrieval.model.evidence import Evidence, Judgement, Selected
from retrieval.model.plan import PlannedQuery, QueryPlan
from retrieval.steps import plan

if TYPE_CHECKING:
    from retrieval.model.answer import AnswerRequest
    from retrieval.rules.follow_up import Lead


BEFORE: Final = 2
"""Chunks before the best of those that a follow-up led to, so that it is among the passages that are shown."""


async def make_judgement(asked: "AnswerRequest", run: Run, first: Round) -> Judgement:
    """Which chunks of the first round support an answer, and whether they are enough."""
    from retrieval.steps import judge

    found, most, calls = first.gathered.chunks, asked.limits.chunks, run.calls
    if calls.model is None or not found:
        return not_judged(asked, found)
    question = Question(
        step="judge",
        version=judge.PROMPT,
        prompt=judge.prompt(asked, found, most=most, today=run.clock().date(), queries=search.queries(first.searched)),
        read=partial(judge.read, chunks=found, most=most),
        notes=lambda value: value.notes,
    )
    judged = await calls.ask(question, until=calls.deadline - RULES_SECONDS)
    return judged.value or not_judged(asked, found)


def not_judged(asked: "AnswerRequest", chunks: Sequence[Chunk], *, led: Sequence[Chunk] = ()) -> Judgement:
    """The best chunks in their order, and what a calibration says of them.

    Of those that a follow-up `led` to, the best has the third place, and others the last.
    """
    calibration, most = asked.calibration, asked.limits.chunks
    first = [one for one in chunks if one.round == 0]
    ahead = {one.id for one in first[:BEFORE]}
    more = [one for one in led if one.id not in ahead]
    last = [one for one in more[1:] if one.round][: most // 2]
    head = list({one.id: one for one in (*first[:BEFORE], *more[:1], *first)}.values())
    chosen = {one.id: one for one in (*head[: most - len(last)], *last, *chunks)}
    selected = tuple(Selected(chunk=one, rationale=_rationale(one)) for one in list(chosen.values())[:most])
    if calibration is None or not chunks:
        return Judgement(selected=selected, evidence=Evidence())
    score = best_score([one.reference.hit.score for one in chunks if one.round == 0])
    enough = calibration.sufficient_from is not None and score >= calibration.sufficient_from
    evidence = Evidence(sufficient=enough or None, confidence=calibration.probability(score), by="rules")
    return Judgement(selected=selected, evidence=evidence)


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."


def lead_of(run: Run, planned: QueryPlan, first: Round) -> "Lead | None":
    """The search for names that a first round leads to, where nobody judged; none within a conversation, after a
    document that answers the question, or where no target that answered can be searched for names."""
    if plan.is_conversation(run.request):
        return None
    from retrieval.rules import follow_up

    if follow_up.answers(plan.whole_question(run.request), first.searched):
        return None
    asked, known = question_of(run.request.messages), tuple(one.reference for one in first.gathered.chunks)
    lead = follow_up.lead(asked, known, searches=len(planned.queries), next=planned.next)
    return lead if lead is not None and search.for_names(lead.query, first.searched) else None


def follow_ups(run: Run, planned: QueryPlan, judgement: Judgement) -> tuple[PlannedQuery, ...]:
    """The queries for missing information that were not searched yet. A model that has none wants none; where nobody
    judged and nothing was found, they are those of the rules' plan."""
    from retrieval.rules import plan_by_rules

    searched, wanted = {one.query.casefold() for one in planned.queries}, judgement.evidence.follow_ups
    if judgement.evidence.by != "model" and not judgement.selected:
        wanted = plan_by_rules.without_model(run.request, courtesies=False).queries
    return tuple(one for one in wanted if one.query.casefold() not in searched)
