"""The activity of a call: a record for each step, and the events of its steps as they happen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from retrieval.errors import BackendError, BadModelReply
from retrieval.model.conversation import Prompt
from retrieval.model.definitions import Effort, ModelDeployment
from retrieval.model.search import Searched, Subquery

By: TypeAlias = Literal["model", "rules"]
"""The decider: a chat model, or the deterministic rules that replace it."""

Step: TypeAlias = Literal["route", "plan", "judge", "answer"]
Kind: TypeAlias = Step | Literal["round", "search", "merge", "ground"]

DropReason: TypeAlias = Literal[
    "threshold", "duplicate", "limit", "excluded", "filter", "error", "budget", "not needed"
]
OmitReason: TypeAlias = Literal["near_duplicate", "limit", "budget", "empty", "known"]
"""The reasons why a search counts a document as dropped, and why a reference did not become a chunk."""

Limit: TypeAlias = Literal["runtime", "tokens"]
Skipped: TypeAlias = Limit | Literal["not needed"]
"""The reasons why a model was not asked, or why its reply was not used."""

EndedBy: TypeAlias = Literal["runtime", "tokens", "reply"]
"""What ended a call early: a limit, or a reply of the writer that broke off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepActivity:
    """A step of a model, or of the rules. `started_ms` counts from the start of the call.

    A step has an `id`, a `question` and a `prompt` only if a model was asked; `prompt` is the version of the prompt.
    `by` is "model" if the result comes from a whole reply of the model, even if parts of the reply were dropped. If
    there is an `error` or a `skipped`, `by` is "rules", but the part of a reply that was already shown may be kept.
    `notes` say which parts of the reply were dropped or changed, and what else was left out or not needed.
    `server_notes` say how the server of CHAT_URL was asked, and what it left out.
    """

    step: Step
    by: By
    prompt: str | None = None
    question: Prompt | None = field(default=None, repr=False)
    model: ModelDeployment | None = None
    started_ms: int = 0
    started_at: datetime | None = None
    elapsed_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    error: BackendError | BadModelReply | None = None
    skipped: Skipped | None = None
    notes: tuple[str, ...] = ()
    server_notes: tuple[str, ...] = ()
    id: int | None = None

    @property
    def every_note(self) -> tuple[str, ...]:
        """The notes of the step, and then those of the server."""
        return (*self.notes, *self.server_notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchActivity:
    """One sub-query: the documents found, and how many of them were dropped, by reason.

    `dropped["budget"]` counts documents that did not fit into the grounding text, and `dropped["not needed"]` those
    that it lacks because a model called others sufficient. `dropped["limit"]` includes `beyond`, the documents beyond
    the `usual` number of the effort.
    """

    searched: Searched
    found: int
    dropped: Mapping[DropReason, int]
    beyond: int = 0
    usual: int | None = None

    @property
    def returned(self) -> int:
        """The number of documents that were not dropped."""
        return self.found - sum(self.dropped.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundActivity:
    """One round of searches of an answer. Round 0 has the searches of the plan, and round 1 the searches of the
    follow-up. `found` is the sum of `gathered` and `omitted`.

    With `in_turns` the best chunk of each search comes first, then the second chunk of each search, and so on. `lost`
    has the reason why a document did not become a chunk, by the index and key of the document. `notes` say how the
    plan's filter was used, which sources were searched again without their query hints, and how many documents of a
    follow-up were placed among the documents of the first round.
    """

    round: int
    started_ms: int
    elapsed_ms: int
    searches: tuple[SearchActivity, ...]
    found: int
    omitted: Mapping[DropReason | OmitReason, int]
    gathered: int
    in_turns: bool = False
    lost: Mapping[tuple[str, str], DropReason | OmitReason] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerActivity:
    """The semantic ranking of all sub-queries. `input_tokens` is an estimate for all documents that were scored,
    whether they were kept or not.

    `elapsed_ms` is the time of the slowest search. Ranking happens inside the search, so its own time is not known.
    `effort` is the effort that the call used, and `by` says who planned. `selected` are the ids of the references that
    a model selected, best first, and `is_sufficient` its judgement of them. Both are None where no model judged.
    """

    input_tokens: int
    elapsed_ms: int
    started_at: datetime | None = None
    effort: Effort = "low"
    by: By = "rules"
    selected: tuple[int, ...] | None = None
    is_sufficient: bool | None = None
    warning: str | None = None


Activity: TypeAlias = StepActivity | SearchActivity | RankerActivity
"""The records of a retrieval. In a response, the id of a record is its position."""

AnswerActivity: TypeAlias = StepActivity | RoundActivity
"""The records of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Begun:
    """An activity that has begun. `queries` is the number of queries of a round, and `subquery` is the sub-query of a
    search.

    `id` is the id of the activity's record. Only searches, and steps for which a model is asked, have one.
    """

    kind: Kind
    id: int | None = None
    round: int = 0
    queries: int = 0
    subquery: Subquery | None = None


@dataclass(slots=True, kw_only=True)
class Ended:
    """The end of an activity, whose facts are set while it goes on. `by` says whether a model or the rules did the
    work. `error` is set if the activity failed or was cancelled. `count` is the number of its results: queries of a
    plan, documents that a search found, references after a merge, chunks of a round, documents in the grounding text.
    `record` is the record of a step or of a search, as far as it is known at that time.
    """

    begun: Begun
    by: By | None = None
    count: int | None = None
    record: StepActivity | SearchActivity | None = None
    error: BaseException | None = None
