"""The records of a retrieval, one for each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from retrieval.errors import BackendError, BadModelReply
from retrieval.model.definitions import Effort, ModelDeployment
from retrieval.model.search import Searched, Subquery

By: TypeAlias = Literal["model", "rules"]
"""The decider: a chat model, or the deterministic rules that replace it."""

Kind: TypeAlias = Literal["route", "plan", "round", "search", "merge", "judge", "answer", "conclude", "ground"]

DropReason: TypeAlias = Literal["threshold", "duplicate", "limit", "excluded", "filter", "error", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningActivity:
    """A model was asked for the plan. With an `error`, the deterministic plan was used instead."""

    elapsed_ms: int
    started_at: datetime | None = None
    model: ModelDeployment | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    error: BackendError | BadModelReply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchActivity:
    """One sub-query: the documents found, and how many of them were dropped, by reason.

    `dropped["budget"]` counts documents that are references but did not fit into the grounding text.
    """

    searched: Searched
    found: int
    dropped: Mapping[DropReason, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerActivity:
    """Semantic ranking over all sub-queries. `input_tokens` estimates everything that was scored, kept or not.

    `elapsed_ms` is that of the slowest search: ranking happens inside the search and is not timed apart. `effort` is
    the one in force, `by` the planner.
    """

    input_tokens: int
    elapsed_ms: int
    started_at: datetime | None = None
    effort: Effort = "low"
    by: By = "rules"
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisActivity:
    """An answer was written from the documents. With an `error` a model failed, and the rules wrote it."""

    elapsed_ms: int
    started_at: datetime | None = None
    model: ModelDeployment | None = None
    by: By = "model"
    input_tokens: int = 0
    output_tokens: int = 0
    error: BackendError | BadModelReply | None = None
    notes: tuple[str, ...] = ()


RetrievalActivity: TypeAlias = PlanningActivity | SearchActivity | RankerActivity
Activity: TypeAlias = RetrievalActivity | SynthesisActivity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Begun:
    """An activity that has begun. `queries` is the number that a round searches, `subquery` the one of a search."""

    kind: Kind
    round: int = 0
    queries: int = 0
    subquery: Subquery | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an activity ended: by a model or by rules, and the error if it failed or was cancelled.

    `count` is of its results: queries of a plan, documents that a search found, references that a merge left, chunks
    of a round, documents in the grounding text. Tokens are those of a model call, `searched` is the result of a search.
    """

    begun: Begun
    by: By | None = None
    count: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    searched: Searched | None = None
    error: BaseException | None = None
