"""The judgement of what a round found, awaited: by a model, or by rules where there is none or it fails."""

from functools import partial
from typing import TYPE_CHECKING

from retrieval.engine import search
from retrieval.engine.model_calls import Question
from retrieval.engine.rounds import RULES_SECONDS, Round, Run
from retrieval.model.plan import PlannedQuery, QueryPlan

if TYPE_CHECKING:
    from retrieval.model.answer import AnswerRequest
    from retrieval.model.evidence import Judgement


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
        prompt=judge.prompt(asked, found, most=most, today=run.clock().date(), queries=search.queries(first.searched)),
        read=partial(judge.read, chunks=found, most=most),
        notes=lambda value: value.notes,
    )
    return await calls.ask(question, until=calls.deadline - RULES_SECONDS) or by_rules()


def follow_ups(run: Run, planned: QueryPlan, judgement: "Judgement") -> tuple[PlannedQuery, ...]:
    """The queries for missing information that were not searched yet. A model that has none wants none."""
    from retrieval.engine import plan_by_rules

    searched, wanted = {one.query.casefold() for one in planned.queries}, judgement.evidence.follow_ups
    if not wanted and judgement.evidence.by == "rules":
        wanted = plan_by_rules.without_model(run.request, courtesies=False).queries
    return tuple(one for one in wanted if one.query.casefold() not in searched)
