"""Evidence: which chunks an answer may rest on, and whether they are enough."""

from dataclasses import dataclass

from retrieval.model.activity import By
from retrieval.model.chunk import Chunk
from retrieval.model.plan import PlannedQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A chunk that was chosen, and why."""

    chunk: Chunk
    rationale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoint:
    """What the chunks of these ids say."""

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Whether the chunks answer the question. `confidence` is 0 to 1.

    By rules it is a prior: how much of the question the best chunk says, not a judgement of what it says.
    """

    sufficient: bool
    confidence: float
    key_points: tuple[KeyPoint, ...] = ()
    missing: tuple[str, ...] = ()
    follow_ups: tuple[PlannedQuery, ...] = ()
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was selected, and whether it is enough. `notes` say what of the reply was not used, and why."""

    selected: tuple[Selected, ...]
    evidence: Evidence
    notes: tuple[str, ...] = ()
