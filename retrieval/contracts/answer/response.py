"""The typed form of the answer. It has the content of the original's six payloads under the same names."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from retrieval.contracts.answer import explained, workflow
from retrieval.contracts.answer.activity import RoundRecord, StepRecord, Totals, records, totals
from retrieval.contracts.answer.explained import Explained
from retrieval.contracts.answer.request import Detail
from retrieval.contracts.answer.shapes import Out, chunks_of, encode, labels, share
from retrieval.contracts.azure.errors import is_none
from retrieval.contracts.rendered import Rendered
from retrieval.model.activity import By, Limit
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
    """`score` is the reranker's, 0 to 4; null where it did not rank. `round` is 1 for what the follow-up found."""

    id: str
    source: str
    rationale: str
    text: str
    score: float | None
    doc_key: str
    index: str
    round: int


class KeyPointMade(Out):
    """`sources` are aligned with `chunk_ids`."""

    text: str
    sources: list[str]
    chunk_ids: list[str]


class EvidenceFound(Out):
    """Where no model judged, `is_sufficient` is null and there is no `confidence`, unless a calibration of the index
    was saved: then `confidence` is its probability that the question has an answer, and `is_sufficient` is true from
    the score on at which that is nearly certain. `by` is null where nobody judged.

    `more_is_useless`: it is not sufficient, and a model expects nothing of searching more.
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
    """`quote`, where there is one, is the chunk's text from `start` to `end`, in characters."""

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
    """Words that lost their quotation marks: the chunks that are cited with them have the words, not the wording."""

    text: str
    chunk_ids: list[str]


class UnfoundedFigure(Out):
    """A figure of the answer that the chunks cited with it do not have. `text` is the claim that has it."""

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
    ended_by: list[Limit]
    activity: list[StepRecord | RoundRecord]
    totals: Totals
    explained: Explained | None = Field(default=None, exclude_if=is_none)


def render(answer: Answer, *, detail: Detail | None, with_prompts: bool = False) -> Rendered:
    """The answer; status 200 also where a step failed or a limit ended it, which `activity` and `ended_by` say.

    `with_prompts` is for callers who may read definitions.
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
    """The route."""
    return RouteTaken(
        should_run_rag=decision.run_rag,
        route="run_rag" if decision.run_rag else "no_rag",
        assistant_message=decision.reply,
        by=decision.by,
    )


def plan(planned: QueryPlan) -> Plan:
    """The plan: its queries, its filter, and notes about it."""
    notes = list(planned.notes)
    return Plan(queries=_queries(planned.queries), filter=planned.filter_text or None, by=planned.by, notes=notes)


def citation(cited: Cited, chunks: Mapping[str, Chunk]) -> Citation:
    """A citation of one of these chunks."""
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
