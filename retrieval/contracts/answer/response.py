"""The typed form of the answer. Many members have the same names as in the answer's other form, the six payloads of the
Foundry workflow (workflow.py)."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from retrieval.contracts.answer import explained, workflow
from retrieval.contracts.answer.explained import Explained
from retrieval.contracts.answer.request import Detail
from retrieval.contracts.answer.shapes import (
    Out,
    RoundRecord,
    StepRecord,
    Totals,
    chunks_of,
    encode,
    labels,
    records,
    share,
    totals,
)
from retrieval.contracts.azure.errors import is_none
from retrieval.contracts.rendered import Rendered
from retrieval.model.activity import By, EndedBy
from retrieval.model.answer import Answer, Chunk, Evidence, KeyPoint, RemovedKind, RouteDecision, Selected
from retrieval.model.answer import Citation as Cited
from retrieval.model.retrieval import PlannedQuery, QueryPlan


class RouteTaken(Out):
    should_run_rag: bool
    route: Literal["run_rag", "no_rag"]
    assistant_message: str
    by: By


class Query(Out):
    query: str
    goal: str


class Plan(Out):
    queries: list[Query]
    filter: str | None
    by: By
    notes: list[str]


class SelectedChunk(Out):
    """A chunk that was selected as evidence. `score` is the reranker score, 0 to 4. It may be raised for a facet that
    the question names. A document that a search for names found may have a score made from that of the document with
    the name. It is null if the chunk has no score. `round` is 1 if only the follow-up found the chunk."""

    id: str
    source: str
    rationale: str
    text: str
    score: float | None
    doc_key: str
    index: str
    round: int


class KeyPointMade(Out):
    """A key point. `chunk_ids` are the ids of its chunks, and `sources` are their labels in the same order."""

    text: str
    sources: list[str]
    chunk_ids: list[str]


class EvidenceFound(Out):
    """The evidence, and whether it is sufficient to answer the question. `by` is null if nobody judged.

    If no model judged, `confidence` is the calibrated probability that the index contains an answer. `is_sufficient` is
    then true if the calibration says so for the best score, and otherwise null. Without a calibration or without
    chunks, `is_sufficient` is null and there is no `confidence`. If the answer breaks off, `is_sufficient` is null.

    `more_is_useless` is true if a model that was asked for further searches judged the evidence insufficient, and named
    no search.
    """

    is_sufficient: bool | None
    confidence: float | None = Field(default=None, exclude_if=is_none)
    confidence_kind: Literal["judged", "calibrated"] | None = Field(default=None, exclude_if=is_none)
    key_points: list[KeyPointMade]
    missing_info_questions: list[str]
    followup_queries: list[Query]
    more_is_useless: bool
    by: By | None


class Citation(Out):
    """A citation of a chunk. If there is a `quote`, it is `text[start:end]` of the chunk's text, in characters."""

    chunk_id: str
    source: str
    quote: str | None
    start: int | None
    end: int | None


class RemovedText(Out):
    kind: RemovedKind
    text: str
    reason: str


class UnquotedText(Out):
    """Words of the answer whose quotation marks were removed. The cited chunks contain the words, but not in that exact
    wording."""

    text: str
    chunk_ids: list[str]


class UnfoundedFigure(Out):
    """A figure of the answer that is neither in the chunks cited with it nor in the conversation. It may be right, for
    example as a sum. `text` is the beginning of the claim that contains the figure."""

    figure: str
    text: str
    chunk_ids: list[str]


class AnswerResponse(Out):
    route: RouteTaken
    plan: Plan | None
    selected: list[SelectedChunk]
    evidence: EvidenceFound | None
    answer_markdown: str
    answer_by: By
    sources: list[str]
    citations: list[Citation]
    removed: list[RemovedText]
    unquoted: list[UnquotedText]
    unfounded_figures: list[UnfoundedFigure]
    ended_by: list[EndedBy]
    activity: list[StepRecord | RoundRecord]
    totals: Totals
    explained: Explained | None = Field(default=None, exclude_if=is_none)


