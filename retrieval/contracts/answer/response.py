"""The typed form of the answer. Many members have the same names as in the answer's other form, the six payloads of the
Foundry workflow (workflow.py)."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from retrieval.contracts.answer import explained, workflow
from retrieval.contracts.answer.explained import Explained
from retrieval.contracts.answer.request import Detail
from retrieval.contracts.answer.shapes import (
    Known,
    Out,
    RoundRecord,
    Router,
    StepRecord,
    Totals,
    at,
    encode,
    known_of,
    labels,
    or_none,
    records,
    share,
    totals,
)
from retrieval.contracts.azure.errors import is_none
from retrieval.contracts.rendered import Rendered
from retrieval.model.activity import By, EndedBy
from retrieval.model.answer import Answer, RemovedKind
from retrieval.model.answer import Citation as Cited


def _known_ids(ids: Sequence[str], info: ValidationInfo[Known]) -> list[str]:
    return [id for id in ids if id in info.context.chunks]


def _known_labels(ids: Sequence[str], info: ValidationInfo[Known]) -> list[str]:
    return [info.context.chunks[id].source for id in _known_ids(ids, info)]


def _label(id: str, info: ValidationInfo[Known]) -> str:
    return info.context.chunks[id].source


def _of_known_chunks(citations: Sequence[Cited], info: ValidationInfo[Known]) -> list[Cited]:
    return [citation for citation in citations if citation.chunk in info.context.chunks]


class RouteTaken(Router):
    by: By


class Query(Out):
    query: str
    goal: str


class Plan(Out):
    queries: list[Query]
    filter: Annotated[str | None, BeforeValidator(or_none)] = at("filter_text")
    by: By
    notes: list[str]


class SelectedChunk(Out):
    """A chunk that was selected as evidence. `score` is the reranker score, 0 to 4. It may be raised for a facet that
    the question names. A document that a search for names found may have a score made from that of the document with
    the name. It is null if the chunk has no score. `round` is 1 if only the follow-up found the chunk."""

    id: str = at("chunk.id")
    source: str = at("chunk.source")
    rationale: str
    text: str = at("chunk.text")
    score: float | None = at("chunk.reference.hit.score")
    doc_key: str = at("chunk.reference.hit.key")
    index: str = at("chunk.reference.target.index")
    round: int = at("chunk.round")


class KeyPointMade(Out):
    """A key point. `chunk_ids` are the ids of its chunks, and `sources` are their labels in the same order."""

    text: str
    sources: Annotated[list[str], BeforeValidator(_known_labels)] = at("chunks")
    chunk_ids: Annotated[list[str], BeforeValidator(_known_ids)] = at("chunks")


class EvidenceFound(Out):
    """The evidence, and whether it is sufficient to answer the question. `by` is null if nobody judged.

    If no model judged, `confidence` is the calibrated probability that the index contains an answer. `is_sufficient` is
    then true if the calibration says so for the best score, and otherwise null. Without a calibration or without
    chunks, `is_sufficient` is null and there is no `confidence`. If the answer breaks off, `is_sufficient` is null.

    `more_is_useless` is true if a model that was asked for further searches judged the evidence insufficient, and named
    no search.
    """

    is_sufficient: bool | None = at("sufficient")
    confidence: Annotated[float | None, BeforeValidator(share)] = Field(default=None, exclude_if=is_none)
    confidence_kind: Literal["judged", "calibrated"] | None = Field(default=None, exclude_if=is_none)
    key_points: list[KeyPointMade]
    missing_info_questions: list[str] = at("missing")
    followup_queries: list[Query] = at("follow_ups")
    more_is_useless: bool
    by: By | None


class Citation(Out):
    """A citation of a chunk. If there is a `quote`, it is `text[start:end]` of the chunk's text, in characters."""

    chunk_id: str = at("chunk")
    source: Annotated[str, BeforeValidator(_label)] = at("chunk")
    quote: str | None
    start: int | None
    end: int | None


Citations: TypeAlias = Annotated[list[Citation], BeforeValidator(_of_known_chunks)]
"""The citations of known chunks."""


class RemovedText(Out):
    kind: RemovedKind
    text: str
    reason: str


class UnquotedText(Out):
    """Words of the answer whose quotation marks were removed. The cited chunks contain the words, but not in that exact
    wording."""

    text: str
    chunk_ids: list[str] = at("chunks")


class UnfoundedFigure(Out):
    """A figure of the answer that is neither in the chunks cited with it nor in the conversation. It may be right, for
    example as a sum. `text` is the beginning of the claim that contains the figure."""

    figure: str
    text: str
    chunk_ids: list[str] = at("chunks")


class AnswerResponse(Out):
    route: RouteTaken
    plan: Plan | None
    selected: list[SelectedChunk]
    evidence: EvidenceFound | None
    answer_markdown: str
    answer_by: By
    sources: list[str]
    citations: Citations
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
    known, judgement, text = known_of(answer), answer.judgement, answer.written
    members = {
        "route": answer.route,
        "plan": answer.plan,
        "selected": () if judgement is None else judgement.selected,
        "evidence": None if judgement is None else judgement.evidence,
        "answer_markdown": text.markdown,
        "answer_by": text.by,
        "sources": labels(text.cited, known.chunks),
        "citations": text.citations,
        "removed": text.removed,
        "unquoted": text.unquoted,
        "unfounded_figures": text.unfounded,
        "ended_by": answer.ended_by,
        "activity": list(records(answer.activity, known)),
        "totals": totals(answer.activity),
        "explained": why,
    }
    return AnswerResponse.model_validate(members, context=known)
