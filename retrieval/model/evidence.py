"""Evidence: which chunks support an answer, and whether they are enough."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
class Part:
    """A part of the question, the ids of the chunks that speak of it, and whether one answers it."""

    text: str
    chunks: tuple[str, ...]
    answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Whether the chunks answer the question. `confidence` is 0 to 1.

    `more_is_useless` says that a model expects nothing of searching more, where it is not sufficient.

    By rules it is a prior from `signals` of what was returned, not a judgement of its meaning; the rules judge each of
    `parts`, and one that is not answered makes the whole insufficient.
    """

    sufficient: bool
    confidence: float
    key_points: tuple[KeyPoint, ...] = ()
    missing: tuple[str, ...] = ()
    follow_ups: tuple[PlannedQuery, ...] = ()
    more_is_useless: bool = False
    parts: tuple[Part, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The selection, and whether it is enough. `notes` say which parts of the reply were not used, and why."""

    selected: tuple[Selected, ...]
    evidence: Evidence
    notes: tuple[str, ...] = ()