def render(answer: Answer, *, detail: Detail | None, with_prompts: bool = False) -> Rendered:
    """Renders the answer. The status is 200 even if a step failed or a limit ended the call. In the typed form,
    `activity` has the failed steps, and `ended_by` has the limits, and `reply` if the answer
    breaks off.

    `with_prompts` must be true only for callers who may read definitions.
    """
    why = explained.explain(answer, with_prompts=with_prompts) if detail == "explained" else None
    shape: Out = workflow.payloads(answer) if detail == "workflow" else _response(answer, why)
    return Rendered(status=200, body=encode(shape))


def _response(answer: Answer, why: Explained | None) -> AnswerResponse:
    chunks, judgement, text = chunks_of(answer), answer.judgement, answer.written
    return AnswerResponse(
        route=route(answer.route),
        plan=None if answer.plan is None else plan(answer.plan),
        selected=[] if judgement is None else [_selected_chunk(choice) for choice in judgement.selected],
        evidence=None if judgement is None else _evidence(judgement.evidence, chunks),
        answer_markdown=text.markdown,
        answer_by=text.by,
        sources=labels(text.cited, chunks),
        citations=[citation(cited, chunks) for cited in text.citations if cited.chunk in chunks],
        removed=[RemovedText(kind=removal.kind, text=removal.text, reason=removal.reason) for removal in text.removed],
        unquoted=[UnquotedText(text=passage.text, chunk_ids=list(passage.chunks)) for passage in text.unquoted],
        unfounded_figures=[
            UnfoundedFigure(figure=figure.figure, text=figure.text, chunk_ids=list(figure.chunks))
            for figure in text.unfounded
        ],
        ended_by=list(answer.ended_by),
        activity=records(answer),
        totals=totals(answer.activity),
        explained=why,
    )


def route(decision: RouteDecision) -> RouteTaken:
    """The route as the answer shows it."""
    return RouteTaken(
        should_run_rag=decision.run_rag,
        route="run_rag" if decision.run_rag else "no_rag",
        assistant_message=decision.reply,
        by=decision.by,
    )


def plan(planned: QueryPlan) -> Plan:
    """The plan as the answer shows it."""
    notes = list(planned.notes)
    return Plan(queries=_queries(planned.queries), filter=planned.filter_text or None, by=planned.by, notes=notes)


def citation(cited: Cited, chunks: Mapping[str, Chunk]) -> Citation:
    """The citation as the answer shows it. `chunks` must contain the cited chunk."""
    return Citation(
        chunk_id=cited.chunk,
        source=chunks[cited.chunk].source,
        quote=cited.quote,
        start=cited.start,
        end=cited.end,
    )


def _queries(queries: tuple[PlannedQuery, ...]) -> list[Query]:
    return [Query(query=query.query, goal=query.goal) for query in queries]


def _selected_chunk(choice: Selected) -> SelectedChunk:
    chunk, reference = choice.chunk, choice.chunk.reference
    return SelectedChunk(
        id=chunk.id,
        source=chunk.source,
        rationale=choice.rationale,
        text=chunk.text,
        score=reference.hit.score,
        doc_key=reference.hit.key,
        index=reference.target.index,
        round=chunk.round,
    )


def _evidence(evidence: Evidence, chunks: Mapping[str, Chunk]) -> EvidenceFound:
    return EvidenceFound(
        is_sufficient=evidence.sufficient,
        confidence=share(evidence.confidence),
        confidence_kind=_kind(evidence),
        key_points=[_key_point(point, chunks) for point in evidence.key_points],
        missing_info_questions=list(evidence.missing),
        followup_queries=_queries(evidence.follow_ups),
        more_is_useless=evidence.more_is_useless,
        by=evidence.by,
    )


def _kind(evidence: Evidence) -> Literal["judged", "calibrated"] | None:
    if evidence.confidence is None:
        return None
    return "judged" if evidence.by == "model" else "calibrated"


def _key_point(point: KeyPoint, chunks: Mapping[str, Chunk]) -> KeyPointMade:
    ids = [id for id in point.chunks if id in chunks]
    return KeyPointMade(text=point.text, sources=[chunks[id].source for id in ids], chunk_ids=ids)
