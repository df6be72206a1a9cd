"""Chunks: texts that an answer may rest on; and evidence: which of them support it, and whether they are enough."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.model.activity import By, OmitReason
from retrieval.model.plan import PlannedQuery
from retrieval.model.retrieval import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text that an answer may rest on. `id` is `c1`, `c2`, … within a call, `source` its label for people.

    `text` is the document's own, cut at the end where it is longer than a chunk may be. `round` is 0 for the plan's
    chunks and 1 for the follow-up's. `heading` is where the text stands and `date` the document's, as a judge
    and a writer read them; "" where nothing says so.
    """

    id: str
    source: str
    text: str
    reference: Reference
    round: int = 0
    heading: str = ""
    date: str = ""

    @property
    def beside(self) -> tuple[str, ...]:
        """The facts about the document that a writer has beside its text."""
        return (self.source, self.heading, self.date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The chunks that the next steps see, best first, and the number of references without a chunk, by reason."""

    chunks: tuple[Chunk, ...]
    omitted: Mapping[OmitReason, int] = field(default_factory=dict)


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
