"""The answer as the six payloads of the Foundry workflow, for callers that read these payloads.

Source: the six schemas in github.com/ytthuan/foundry-ai, agentic-rag, commit 37cd6ae. In the schemas every property is
required, and no other property is allowed. Items at the same position of parallel arrays belong together. If an array
has more items than its schema allows, this module leaves out the last items. The typed answer has no such limits. If no
model judged, `is_sufficient` may be null and `confidence` may be left out.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from retrieval.contracts.answer.shapes import Out, at, known_of, labels, share
from retrieval.contracts.azure.errors import is_none
from retrieval.model.answer import Answer, Chunk, Evidence, Judgement, QueryResult
from retrieval.model.retrieval import QueryPlan

QUERIES = 3
CHUNKS = 20
SELECTED = 8
KEY_POINTS = 8
QUESTIONS = 3
FOLLOW_UPS = 3
SOURCES = 10

NO_JUDGEMENT = Judgement(selected=(), evidence=Evidence())


def _route(runs: bool) -> str:
    return "run_rag" if runs else "no_rag"


class Router(Out):
    should_run_rag: bool = at("run_rag")
    route: Annotated[Literal["run_rag", "no_rag"], BeforeValidator(_route)] = at("run_rag")
    assistant_message: str = at("reply")


class QueryPlanned(Out):
    queries: Annotated[list[str], Field(max_length=QUERIES)]
    retrieval_goals: Annotated[list[str], Field(max_length=QUERIES)]
    filter: str


class Retrieval(Out):
    query_used: str
    chunk_texts: Annotated[list[str], Field(max_length=CHUNKS)]
    chunk_sources: Annotated[list[str], Field(max_length=CHUNKS)]


class Rerank(Out):
    selected_chunk_texts: Annotated[list[str], Field(max_length=SELECTED)]
    selected_sources: Annotated[list[str], Field(max_length=SELECTED)]
    selected_rationales: Annotated[list[str], Field(max_length=SELECTED)]
    missing_info_questions: Annotated[list[str], Field(max_length=QUESTIONS)]


class EvidenceJudged(Out):
    is_sufficient: bool | None
    confidence: Annotated[float | None, Field(ge=0, le=1, default=None, exclude_if=is_none)]
    key_points: Annotated[list[str], Field(max_length=KEY_POINTS)]
    key_point_sources: Annotated[list[str], Field(max_length=KEY_POINTS)]
    missing_info_questions: Annotated[list[str], Field(max_length=QUESTIONS)]
    followup_queries: Annotated[list[str], Field(max_length=FOLLOW_UPS)]
    followup_retrieval_goals: Annotated[list[str], Field(max_length=FOLLOW_UPS)]


class AnswerWritten(Out):
    answer_markdown: str
    sources: Annotated[list[str], Field(max_length=SOURCES)]


class Workflow(Out):
    """The six payloads. `retrieval` has a payload for each query of each round, because the original workflow calls its
    retriever once for each query."""

    router: Router
    plan: QueryPlanned
    retrieval: list[Retrieval]
    rerank: Rerank
    evidence: EvidenceJudged
    answer: AnswerWritten


def payloads(answer: Answer) -> Workflow:
    """The six payloads of an answer. If the question needs no documents, the original workflow ends after the first
    payload. Here the other payloads are then empty."""
    run, chunks = answer.route.run_rag, known_of(answer).chunks
    judgement = answer.judgement if run and answer.judgement is not None else NO_JUDGEMENT
    return Workflow(
        router=Router.model_validate(answer.route),
        plan=_plan(answer.plan if run else None),
        retrieval=[_retrieval(result) for result in answer.results] if run else [],
        rerank=_rerank(judgement),
        evidence=_evidence(judgement.evidence, chunks),
        answer=AnswerWritten(
            answer_markdown=answer.written.markdown if run else "",
            sources=labels(answer.written.cited, chunks)[:SOURCES] if run else [],
        ),
    )


def _plan(plan: QueryPlan | None) -> QueryPlanned:
    if plan is None:
        return QueryPlanned(queries=[], retrieval_goals=[], filter="")
    queries = plan.queries[:QUERIES]
    return QueryPlanned(
        queries=[query.query for query in queries],
        retrieval_goals=[query.goal for query in queries],
        filter=plan.filter_text,
    )


def _retrieval(result: QueryResult) -> Retrieval:
    chunks = result.chunks[:CHUNKS]
    return Retrieval(
        query_used=result.query.query,
        chunk_texts=[chunk.text for chunk in chunks],
        chunk_sources=[chunk.source for chunk in chunks],
    )


def _rerank(judgement: Judgement) -> Rerank:
    choices = judgement.selected[:SELECTED]
    return Rerank(
        selected_chunk_texts=[choice.chunk.text for choice in choices],
        selected_sources=[choice.chunk.source for choice in choices],
        selected_rationales=[choice.rationale for choice in choices],
        missing_info_questions=list(judgement.evidence.missing[:QUESTIONS]),
    )


def _evidence(evidence: Evidence, chunks: Mapping[str, Chunk]) -> EvidenceJudged:
    points, follow_ups = evidence.key_points[:KEY_POINTS], evidence.follow_ups[:FOLLOW_UPS]
    return EvidenceJudged(
        is_sufficient=evidence.sufficient,
        confidence=share(evidence.confidence),
        key_points=[point.text for point in points],
        key_point_sources=["; ".join(labels(point.chunks, chunks)) for point in points],
        missing_info_questions=list(evidence.missing[:QUESTIONS]),
        followup_queries=[query.query for query in follow_ups],
        followup_retrieval_goals=[query.goal for query in follow_ups],
    )
