"""The tool `answer`: a whole answer with checked citations. The tool runs the workflow of `POST
agents/{name}/answer`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from retrieval import threads
from retrieval.contracts.answer.shapes import known_of
from retrieval.contracts.azure.request_body import Wire, filter_of
from retrieval.contracts.azure.retrieve.requests import chunk_target
from retrieval.contracts.mcp.content import (
    FilterText,
    Out,
    Query,
    StepError,
    Tool,
    content,
    read,
    runtime,
    schema_of,
    step_error,
    text_of,
)
from retrieval.errors import RetrievalError
from retrieval.model.activity import AnswerActivity, By, EndedBy, Step, StepActivity
from retrieval.model.answer import Answer
from retrieval.model.conversation import Message
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import ANSWER_LIMITS, RetrievalRequest


class AnswerArguments(Wire):
    question: Annotated[Query, Field(description="The question, which makes sense alone.")]
    filter: Annotated[
        FilterText | None, Field(description="OData $filter over the index's fields; only for what the user demands.")
    ] = None


class CitedText(Out):
    source: Annotated[str, Field(description="The label, as in the list of sources below the answer.")]
    doc_key: str
    quote: Annotated[str | None, Field(description="What is quoted, word for word.")]


class Failed(Out):
    step: Annotated[Step | Literal["search"], Field(description="What failed; the answer was made without it.")]
    error: StepError


class AnswerResult(Out):
    answer_markdown: Annotated[str, Field(description="The text of the answer once more.")]
    answered_by: Annotated[By, Field(description="A model, or rules that show the best passages.")]
    is_sufficient: Annotated[
        bool | None, Field(description="Whether the documents answer the question; null where nobody judged.")
    ]
    confidence: Annotated[
        float | None, Field(description="0 to 1; absent where nobody judged.", exclude_if=lambda value: value is None)
    ] = None
    ended_by: Annotated[
        list[EndedBy], Field(description="Why it ended early; `reply`: the answer breaks off, and says so.")
    ]
    missing: Annotated[list[str], Field(description="What to ask where they do not.")]
    citations: list[CitedText]
    unfounded_figures: Annotated[
        list[str], Field(description="Figures that no source cited with them has; such as a sum, or an error.")
    ]
    failed: Annotated[list[Failed], Field(description="The steps and searches that failed.")]


def parse(arguments: Mapping[str, object], agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request of a call. The limits are `ANSWER_LIMITS`, with the runtime of the agent if that is shorter. Raises
    BadRequest."""
    call = read(arguments, AnswerArguments)
    filter = filter_of(call.filter, target="filter")
    return RetrievalRequest(
        messages=(Message(role="user", text=text_of(call.question, place="question")),),
        targets=tuple(chunk_target(target, filter) for target in agent.targets),
        output="answer",
        limits=replace(ANSWER_LIMITS, runtime=min(runtime(agent), agent.usual_runtime or ANSWER_LIMITS.runtime)),
        user_token=user_token,
    )


def extent(answer: Answer) -> int:
    """The work of rendering the answer, as the number of document characters that could be read in the same time.
    `threads.CITATION` is the work for one citation."""
    return threads.CITATION * len(answer.written.citations)


def render(answer: Answer, request: RetrievalRequest) -> CallToolResult:
    """The answer in Markdown as the text. The structured content also has the judgement, the citations and the
    failures."""
    evidence = None if answer.judgement is None else answer.judgement.evidence
    chunks = known_of(answer).chunks
    result = AnswerResult(
        answer_markdown=answer.written.markdown,
        answered_by=answer.written.by,
        is_sufficient=None if evidence is None else evidence.sufficient,
        confidence=None if evidence is None else evidence.confidence,
        ended_by=list(answer.ended_by),
        missing=[] if evidence is None else list(evidence.missing),
        citations=[
            CitedText(source=chunk.source, doc_key=chunk.reference.hit.key, quote=citation.quote)
            for citation in answer.written.citations
            if (chunk := chunks.get(citation.chunk)) is not None
        ],
        unfounded_figures=[unfounded.figure for unfounded in answer.written.unfounded],
        failed=[
            Failed(step=step, error=error)
            for step, fault in _faults(answer.activity)
            if (error := step_error(fault)) is not None
        ],
    )
    return content(answer.written.markdown, result)


def _faults(activity: Sequence[AnswerActivity]) -> Iterator[tuple[Step | Literal["search"], RetrievalError | None]]:
    """The fault of each step and search; None if it has none."""
    for record in activity:
        if isinstance(record, StepActivity):
            yield record.step, record.error
        else:
            yield from (("search", search.searched.fault) for search in record.searches)


TOOL: Final = Tool(
    name="answer",
    title="Answer a question",
    description=(
        "Answers one question from the documents and cites them: plans, searches, judges the evidence, follows up once "
        "and writes. Every citation was checked against the text that it names. Where no model writes, it is a search "
        "that shows the best passages, unread, and … where they are shortened: answeredBy is then rules, and "
        "isSufficient null. Use it for a "
        "finished answer; use the other tools for passages to answer from."
    ),
    input=schema_of(AnswerArguments, mode="validation"),
    output=schema_of(AnswerResult, mode="serialization"),
    parse=parse,
    extent=extent,
    render=render,
)
