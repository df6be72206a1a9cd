"""Chunks: texts of documents that an answer may rest on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.model.activity import OmitReason
from retrieval.model.retrieval import Key, Reference


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
    """The chunks that the next steps see, best first, and the number of references without a chunk, by reason.

    `lost` has the reason of each, but of those that are known.
    """

    chunks: tuple[Chunk, ...]
    omitted: Mapping[OmitReason, int] = field(default_factory=dict)
    lost: Mapping[Key, OmitReason] = field(default_factory=dict)
