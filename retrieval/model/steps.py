"""The records of the answer workflow: one for each step and each retrieval."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrieval.errors import BackendError, BadModelReply
from retrieval.model.activity import By, DropReason, SearchActivity
from retrieval.model.chunk import OmitReason

Step: TypeAlias = Literal["route", "plan", "judge", "answer", "conclude"]
Limit: TypeAlias = Literal["runtime", "tokens"]
Skipped: TypeAlias = Limit | Literal["not needed"]
"""Why a model was not asked, or its reply was not awaited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepActivity:
    """A step. `started_ms` counts from the start of the call. Without `by` model it cost no tokens.

    With an `error` or a `skipped` the rules replaced the model. `notes` say what was dropped or changed.
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

    `notes` say how the plan's filter was used.
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
