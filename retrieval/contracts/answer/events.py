"""The progress of an answer as server-sent events. The events `block` and `revision` make the `answer_markdown` of the
event `end`. In the workflow form, they make the `assistant_message` if the question needs no documents.

This project defines the contract.
"""

from collections.abc import Mapping
from typing import Any, Final, assert_never

from retrieval.contracts.answer.response import AnswerResponse, Citations, Plan, RouteTaken
from retrieval.contracts.answer.shapes import Known, Out, RoundFacts, SearchRecord, StepFacts, at, encode, facts
from retrieval.contracts.answer.workflow import Workflow
from retrieval.contracts.azure.errors import ErrorResponse
from retrieval.contracts.rendered import event
from retrieval.model.activity import DropReason, OmitReason, RoundActivity, Step, StepActivity
from retrieval.model.answer import BlockKind, RouteDecision
from retrieval.model.progress import (
    BlockAdded,
    BlocksRevised,
    Planned,
    Progress,
    Reason,
    RoundEnded,
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
    doc_key: str = at("reference.hit.key")
    index: str = at("reference.target.index")
    score: float | None = at("reference.hit.score")


class References(Out):
    """The new chunks of a round. The counts are those of the round's record."""

    round: int = at("record.round")
    found: int = at("record.found")
    gathered: int = at("record.gathered")
    omitted: dict[DropReason | OmitReason, int] = at("record.omitted")
    references: list[ChunkReference] = at("chunks")


class AnswerBlock(Out):
    """A block of the answer. `markdown` includes the separator from the block before."""

    id: int
    kind: BlockKind = at("block.kind")
    markdown: str = at("block.markdown")
    citations: Citations = at("block.citations")


class Revision(Out):
    """Blocks that replace the earlier blocks with the same ids. A block with an empty `markdown` deletes the earlier
    block."""

    reason: Reason
    blocks: list[AnswerBlock]


class ActivityEnded(Out):
    record: StepFacts | RoundFacts


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
"""The type of the data of each event, by its name. `end` is the last event. Its data is the answer that a caller
without events gets."""

NAMES: Final[Mapping[Any, str]] = {shape: name for name, shape in SHAPES.items()}


class ProgressEvents:
    """Makes the events of one answer. It remembers the goals and chunks of earlier events, because later events refer
    to them."""

    def __init__(self) -> None:
        self._known = Known()

    def event(self, progress: Progress) -> bytes:
        """The encoded event for this progress."""
        shape = self._shape(progress)
        return event(NAMES[type(shape)], encode(shape))

    def _shape(self, progress: Progress) -> Out:
        match progress:
            case RouteDecision():
                return RouteTaken.model_validate(progress)
            case StepBegun():
                return StepStarted.model_validate(progress)
            case Planned():
                self._known.goals.update((query.query, query.goal) for query in progress.plan.queries)
                plan = dict(Plan.model_validate(progress.plan))
                return PlanSoFar.model_construct(**plan, round=progress.round, is_complete=progress.is_complete)
            case SearchEnded():
                search = dict(SearchRecord.model_validate(progress.search, context=self._known))
                return SearchDone.model_construct(**search, round=progress.round)
            case RoundEnded():
                self._known.chunks.update((chunk.id, chunk) for chunk in progress.chunks)
                return References.model_validate(progress)
            case BlockAdded():
                return AnswerBlock.model_validate(progress, context=self._known)
            case BlocksRevised():
                return Revision.model_validate(progress, context=self._known)
            case StepActivity() | RoundActivity():
                return ActivityEnded(record=facts(progress, self._known))
            case _:
                assert_never(progress)
