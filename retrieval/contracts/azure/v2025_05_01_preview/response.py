"""The response of retrieve, api-version 2025-05-01-preview, out of the hub.

Source: Knowledge Retrieval - Retrieve (REST reference). The members `error`, `dropped` and `warning` of activity
records are ours: the published schema does not know them and clients of this version ignore what they do not know.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from retrieval.contracts.azure.errors import ErrorDetail, detail
from retrieval.contracts.rendered import Rendered
from retrieval.errors import RetrievalError
from retrieval.filters import odata
from retrieval.model.activity import (
    Activity,
    DropReason,
    RankerActivity,
    SearchActivity,
    StepActivity,
)
from retrieval.model.outcome import Outcome
from retrieval.text.timestamps import timestamp


def _is_none(value: object) -> bool:
    return value is None


CAMEL: Final = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)


class Out(BaseModel):
    """A shape of the answer."""

    model_config = CAMEL


class TextContent(Out):
    type: Literal["text"] = "text"
    text: str


class AgentMessage(Out):
    role: Literal["assistant"] = "assistant"
    content: list[TextContent]


class Query(Out):
    search: str
    filter: str | None


class ModelQueryPlanning(Out):
    type: Literal["ModelQueryPlanning"] = "ModelQueryPlanning"
    id: int
    input_tokens: int
    output_tokens: int
    elapsed_ms: int
    error: ErrorDetail | None = Field(default=None, exclude_if=_is_none)


class AzureSearchQuery(Out):
    type: Literal["AzureSearchQuery"] = "AzureSearchQuery"
    id: int
    target_index: str
    query: Query
    query_time: str
    count: int
    elapsed_ms: int
    dropped: dict[DropReason, int]
    error: ErrorDetail | None = Field(default=None, exclude_if=_is_none)


class AzureSearchSemanticRanker(Out):
    type: Literal["AzureSearchSemanticRanker"] = "AzureSearchSemanticRanker"
    id: int
    input_tokens: int
    elapsed_ms: int
    warning: str | None = Field(default=None, exclude_if=_is_none)


Record: TypeAlias = ModelQueryPlanning | AzureSearchQuery | AzureSearchSemanticRanker


@dataclass(slots=True)
class AzureSearchDoc:
    # An answer has up to 250 of them, and a model takes five times as long to make as a dataclass.
    __pydantic_config__: ClassVar = CAMEL

    type: Literal["AzureSearchDoc"]
    id: str
    activity_source: int
    doc_key: str
    source_data: dict[str, object] | None


class RetrieveResponse(Out):
    response: list[AgentMessage]
    activity: list[Record]
    references: list[AzureSearchDoc]


def render(outcome: Outcome) -> Rendered:
    """The answer to a retrieval; status 200 also when some sub-queries failed, since this version knows no 206."""
    ids = outcome.search_ids
    response = RetrieveResponse(
        response=[AgentMessage(content=[TextContent(text=outcome.grounding.text)])],
        activity=[
            _activity(activity, number)
            for number, activity in enumerate(outcome.activity)
            if not (isinstance(activity, StepActivity) and activity.step == "answer")
        ],
        references=[
            AzureSearchDoc(
                "AzureSearchDoc",
                str(number),
                ids[reference.subquery],
                reference.hit.key,
                dict(reference.hit.source) if reference.target.include_source_data else None,
            )
            for number, reference in enumerate(outcome.references)
        ],
    )
    return Rendered(status=200, body=response.model_dump_json(by_alias=True, exclude_none=False).encode())


def _activity(activity: Activity, number: int) -> ModelQueryPlanning | AzureSearchQuery | AzureSearchSemanticRanker:
    match activity:
        case StepActivity():
            return ModelQueryPlanning(
                id=number,
                input_tokens=activity.input_tokens,
                output_tokens=activity.output_tokens,
                elapsed_ms=activity.elapsed_ms,
                error=_error(activity.error),
            )
        case SearchActivity():
            return _search(activity, number)
        case RankerActivity():
            return AzureSearchSemanticRanker(
                id=number,
                input_tokens=activity.input_tokens,
                elapsed_ms=activity.elapsed_ms,
                warning=activity.warning,
            )


def _search(activity: SearchActivity, number: int) -> AzureSearchQuery:
    result = activity.searched
    target = result.subquery.target
    return AzureSearchQuery(
        id=number,
        target_index=target.index,
        query=Query(search=result.subquery.search, filter=None if target.filter is None else odata.text(target.filter)),
        query_time=timestamp(result.started_at),
        count=activity.found,
        elapsed_ms=result.elapsed_ms,
        dropped=dict(activity.dropped),
        error=_error(result.error or result.page.unranked),
    )


def _error(error: RetrievalError | None) -> ErrorDetail | None:
    return None if error is None else detail(error)
