"""What the forms of the answer and its events share: the base class of their shapes, the JSON encoder, helpers for
chunks, and the records of the steps and rounds of a call, with their totals. Ids count from 0. Times are in
milliseconds.

In a round, `found` is the sum of `gathered` and the counts in `omitted`. In a search, `count` is the sum of `returned`
and the counts in `dropped`.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticSerializationError

from retrieval.contracts.azure.errors import ErrorDetail, detail, is_none
from retrieval.errors import RetrievalError
from retrieval.filters import odata
from retrieval.filters.tree import Filter
from retrieval.model.activity import AnswerActivity, By, DropReason, OmitReason, Skipped, Step, StepActivity
from retrieval.model.answer import Answer
from retrieval.model.retrieval import Chunk


class Out(BaseModel):
    """The base class of the shapes of an answer. A member is read from the attribute with its name, or from the path
    that it states. Unknown members are not allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True, allow_inf_nan=False, defer_build=True)


def at(path: str, **more: Any) -> Any:
    """A member that is read from this path of attributes. `more` are further arguments of its field."""
    return Field(validation_alias=AliasPath(*path.split(".")), **more)


@dataclass(frozen=True, slots=True)
class Known:
    """What shapes look up while they are read: the goal of each query by its text, and each chunk by its id."""

    goals: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, Chunk] = field(default_factory=dict)


def known_of(answer: Answer) -> Known:
    """The goals of the queries, and every chunk of the call."""
    goals = {result.query.query: result.query.goal for result in answer.results}
    result_chunks = (chunk for result in answer.results for chunk in result.chunks)
    choices = () if answer.judgement is None else answer.judgement.selected
    every = (*answer.chunks, *result_chunks, *(choice.chunk for choice in choices))
    return Known(goals, {chunk.id: chunk for chunk in every})


def or_none(value: object) -> object:
    """The value; None if it is false or empty."""
    return value or None


def _detail(error: RetrievalError | None) -> ErrorDetail | None:
    return None if error is None else detail(error)


def _filter_text(filter: Filter | None) -> str | None:
    return None if filter is None else odata.text(filter)


def _goal(query: str, info: ValidationInfo[Known]) -> str:
    return info.context.goals.get(query, "")


def encode(shape: Out) -> bytes:
    """Encodes a shape as UTF-8 JSON. A model can write a lone surrogate, which UTF-8 cannot encode. It becomes a
    question mark."""
    with suppress(PydanticSerializationError):
        return shape.model_dump_json(by_alias=True).encode()
    value = shape.model_dump(mode="json", by_alias=True)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def labels(ids: Sequence[str], chunks: Mapping[str, Chunk]) -> list[str]:
    """The labels of the chunks with these ids, in the order of `ids`. Each label comes once."""
    return list(dict.fromkeys(chunks[id].source for id in ids if id in chunks))


def share(value: float | None) -> float | None:
    """The value clamped to the range from 0 to 1. NaN becomes 0, and None stays None."""
    if value is None:
        return None
    return 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)


def _route(runs: bool) -> str:
    return "run_rag" if runs else "no_rag"


class Router(Out):
    should_run_rag: bool = at("run_rag")
    route: Annotated[Literal["run_rag", "no_rag"], BeforeValidator(_route)] = at("run_rag")
    assistant_message: str = at("reply")


Fault: TypeAlias = Annotated[ErrorDetail | None, BeforeValidator(_detail)]
Guess: TypeAlias = Annotated[Literal[True] | None, BeforeValidator(or_none)]


class StepFacts(Out):
    type: Literal["step"] = "step"
    step: Step
    by: By
    prompt: str | None
    started_ms: int
    elapsed_ms: int
    input_tokens: int
    output_tokens: int
    error: Fault = Field(default=None, exclude_if=is_none)
    skipped: Skipped | None = Field(default=None, exclude_if=is_none)
    notes: list[str] = at("every_note")


class SearchRecord(Out):
    index: str = at("searched.subquery.target.index")
    query: str = at("searched.subquery.search")
    goal: Annotated[str, BeforeValidator(_goal)] = at("searched.subquery.search")
    filter: Annotated[str | None, BeforeValidator(_filter_text)] = at("searched.subquery.target.filter")
    count: int = at("found")
    returned: int
    dropped: dict[DropReason, int]
    elapsed_ms: int = at("searched.elapsed_ms")
    guessed: Guess = at("searched.subquery.guessed", default=None, exclude_if=is_none)
    error: Fault = at("searched.fault", default=None, exclude_if=is_none)


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


def facts(activity: AnswerActivity, known: Known) -> StepFacts | RoundFacts:
    """The record of a step or a round, without its id."""
    return (StepFacts if isinstance(activity, StepActivity) else RoundFacts).model_validate(activity, context=known)


def records(activity: Sequence[AnswerActivity], known: Known) -> Iterator[StepRecord | RoundRecord]:
    """A record for each step and round, in the order in which they began."""
    for id, entry in enumerate(activity):
        kind = StepRecord if isinstance(entry, StepActivity) else RoundRecord
        yield kind.model_construct(id=id, **dict(facts(entry, known)))


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
