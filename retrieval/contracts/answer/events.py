"""The progress of an answer as server-sent events. The events `block` and `revision` make the `answer_markdown` of the
event `end`. In the workflow form, they make the `assistant_message` if the question needs no documents.

This project defines the contract.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, assert_never

from retrieval.contracts.answer.response import AnswerResponse, Citation, Plan, RouteTaken, citation, plan, route
from retrieval.contracts.answer.shapes import (
    Out,
    RoundFacts,
    SearchRecord,
    StepFacts,
    encode,
    round_facts,
    search_record,
    step_facts,
)
from retrieval.contracts.answer.workflow import Workflow
from retrieval.contracts.azure.errors import ErrorResponse
from retrieval.contracts.rendered import Rendered, event
from retrieval.model.activity import DropReason, OmitReason, RoundActivity, Step, StepActivity
from retrieval.model.answer import (
    BlockAdded,
    BlockKind,
    BlocksRevised,
    Chunk,
    Planned,
    Progress,
    Reason,
    RoundEnded,
    RouteDecision,
    SearchEnded,
    StepBegun,
)


class PlanSoFar(Plan):
    """The plan of a round, as far as it is known. Each event `plan` of a round replaces the previous one. In the last
    event, `is_complete` is true, unless the question needs no documents."""

    round: int
    is_complete: bool


class StepStarted(Out):
    """A step for which the server of CHAT_URL is asked now. Without CHAT_URL there is no such event."""

    step: Step
    started_ms: int


class SearchDone(SearchRecord):
    """A search that has ended. `dropped` counts only documents below the threshold. Merging the searches drops other
    documents later."""

    round: int


class ChunkReference(Out):
    """A chunk that the answer may cite. `score` is the reranker score, 0 to 4. It is null if the chunk was not
    reranked."""

    id: str
    source: str
    doc_key: str
    index: str
    score: float | None


class References(Out):
    """The new chunks of a round. The counts are those of the round's record."""

    round: int
    found: int
    gathered: int
    omitted: dict[DropReason | OmitReason, int]
    references: list[ChunkReference]


class AnswerBlock(Out):
    """A block of the answer. `markdown` includes the separator from the block before."""

    id: int
    kind: BlockKind
    markdown: str
    citations: list[Citation]


class Revision(Out):
    """Blocks that replace the earlier blocks with the same ids. A block with an empty `markdown` deletes the earlier
    block."""

    reason: Reason
    blocks: list[AnswerBlock]


class ActivityEnded(Out):
    record: StepFacts | RoundFacts


Name = Literal["route", "step", "plan", "search", "references", "block", "revision", "activity"]

SHAPES: Final[Mapping[str, Any]] = {
    "route": RouteTaken,
    "step": StepStarted,
    "plan": PlanSoFar,
    "search": SearchDone,
    "references": References,
    "block": AnswerBlock,
    "revision": Revision,
    "activity": ActivityEnded,
    "end": AnswerResponse | Workflow,
    "error": ErrorResponse,
}
"""The type of the data of each event, by its name."""


def end_event(answer: Rendered) -> bytes:
    """The event `end`, which is the last event. Its data is the answer that a caller without events gets."""
    return event("end", answer.content)


class ProgressEvents:
    """Makes the events of one answer. It remembers the goals and chunks of earlier events, because later events refer
    to them."""

    def __init__(self) -> None:
        self._goals: dict[str, str] = {}
        self._chunks: dict[str, Chunk] = {}

    def event(self, progress: Progress) -> bytes:
        """The encoded event for this progress."""
        name, shape = self._shape(progress)
        return event(name, encode(shape))

    def _shape(self, progress: Progress) -> tuple[Name, Out]:
        match progress:
            case RouteDecision():
                return "route", route(progress)
            case StepBegun():
                return "step", StepStarted(step=progress.step, started_ms=progress.started_ms)
            case Planned():
                self._goals |= {query.query: query.goal for query in progress.plan.queries}
                members = dict(plan(progress.plan))
                return "plan", PlanSoFar(**members, round=progress.round, is_complete=progress.is_complete)
            case SearchEnded():
                members = dict(search_record(progress.search, self._goals))
                return "search", SearchDone(**members, round=progress.round)
            case RoundEnded():
                self._chunks |= {chunk.id: chunk for chunk in progress.chunks}
                return "references", _references(progress)
            case BlockAdded():
                return "block", self._block(progress)
            case BlocksRevised():
                blocks = [self._block(block) for block in progress.blocks]
                return "revision", Revision(reason=progress.reason, blocks=blocks)
            case StepActivity():
                return "activity", ActivityEnded(record=step_facts(progress))
            case RoundActivity():
                return "activity", ActivityEnded(record=round_facts(progress, self._goals))
            case _:
                assert_never(progress)

    def _block(self, added: BlockAdded) -> AnswerBlock:
        block = added.block
        return AnswerBlock(
            id=added.id,
            kind=block.kind,
            markdown=block.markdown,
            citations=[citation(cited, self._chunks) for cited in block.citations if cited.chunk in self._chunks],
        )


def _references(ended: RoundEnded) -> References:
    record = ended.record
    return References(
        round=record.round,
        found=record.found,
        gathered=record.gathered,
        omitted=dict(record.omitted),
        references=[
            ChunkReference(
                id=chunk.id,
                source=chunk.source,
                doc_key=chunk.reference.hit.key,
                index=chunk.reference.target.index,
                score=chunk.reference.hit.score,
            )
            for chunk in ended.chunks
        ],
    )
