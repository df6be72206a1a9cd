"""The tool `knowledge_base_retrieve`: the retrieve operation over MCP.

The name of the tool and the argument `queries` come from Azure AI Search's own MCP server. This project adds
`messages`, the other arguments and the structured content, mostly with the names of the retrieve contract.
The activity has a record for each step, with the types of 2025-05-01-preview.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from retrieval.contracts.azure.request_body import Wire, filter_of
from retrieval.contracts.azure.retrieve.requests import narrow, search_target, value_or
from retrieval.contracts.azure.retrieve.responses import timestamp
from retrieval.contracts.mcp.content import (
    FilterText,
    Out,
    Query,
    StepError,
    Tool,
    content,
    extent,
    read,
    runtime,
    schema_of,
    step_error,
    text_of,
)
from retrieval.errors import BadRequest
from retrieval.filters import odata
from retrieval.model.activity import (
    Activity,
    DropReason,
    RankerActivity,
    SearchActivity,
    StepActivity,
)
from retrieval.model.conversation import Message
from retrieval.model.definitions import MOST_SUBQUERIES, Agent, Target
from retrieval.model.retrieval import USUAL_DOCUMENTS, Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import SearchTarget
from retrieval.text.source_labels import label


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
        error=step_error(result.fault),
    )


DEFAULT_OUTPUT_TOKENS: Final = 5_000
MOST_MESSAGES: Final = 1_000


class Turn(Wire):
    role: Annotated[Literal["user", "assistant", "system"], Field(description="Who says it.")]
    content: Annotated[str, Field(min_length=1, description="The text of the turn.")]


def _as_list(value: object) -> object:
    """Turns a string into a list with that string, because some clients and models send a string instead of a list."""
    return [value] if isinstance(value, str) else value


class RetrieveArguments(Wire):
    queries: Annotated[
        list[Query] | None,
        Field(max_length=MOST_SUBQUERIES, fail_fast=True, description="Searched unchanged, all at once."),
        BeforeValidator(_as_list),
    ] = None
    messages: Annotated[
        list[Turn] | None,
        Field(
            max_length=MOST_MESSAGES,
            fail_fast=True,
            description="The conversation, oldest first; turns before the first user turn guide the searches.",
        ),
    ] = None
    filter: Annotated[
        FilterText | None, Field(description="OData $filter over the index's fields; only for what the user demands.")
    ] = None
    reranker_threshold: Annotated[
        float | None, Field(ge=0, le=4, description="The minimum score of a passage; by default the agent's.")
    ] = None
    include_reference_source_data: Annotated[
        bool | None, Field(description="Whether references include the document's fields.")
    ] = None
    ground_everything: Annotated[
        bool | None, Field(description="Whether to return all that fits, even where some passages are sufficient.")
    ] = None


class FoundReference(Out):
    id: Annotated[str, Field(description="The ref_id of the grounding text.")]
    activity_source: Annotated[int, Field(description="The id of the search that found it.")]
    index: str
    doc_key: str
    source: Annotated[str, Field(description="What to cite it by.")]
    reranker_score: Annotated[float | None, Field(description="0 to 4; null where it was not ranked.")]
    source_data: dict[str, object] | None


class RetrieveResult(Out):
    grounding: Annotated[str, Field(description="The text of the answer again: a JSON array as a string.")]
    references: Annotated[list[FoundReference], Field(description="The passages of the text.")]
    activity: list[Record]


def parse(
    arguments: Mapping[str, object], agent: Agent, *, user_token: str | None, threshold: float = 0.0
) -> RetrievalRequest:
    """The request of a call. An argument that is left out gets the agent's default, or else the default of this tool.
    `threshold` is the default threshold. Raises BadRequest."""
    call = read(arguments, RetrieveArguments)
    if bool(call.queries) == bool(call.messages):
        raise BadRequest("Give either 'queries' or 'messages'.", target="queries")
    return RetrievalRequest(
        messages=_messages(call.messages or []),
        queries=tuple(text_of(query, place=f"queries[{i}]") for i, query in enumerate(call.queries or [])),
        targets=tuple(_target(target, call, threshold=threshold) for target in agent.targets),
        effort=agent.effort,
        limits=Limits(
            documents=agent.max_documents,
            usual_documents=USUAL_DOCUMENTS,
            output_tokens=agent.max_output_tokens or DEFAULT_OUTPUT_TOKENS,
            runtime=runtime(agent),
        ),
        references="grounded",
        grounds_everything=value_or(call.ground_everything, agent.ground_everything),
        user_token=user_token,
    )


def render(outcome: Outcome, request: RetrievalRequest) -> CallToolResult:
    """The result of the tool. Its text is the grounding text. Its structured content has the same text, the references
    and a record of each step."""
    result = RetrieveResult(
        grounding=outcome.grounding.text,
        references=[
            _reference(reference, i, source=outcome.search_ids[reference.subquery])
            for i, reference in enumerate(outcome.references)
        ],
        activity=records(outcome.activity),
    )
    return content(outcome.grounding.text, result)


def _messages(turns: list[Turn]) -> tuple[Message, ...]:
    messages = tuple(
        Message(role=turn.role, text=text_of(turn.content, place=f"messages[{i}].content"))
        for i, turn in enumerate(turns)
    )
    if messages and not any(message.role == "user" for message in messages):
        raise BadRequest("At least one of the messages must be the user's.", target="messages")
    return messages


def _target(target: Target, call: RetrieveArguments, *, threshold: float) -> SearchTarget:
    defaults, narrowing = search_target(target, threshold=threshold), filter_of(call.filter, target="filter")
    with_data = call.include_reference_source_data
    return replace(
        narrow(defaults, narrowing, threshold=call.reranker_threshold),
        include_source_data=bool(target.include_source_data if with_data is None else with_data),
        include_references=True,
        max_documents=target.max_documents,
    )


def _reference(reference: Reference, number: int, *, source: int) -> FoundReference:
    return FoundReference(
        id=str(number),
        activity_source=source,
        index=reference.target.index,
        doc_key=reference.hit.key,
        source=label(reference.hit),
        reranker_score=reference.hit.score,
        source_data=dict(reference.hit.source) if reference.target.include_source_data else None,
    )


TOOL: Final = Tool(
    name="knowledge_base_retrieve",
    title="Search the knowledge base",
    description=(
        "Searches the knowledge base and returns passages to answer from, as a JSON array of ref_id, title, terms and "
        "content, best first. Give either `queries`, up to five that each make sense alone, or the conversation as "
        "`messages`, from which the searches are planned. An empty array means that nothing relevant was found."
    ),
    input=schema_of(RetrieveArguments, mode="validation"),
    output=schema_of(RetrieveResult, mode="serialization"),
    parse=parse,
    extent=extent,
    render=render,
)
