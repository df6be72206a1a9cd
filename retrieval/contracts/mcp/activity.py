"""The activity of a retrieval as structured content: a record for each step, with the types of 2025-05-01-preview."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.errors import detail
from retrieval.contracts.mcp.content import Out
from retrieval.contracts.rendered import timestamp
from retrieval.errors import RetrievalError
from retrieval.filters import odata
from retrieval.model.activity import (
    Activity,
    DropReason,
    RankerActivity,
    SearchActivity,
    StepActivity,
)


class StepError(Out):
    code: str
    message: str


class ModelQueryPlanning(Out):
    type: Literal["ModelQueryPlanning"]
    id: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int
    error: StepError | None


class AzureSearchQuery(Out):
    type: Literal["AzureSearchQuery"]
    id: int
    target_index: str
    search: str
    filter: str | None
    query_time: str
    count: int
    elapsed_ms: int
    dropped: dict[DropReason, int]
    guessed: Annotated[bool, Field(description="Whether it rests on what a model knows, not on a document.")]
    error: StepError | None


class AzureSearchSemanticRanker(Out):
    type: Literal["AzureSearchSemanticRanker"]
    id: int
    input_tokens: int
    elapsed_ms: int
    selected: Annotated[list[str] | None, Field(description="The ids of the references that a model selected.")]
    is_sufficient: Annotated[bool | None, Field(description="Its judgement of them; null where no model judged.")]
    warning: str | None


Record: TypeAlias = ModelQueryPlanning | AzureSearchQuery | AzureSearchSemanticRanker


def records(activity: Sequence[Activity]) -> list[Record]:
    """The records of all steps except the step `answer`. The id of a record is the position of its step in `activity`,
    from 0."""
    return [
        _record(record, number)
        for number, record in enumerate(activity)
        if not (isinstance(record, StepActivity) and record.step == "answer")
    ]


def _record(activity: Activity, number: int) -> Record:
    match activity:
        case StepActivity():
            return ModelQueryPlanning(
                type="ModelQueryPlanning",
                id=number,
                input_tokens=activity.input_tokens,
                output_tokens=activity.output_tokens,
                elapsed_ms=activity.elapsed_ms,
                error=step_error(activity.error),
            )
        case SearchActivity():
            return _search(activity, number)
        case RankerActivity():
            return AzureSearchSemanticRanker(
                type="AzureSearchSemanticRanker",
                id=number,
                input_tokens=activity.input_tokens,
                elapsed_ms=activity.elapsed_ms,
                selected=None if activity.selected is None else list(map(str, activity.selected)),
                is_sufficient=activity.is_sufficient,
                warning=activity.warning,
            )


def _search(activity: SearchActivity, number: int) -> AzureSearchQuery:
    result = activity.searched
    target = result.subquery.target
    return AzureSearchQuery(
        type="AzureSearchQuery",
        id=number,
        target_index=target.index,
        search=result.subquery.search,
        filter=None if target.filter is None else odata.text(target.filter),
        query_time=timestamp(result.ended_at),
        count=activity.found,
        elapsed_ms=result.elapsed_ms,
        dropped=dict(activity.dropped),
        guessed=result.subquery.guessed,
        error=search_error(activity),
    )


def search_error(activity: SearchActivity) -> StepError | None:
    """The error of a search that failed or whose results were not all ranked. None if there is no error."""
    result = activity.searched
    return step_error(result.fault)


def step_error(error: RetrievalError | None) -> StepError | None:
    """The code and the message of an error, in the form that a record has. None if there is no error."""
    if error is None:
        return None
    error_detail = detail(error)
    return StepError(code=error_detail.code, message=error_detail.message)
