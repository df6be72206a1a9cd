"""The steps and rounds of a call, and their totals. Ids count from 0; times are milliseconds.

A round's `found` is `gathered` and everything in `omitted`; a search's `count` is `returned` and everything in
`dropped`.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from retrieval.contracts.answer.shapes import Out
from retrieval.contracts.azure.errors import ErrorDetail, detail_or_none, is_none
from retrieval.filters import odata
from retrieval.model.activity import (
    AnswerActivity,
    By,
    DropReason,
    OmitReason,
    RoundActivity,
    SearchActivity,
    Skipped,
    Step,
    StepActivity,
)
from retrieval.model.answer import Answer


class StepRecord(Out):
    type: Literal["step"] = "step"
    id: int
    step: Step
    by: By
    prompt: str | None
    started_ms: int
    elapsed_ms: int
    input_tokens: int
    output_tokens: int
    error: ErrorDetail | None = Field(default=None, exclude_if=is_none)
    skipped: Skipped | None = Field(default=None, exclude_if=is_none)
    notes: list[str]


class SearchRecord(Out):
    index: str
    query: str
    goal: str
    filter: str | None
    count: int
    returned: int
    dropped: dict[DropReason, int]
    elapsed_ms: int
    error: ErrorDetail | None = Field(default=None, exclude_if=is_none)


class RoundRecord(Out):
    type: Literal["round"] = "round"
    id: int
    round: int
    started_ms: int
    elapsed_ms: int
    searches: list[SearchRecord]
    found: int
    gathered: int
    omitted: dict[DropReason | OmitReason, int]
    notes: list[str]


class Totals(Out):
    """`elapsed_ms` is the time at which the last step ended."""

    model_calls: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int


def records(answer: Answer) -> list[StepRecord | RoundRecord]:
    """A record for each step and round, in the order in which they began."""
    goals = {result.query.query: result.query.goal for result in answer.results}
    return [
        _step(entry, id) if isinstance(entry, StepActivity) else _round(entry, id, goals)
        for id, entry in enumerate(answer.activity)
    ]


def totals(activity: Sequence[AnswerActivity]) -> Totals:
    """The totals of all steps. A model call that failed or was abandoned counts too: its step has a prompt."""
    steps = [entry for entry in activity if isinstance(entry, StepActivity)]
    return Totals(
        model_calls=sum(step.prompt is not None for step in steps),
        input_tokens=sum(step.input_tokens for step in steps),
        output_tokens=sum(step.output_tokens for step in steps),
        elapsed_ms=max((entry.started_ms + entry.elapsed_ms for entry in activity), default=0),
    )


def _step(step: StepActivity, id: int) -> StepRecord:
    return StepRecord(
        id=id,
        step=step.step,
        by=step.by,
        prompt=step.prompt,
        started_ms=step.started_ms,
        elapsed_ms=step.elapsed_ms,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        error=detail_or_none(step.error),
        skipped=step.skipped,
        notes=list(step.notes),
    )


def _round(round: RoundActivity, id: int, goals: dict[str, str]) -> RoundRecord:
    return RoundRecord(
        id=id,
        round=round.round,
        started_ms=round.started_ms,
        elapsed_ms=round.elapsed_ms,
        searches=[_search(search, goals) for search in round.searches],
        found=round.found,
        gathered=round.gathered,
        omitted=dict(round.omitted),
        notes=list(round.notes),
    )


def _search(activity: SearchActivity, goals: dict[str, str]) -> SearchRecord:
    result = activity.searched
    target = result.subquery.target
    return SearchRecord(
        index=target.index,
        query=result.subquery.search,
        goal=goals.get(result.subquery.search, ""),
        filter=None if target.filter is None else odata.text(target.filter),
        count=activity.found,
        returned=activity.found - sum(activity.dropped.values()),
        dropped=dict(activity.dropped),
        elapsed_ms=result.elapsed_ms,
        error=detail_or_none(result.error or result.page.unranked),
    )
