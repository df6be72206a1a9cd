"""The answer as the six payloads of the Foundry workflow, for callers that read these payloads.

Source: the six schemas in github.com/ytthuan/foundry-ai, agentic-rag, commit 37cd6ae. In the schemas every property is
required, and no other property is allowed. Items at the same position of parallel arrays belong together. If an array
has more items than its schema allows, this module leaves out the last items. The typed answer has no such limits. If no
model judged, `is_sufficient` may be null and `confidence` may be left out.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from retrieval.contracts.answer.shapes import Known, Out, Router, at, known_of, labels, share
from retrieval.contracts.azure.errors import is_none
from retrieval.model.answer import Answer, Evidence, Judgement, KeyPoint
from retrieval.model.retrieval import QueryPlan

QUERIES = 3
CHUNKS = 20
SELECTED = 8
KEY_POINTS = 8
QUESTIONS = 3
FOLLOW_UPS = 3
SOURCES = 10

NO_PLAN = QueryPlan(queries=(), by="rules")
NO_JUDGEMENT = Judgement(selected=(), evidence=Evidence())
NO_ANSWER = {"answer_markdown": "", "sources": ()}


def _first(most: int, path: str) -> BeforeValidator:
    """Reads a path of attributes of each of the first `most` items."""
    text = attrgetter(path)
    return BeforeValidator(lambda items: [text(item) for item in items[:most]])


def _labels(points: Sequence[KeyPoint], info: ValidationInfo[Known]) -> list[str]:
    return ["; ".join(labels(point.chunks, info.context.chunks)) for point in points[:KEY_POINTS]]


Selection: TypeAlias = Annotated[list[str], Field(max_length=SELECTED)]
FollowUps: TypeAlias = Annotated[list[str], Field(max_length=FOLLOW_UPS)]
Questions: TypeAlias = Annotated[
    list[str], Field(max_length=QUESTIONS), BeforeValidator(lambda questions: questions[:QUESTIONS])
]


class QueryPlanned(Out):
    queries: Annotated[list[str], Field(max_length=QUERIES), _first(QUERIES, "query")]
    retrieval_goals: Annotated[list[str], Field(max_length=QUERIES), _first(QUERIES, "goal")] = at("queries")
    filter: str = at("filter_text")


class Retrieval(Out):
    query_used: str = at("query.query")
    chunk_texts: Annotated[list[str], Field(max_length=CHUNKS), _first(CHUNKS, "text")] = at("chunks")
    chunk_sources: Annotated[list[str], Field(max_length=CHUNKS), _first(CHUNKS, "source")] = at("chunks")


class Rerank(Out):
    selected_chunk_texts: Annotated[Selection, _first(SELECTED, "chunk.text")] = at("selected")
    selected_sources: Annotated[Selection, _first(SELECTED, "chunk.source")] = at("selected")
    selected_rationales: Annotated[Selection, _first(SELECTED, "rationale")] = at("selected")
    missing_info_questions: Questions = at("evidence.missing")


class EvidenceJudged(Out):
    is_sufficient: bool | None = at("sufficient")
    confidence: Annotated[float | None, Field(ge=0, le=1, default=None, exclude_if=is_none), BeforeValidator(share)]
    key_points: Annotated[list[str], Field(max_length=KEY_POINTS), _first(KEY_POINTS, "text")]
    key_point_sources: Annotated[list[str], Field(max_length=KEY_POINTS), BeforeValidator(_labels)] = at("key_points")
    missing_info_questions: Questions = at("missing")
    followup_queries: Annotated[FollowUps, _first(FOLLOW_UPS, "query")] = at("follow_ups")
    followup_retrieval_goals: Annotated[FollowUps, _first(FOLLOW_UPS, "goal")] = at("follow_ups")


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
    run, known = answer.route.run_rag, known_of(answer)
    judgement = answer.judgement if run and answer.judgement is not None else NO_JUDGEMENT
    sources = labels(answer.written.cited, known.chunks)[:SOURCES]
    members = {
        "router": answer.route,
        "plan": answer.plan if run and answer.plan is not None else NO_PLAN,
        "retrieval": answer.results if run else (),
        "rerank": judgement,
        "evidence": judgement.evidence,
        "answer": {"answer_markdown": answer.written.markdown, "sources": sources} if run else NO_ANSWER,
    }
    return Workflow.model_validate(members, context=known)
