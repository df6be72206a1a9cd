"""The events for a caller while an answer is made. `Progress` is any of them. The searches and the model calls of a
retrieve report theirs too, so the data classes of an answer are not loaded here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retrieval.model.activity import RoundActivity, SearchActivity, Step, StepActivity
from retrieval.model.retrieval import Chunk, QueryPlan

if TYPE_CHECKING:
    from retrieval.model.answer import RouteDecision, ShownBlock


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


Reason: TypeAlias = Literal["continued", "conclusion", "check"]
"""The reasons why a block changes: the next sentence took over its citation, a second writer began, or the whole answer
was checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """The end of a round's searches. `chunks` are the new chunks of the round."""

    record: RoundActivity
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAdded:
    """A new block of the answer. The ids of the blocks count from 0."""

    id: int
    block: "ShownBlock"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksRevised:
    """Blocks that replace the blocks with the same ids. A block without Markdown is taken back."""

    reason: Reason
    blocks: tuple[BlockAdded, ...]


Progress: TypeAlias = (
    "StepBegun | Planned | SearchEnded | RoundEnded | BlockAdded | BlocksRevised | RouteDecision | StepActivity"
    " | RoundActivity"
)
