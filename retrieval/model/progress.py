"""The progress of an answer: the events for a caller while the answer is made."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrieval.model.activity import RoundActivity, SearchActivity, Step, StepActivity
from retrieval.model.answer import Chunk, RouteDecision, ShownBlock
from retrieval.model.retrieval import QueryPlan

Reason: TypeAlias = Literal["continued", "conclusion", "check"]
"""The reasons why a block changes: the next sentence took over its citation, a second writer began, or the whole answer
was checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegun:
    """A step whose call is sent to the server of CHAT_URL. `started_ms` counts from the start of the call."""

    step: Step
    started_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The plan of a round: the part that is known so far, or the whole plan where `is_complete` is true."""

    round: int
    plan: QueryPlan
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEnded:
    """A search of a round that has ended."""

    round: int
    search: SearchActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """The end of a round's searches. `chunks` are the new chunks of the round."""

    record: RoundActivity
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAdded:
    """A new block of the answer. The ids of the blocks count from 0."""

    id: int
    block: ShownBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksRevised:
    """Blocks that replace the blocks with the same ids. A block without Markdown is taken back."""

    reason: Reason
    blocks: tuple[BlockAdded, ...]


Progress: TypeAlias = (
    RouteDecision
    | StepBegun
    | Planned
    | SearchEnded
    | RoundEnded
    | BlockAdded
    | BlocksRevised
    | StepActivity
    | RoundActivity
)
