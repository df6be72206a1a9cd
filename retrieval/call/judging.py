"""Judges the chunks of a round with a model. Without a model, or when the model fails, the first chunks are
selected."""

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from retrieval.call import fitting, subqueries
from retrieval.call.model_calls import Question
from retrieval.call.rounds import Round
from retrieval.call.run import RULES_SECONDS, Run
from retrieval.model.answer import Chunk, Evidence, Judgement, Selected
from retrieval.model.calibration import best_score
from retrieval.model.retrieval import PlannedQuery, QueryPlan, RetrievalRequest
from retrieval.rules import plan_by_rules
from retrieval.steps import judge

BEFORE: Final = 2
"""The number of chunks before the best chunk of a follow-up. So an answer by rules, which shows three passages, can
show that chunk."""


async def make_judgement(run: Run, first: Round) -> Judgement:
    """Judges which chunks of the first round support an answer, and whether they are enough."""
    request, calls, chunks = run.request, run.calls, first.gathered.chunks
    most = request.limits.chunks
    if calls.model is None or not chunks:
        return not_judged(request, chunks)
    today, queries = run.ports.clock().date(), subqueries.queries(first.searched)

    def make(request: RetrievalRequest, chunks: tuple[Chunk, ...]) -> Question[Judgement]:
        return Question(
            step="judge",
            version=judge.PROMPT,
            prompt=judge.prompt(request, chunks, most=most, today=today, queries=queries),
            read=partial(judge.read, chunks=chunks, most=most),
            notes=lambda value: value.notes,
        )

    question = fitting.question(make, request, chunks)
    result = await calls.ask(question, until=calls.deadline - RULES_SECONDS)
    return result.value or not_judged(request, chunks)


def with_new(chunks: Sequence[Chunk], new: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a first round and of a follow-up. The first two places are for the first round; from the third
    place on, the two rounds take turns."""
    turns = zip_longest(new, chunks[BEFORE:])
    return (*chunks[:BEFORE], *(chunk for turn in turns for chunk in turn if chunk is not None))


def not_judged(request: RetrievalRequest, chunks: Sequence[Chunk]) -> Judgement:
    """The judgement without a model: the first chunks are selected. A calibration in the request judges by the best
    score whether they are enough."""
    calibration, most = request.calibration, request.limits.chunks
    choices = tuple(Selected(chunk=chunk, rationale=_rationale(chunk)) for chunk in chunks[:most])
    if calibration is None or not chunks:
        return Judgement(selected=choices, evidence=Evidence())
    score = best_score([chunk.reference.hit.score for chunk in chunks if chunk.round == 0])
    enough = calibration.sufficient_from is not None and score >= calibration.sufficient_from
    evidence = Evidence(sufficient=enough or None, confidence=calibration.probability(score), by="rules")
    return Judgement(selected=choices, evidence=evidence)


def _rationale(chunk: Chunk) -> str:
    if chunk.round:
        return "The follow-up found it."
    score = chunk.reference.hit.score
    return "It was not scored." if score is None else f"The search scored it {score:.2f} of 4."


def follow_ups(run: Run, planned: QueryPlan, judgement: Judgement) -> tuple[PlannedQuery, ...]:
    """The follow-ups of the judgement that were not searched yet. If no model judged and no chunk is selected, the
    queries of the rules' plan are used instead."""
    searched, wanted = {query.query.casefold() for query in planned.queries}, judgement.evidence.follow_ups
    if judgement.evidence.by != "model" and not judgement.selected:
        wanted = plan_by_rules.without_model(run.request, courtesies=False).queries
    return tuple(query for query in wanted if query.query.casefold() not in searched)
