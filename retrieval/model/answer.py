"""An answer: its route, its text, the parts removed from the text, and the chunks that it rests on."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from retrieval.model.activity import AnswerActivity, By, EndedBy
from retrieval.model.retrieval import Chunk, PlannedQuery, QueryPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A chunk that was chosen, and the reason."""

    chunk: Chunk
    rationale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPoint:
    """A statement that the chunks with these ids support."""

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Whether the chunks answer the question, and the probability of that, 0 to 1. Both are None where nobody judged.

    `more_is_useless` says that the chunks are not sufficient, and that a model, asked for further searches, named none.
    If the rules judge, `sufficient` is true where the calibration of the index says so for the best score; else it is
    None. If the answer breaks off, it is None.
    """

    sufficient: bool | None = None
    confidence: float | None = None
    key_points: tuple[KeyPoint, ...] = ()
    missing: tuple[str, ...] = ()
    follow_ups: tuple[PlannedQuery, ...] = ()
    more_is_useless: bool = False
    by: By | None = None

    @property
    def confidence_kind(self) -> Literal["judged", "calibrated"] | None:
        """Whether a model judged the confidence, or the calibration of the index says it; None if there is none."""
        if self.confidence is None:
            return None
        return "judged" if self.by == "model" else "calibrated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The selected chunks, and whether they answer the question. `notes` say which parts of the reply were not used,
    and why."""

    selected: tuple[Selected, ...]
    evidence: Evidence
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDecision:
    """Whether documents are needed. If not, `reply` is the answer."""

    run_rag: bool
    reply: str = ""
    by: By
    notes: tuple[str, ...] = ()


RemovedKind: TypeAlias = Literal["citation", "quotation", "link", "image", "markup", "sentence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A part that was removed from an answer. `text` is that part, cut to 200 characters."""

    kind: RemovedKind
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unquoted:
    """Words that lost their quotation marks, since no chunk has them word for word.

    `chunks` are the ids of the chunks that are cited with them. `text` is cut to 200 characters.
    """

    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfounded:
    """A figure of a claim that is neither in the chunks cited with it nor in the conversation.

    `text` is the claim, cut to 200 characters.
    """

    figure: str
    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A place in the answer that a chunk supports. `quote` is the text of the chunk that the answer quotes, if any.

    `start` and `end` are the places of the quote in the chunk's text, in characters.
    """

    chunk: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A sentence of a model about information that the documents do not contain, and its Markdown."""

    text: str
    markdown: str


BlockKind: TypeAlias = Literal[
    "paragraph", "sentence", "heading", "bullet", "step", "header", "row", "code", "missing", "sources", "text"
]
"""The kind of a shown block. `missing` and `sources` are the sections below an answer. `text` is a whole answer that
has no blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBlock:
    """A block of an answer. Its Markdown begins with the blank or the line breaks between the block before it and this
    block.

    `place` is its number among all blocks that models wrote for this answer; None where no model wrote it.
    """

    kind: BlockKind
    markdown: str
    citations: tuple[Citation, ...] = ()
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer in Markdown whose citations have all been checked. `markdown` has citations in the form that the
    request wants: `[1]`, or `[label]`.

    `blocks` are the blocks of a model's answer. `is_cut` says that the model's reply broke off before its end.
    `missing` is not in `markdown` until the answer is completed. Then it is in `markdown` below a heading of its own.
    """

    markdown: str
    missing: tuple[Missing, ...] = ()
    citations: tuple[Citation, ...] = ()
    removed: tuple[Removed, ...] = ()
    unquoted: tuple[Unquoted, ...] = ()
    unfounded: tuple[Unfounded, ...] = ()
    by: By
    blocks: tuple[ShownBlock, ...] = ()
    is_cut: bool = False

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the chunks that are cited, each once, in the order of the text."""
        return tuple(dict.fromkeys(citation.chunk for citation in self.citations))

    @property
    def shown(self) -> tuple[ShownBlock, ...]:
        """The blocks of the answer. Joined together, their Markdown is `markdown`. A text without blocks is one
        block."""
        whole = ShownBlock(kind="text", markdown=self.markdown, citations=self.citations)
        return self.blocks or ((whole,) if self.markdown else ())

    def below(self, kind: BlockKind, *parts: str) -> "Written":
        """The answer with the `parts` below it, as one block of this `kind`."""
        text = "\n\n".join(part for part in parts if part)
        section = ShownBlock(kind=kind, markdown=f"\n\n{text}" if self.markdown else text)
        return replace(self, markdown=self.markdown + section.markdown, blocks=(*self.shown, section))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The chunks that one query of a round found, for the payload of the retriever in the Foundry workflow."""

    query: PlannedQuery
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of the answer workflow, which began at `started_at`.

    `ended_by` has the limits that ended or prevented a step, and "reply" if the answer breaks off.
    """

    route: RouteDecision
    plan: QueryPlan | None = None
    chunks: tuple[Chunk, ...] = ()
    results: tuple[QueryResult, ...] = ()
    judgement: Judgement | None = None
    written: Written
    ended_by: tuple[EndedBy, ...] = ()
    activity: tuple[AnswerActivity, ...] = ()
    started_at: datetime | None = None
