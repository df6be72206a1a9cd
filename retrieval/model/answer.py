"""The hub of the answer workflow: what its steps hand to each other, and what a call gives back.

Frozen values, like `model`. Empty is `()`; None means that nobody said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from retrieval.errors import BackendError, BadModelReply
from retrieval.filters.tree import Filter
from retrieval.model.activity import By, DropReason, SearchActivity
from retrieval.model.conversation import Message
from retrieval.model.retrieval import Reference, RetrievalRequest
from retrieval.model.search import SearchTarget

Step: TypeAlias = Literal["route", "plan", "judge", "answer", "conclude"]
Limit: TypeAlias = Literal["runtime", "tokens"]
Skipped: TypeAlias = Limit | Literal["not needed"]
"""Why a model was not asked, or not waited for."""

OmitReason: TypeAlias = Literal["near_duplicate", "limit", "budget", "empty", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """What one call may use. `runtime` in seconds; `tokens` of all model calls together, in and out."""

    queries: int = 3
    follow_ups: int = 1
    chunks: int = 8
    runtime: float = 60.0
    tokens: int = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """A call, every default filled in. `targets` hold the caller's filters. `nonce` fences data in prompts; nobody
    outside can guess it."""

    messages: tuple[Message, ...]
    targets: tuple[SearchTarget, ...]
    limits: AnswerLimits = AnswerLimits()
    user_token: str | None = field(default=None, repr=False)
    nonce: str

    @property
    def retrieval(self) -> RetrievalRequest:
        """What of it the engine plans and searches."""
        return RetrievalRequest(
            messages=self.messages,
            targets=self.targets,
            effort="medium",
            most_queries=self.limits.queries,
            max_output_tokens=self.limits.tokens,
            max_runtime=self.limits.runtime,
            user_token=self.user_token,
        )

    @property
    def question(self) -> str:
        """The last user message."""
        return next(message.text for message in reversed(self.messages) if message.role == "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Whether documents are needed. `reply` is said instead of an answer where they are not."""

    run_rag: bool
    reply: str = ""
    by: By
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """A search text and what it is to find."""

    query: str
    goal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """What is searched for. `filter` is one a model wrote and the index can answer, `filter_text` is it in OData.

    `filter_index` is the one whose fields it names. `notes` say what of the reply was not used, and why.
    """

    queries: tuple[PlannedQuery, ...]
    filter: Filter | None = None
    filter_text: str = ""
    filter_index: str | None = None
    history: tuple[Message, ...] = ()
    by: By
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text that an answer may rest on. `id` is `c1`, `c2`, … within a call, `source` its label for people.

    `text` is the document's own, cut at the end where it is longer than a chunk may be. `round` is 0 for what the plan
    found and 1 for what the follow-up added.
    """

    id: str
    source: str
    text: str
    reference: Reference
    round: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The chunks that the next steps see, best first, and how many references became none, by reason."""

    chunks: tuple[Chunk, ...]
    omitted: Mapping[OmitReason, int] = field(default_factory=dict)


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


RemovedKind: TypeAlias = Literal["citation", "quotation", "link", "image", "markup", "sentence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What an answer said and may not say. `text` is it, cut to 200 characters."""

    kind: RemovedKind
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A place of the answer that rests on a chunk. `quote` is what is said to stand there word for word, if anything.

    `start` and `end` are the places of the quote in the chunk's text, in characters.
    """

    chunk: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer in Markdown whose every citation holds. `markdown` cites by `[source]`."""

    markdown: str
    citations: tuple[Citation, ...] = ()
    removed: tuple[Removed, ...] = ()
    by: By

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the chunks that are cited, each once, in the order of the text."""
        return tuple(dict.fromkeys(citation.chunk for citation in self.citations))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepActivity:
    """A step. `started_ms` counts from the start of the call. Without `by` model it cost no tokens.

    With an `error` or a `skipped` the rules took the model's place. `notes` say what was dropped or changed.
    """

    step: Step
    by: By
    prompt: str | None = None
    started_ms: int
    elapsed_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    error: BackendError | BadModelReply | None = None
    skipped: Skipped | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundActivity:
    """A retrieval: 0 for the plan's, 1 for the follow-up. `found` is `gathered` and all that was omitted.

    `notes` say what became of the plan's filter.
    """

    round: int
    started_ms: int
    elapsed_ms: int
    searches: tuple[SearchActivity, ...]
    found: int
    omitted: Mapping[DropReason | OmitReason, int]
    gathered: int
    notes: tuple[str, ...] = ()


AnswerActivity: TypeAlias = StepActivity | RoundActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """What one query of a round found, as chunks: for the payload of the original's retriever."""

    query: PlannedQuery
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call gives back. With `ended_by`, these limits ended a step early, and the answer is the best so far."""

    route: Route
    plan: QueryPlan | None = None
    chunks: tuple[Chunk, ...] = ()
    results: tuple[QueryResult, ...] = ()
    judgement: Judgement | None = None
    written: Written
    ended_by: tuple[Limit, ...] = ()
    activity: tuple[AnswerActivity, ...] = ()
