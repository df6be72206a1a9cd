"""What the forms of the answer and its events share: the base class of their shapes, the JSON encoder, helpers for
chunks, and the records of the steps and rounds of a call, with their totals. Ids count from 0. Times are in
milliseconds.

In a round, `found` is the sum of `gathered` and the counts in `omitted`. In a search, `count` is the sum of `returned`
and the counts in `dropped`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError

from retrieval.contracts.azure.errors import ErrorDetail, detail, is_none
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
from retrieval.model.answer import Answer, Chunk


class Out(BaseModel):
    """The base class of the shapes of an answer. Unknown members are not allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


def encode(shape: Out) -> bytes:
    """Encodes a shape as UTF-8 JSON. A model can write a lone surrogate, which UTF-8 cannot encode. It becomes a
    question mark."""
    with suppress(PydanticSerializationError):
        return shape.model_dump_json(by_alias=True).encode()
    value = shape.model_dump(mode="json", by_alias=True)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def chunks_of(answer: Answer) -> Mapping[str, Chunk]:
    """Every chunk of the call, by its id."""
    result_chunks = (chunk for result in answer.results for chunk in result.chunks)
    choices = () if answer.judgement is None else answer.judgement.selected
    return {chunk.id: chunk for chunk in (*answer.chunks, *result_chunks, *(choice.chunk for choice in choices))}


def labels(ids: Sequence[str], chunks: Mapping[str, Chunk]) -> list[str]:
    """The labels of the chunks with these ids, in the order of `ids`. Each label comes once."""
    return list(dict.fromkeys(chunks[id].source for id in ids if id in chunks))


def share(value: float | None) -> float | None:
    """The value clamped to the range from 0 to 1. NaN becomes 0, and None stays None."""
    if value is None:
        return None
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)


class StepFacts(Out):
    type: Literal["step"] = "step"
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
    guessed: Literal[True] | None = Field(default=None, exclude_if=is_none)
    error: ErrorDetail | None = Field(default=None, exclude_if=is_none)


class RoundFacts(Out):
    type: Literal["round"] = "round"
    round: int
    started_ms: int
    elapsed_ms: int
    searches: list[SearchRecord]
    found: int
    gathered: int
    omitted: dict[DropReason | OmitReason, int]
    notes: list[str]


class Numbered(Out):
    id: int


class StepRecord(StepFacts, Numbered):
    """The record of a step. `id` is its position in `activity`."""


class RoundRecord(RoundFacts, Numbered):
    """The record of a round. `id` is its position in `activity`."""


class Totals(Out):
    """The totals of a call. `elapsed_ms` is the time from the start of the call to the end of the last step or
    round."""

    model_calls: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int


def records(answer: Answer) -> list[StepRecord | RoundRecord]:
    """A record for each step and round, in the order in which they began."""
    goals = {result.query.query: result.query.goal for result in answer.results}
    return [
        StepRecord(id=id, **dict(step_facts(entry)))
        if isinstance(entry, StepActivity)
        else RoundRecord(id=id, **dict(round_facts(entry, goals)))
        for id, entry in enumerate(answer.activity)
    ]


def totals(activity: Sequence[AnswerActivity]) -> Totals:
    """The totals of all steps and rounds. A step with a prompt counts as a model call, even if the call failed or was
    abandoned."""
    steps = [entry for entry in activity if isinstance(entry, StepActivity)]
    return Totals(
        model_calls=sum(step.prompt is not None for step in steps),
        input_tokens=sum(step.input_tokens for step in steps),
        output_tokens=sum(step.output_tokens for step in steps),
        elapsed_ms=max((entry.started_ms + entry.elapsed_ms for entry in activity), default=0),
    )


def step_facts(step: StepActivity) -> StepFacts:
    """The record of a step, without its id."""
    return StepFacts(
        step=step.step,
        by=step.by,
        prompt=step.prompt,
        started_ms=step.started_ms,
        elapsed_ms=step.elapsed_ms,
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        error=None if step.error is None else detail(step.error),
        skipped=step.skipped,
        notes=[*step.notes, *step.server_notes],
    )


def round_facts(round: RoundActivity, goals: Mapping[str, str]) -> RoundFacts:
    """The record of a round, without its id. `goals` has the goal of each query, by the text of the query."""
    return RoundFacts(
        round=round.round,
        started_ms=round.started_ms,
        elapsed_ms=round.elapsed_ms,
        searches=[search_record(search, goals) for search in round.searches],
        found=round.found,
        gathered=round.gathered,
        omitted=dict(round.omitted),
        notes=list(round.notes),
    )


def search_record(activity: SearchActivity, goals: Mapping[str, str]) -> SearchRecord:
    """The record of a search. `goals` has the goal of each query, by the text of the query."""
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
        guessed=True if result.subquery.guessed else None,
        error=None if result.fault is None else detail(result.fault),
    )
