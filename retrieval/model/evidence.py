"""Evidence: which chunks support an answer, and whether they are enough."""

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
    """A statement that the chunks of these ids support."""

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Whether the chunks answer the question, and how likely, 0 to 1; None where nobody judged.

    `more_is_useless` says that a model expects nothing of searching more, where it is not sufficient. By rules
    `sufficient` is true where the calibration of an index says so of the best score, and None elsewhere.
    """

    sufficient: bool | None = None
    confidence: float | None = None
    key_points: tuple[KeyPoint, ...] = ()
    missing: tuple[str, ...] = ()
    follow_ups: tuple[PlannedQuery, ...] = ()
    more_is_useless: bool = False
    by: By | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The selection, and whether it is enough. `notes` say which parts of the reply were not used, and why."""

    selected: tuple[Selected, ...]
    evidence: Evidence
    notes: tuple[str, ...] = ()
