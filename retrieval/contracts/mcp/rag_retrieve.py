"""The tool `rag_retrieve`: one search for the retriever step of an agentic RAG workflow.

The result has the members of the workflow's retriever (`query_used`, `chunk_texts`, `chunk_sources`), and `chunk_ids`.
The workflow has its own reranker. So the default threshold is 0. A threshold of the agent may exclude passages.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from retrieval.contracts.azure.request_body import Wire, filter_of
from retrieval.contracts.azure.retrieve.requests import chunk_target
from retrieval.contracts.mcp.content import (
    FilterText,
    Query,
    Tool,
    content,
    extent,
    read,
    runtime,
    schema_of,
    text_of,
)
from retrieval.model.conversation import Message
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Limits, Outcome, Reference, RetrievalRequest
from retrieval.model.search import LONGEST_SEARCH
from retrieval.text import near_duplicates
from retrieval.text.length import BYTES_PER_TOKEN, tokens
from retrieval.text.source_labels import label, passage
from retrieval.text.user_message import standalone

MOST_CHUNKS: Final = 20
_LEFT_OUT: Final[Mapping[str, str]] = {"near_duplicate": "nearDuplicate"}
DEFAULT_OUTPUT_TOKENS: Final = 20_000


class RagArguments(Wire):
    query: Annotated[Query, Field(description="A short query of keywords.")]
    goal: Annotated[
        str | None,
        Field(
            max_length=LONGEST_SEARCH,
            description="What is to be found out. Its terms are searched too where the query alone says too little.",
        ),
    ] = None
    filter: Annotated[
        FilterText | None, Field(description="OData $filter over the index's fields; empty for none.")
    ] = None


Chunks = Annotated[list[str], Field(max_length=MOST_CHUNKS)]


class RagResult(BaseModel):
    """The result of the tool. Names are in snake_case, as in the workflow's schema."""

    model_config = ConfigDict(extra="forbid")

    query_used: Annotated[str, Field(description="The text that was searched.")]
    chunk_texts: Annotated[Chunks, Field(description="In rank order.")]
    chunk_sources: Annotated[Chunks, Field(description="What to cite each chunk by: title and id.")]
    chunk_ids: Annotated[Chunks, Field(description="The key of each chunk's document.")]


def parse(arguments: Mapping[str, object], agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request: one query for every target of the agent. No model plans queries, because the caller has planned
    already. Raises BadRequest."""
    call = read(arguments, RagArguments)
    caller_filter = filter_of(call.filter, target="filter")
    return RetrievalRequest(
        messages=(),
        queries=(_query(text_of(call.query, place="query"), call.goal or ""),),
        targets=tuple(chunk_target(target, caller_filter) for target in agent.targets),
        limits=Limits(output_tokens=agent.max_output_tokens or DEFAULT_OUTPUT_TOKENS, runtime=runtime(agent)),
        user_token=user_token,
    )


def render(outcome: Outcome, request: RetrievalRequest) -> CallToolResult:
    """Renders whole chunks in rank order. There are at most 20 chunks, which fit the output tokens of the request.
    `meta` has the number of documents that were left out, by reason."""
    references, dropped = _choose(outcome.references, max_tokens=request.limits.output_tokens)
    dropped.update({reason: n for reason, n in outcome.dropped.items() if reason != "budget"})
    result = RagResult(
        query_used=outcome.searches[0].searched.subquery.search,
        chunk_texts=[passage(reference.hit) for reference in references],
        chunk_sources=[label(reference.hit) for reference in references],
        chunk_ids=[reference.hit.key for reference in references],
    )
    text = json.dumps(result.model_dump(), ensure_ascii=False, separators=(",", ":"))
    return content(text, result, meta={"dropped": dict(dropped)})


def _query(query: str, goal: str) -> str:
    """The search text. If the query alone says too little, terms of the goal are added to it."""
    if not goal.strip():
        return query
    goal = text_of(goal, place="goal")
    return standalone([Message(role="user", text=goal), Message(role="user", text=query)])


def _choose(references: Sequence[Reference], *, max_tokens: int) -> tuple[list[Reference], Counter[str]]:
    """The references to return. The counter has the number of the other references, by reason."""
    distinct, left_out = near_duplicates.choose(references, read=_sized, most=MOST_CHUNKS, room=max_tokens)
    counts = Counter(reason for _, reason in left_out)
    counts["limit"] = len(references) - len(distinct) - counts.total()
    return distinct, Counter({_LEFT_OUT.get(reason, reason): number for reason, number in counts.items() if number})


def _sized(references: Sequence[Reference], room: int) -> Iterator[tuple[Reference, str, int]]:
    """Yields each reference with its text and its size. The size is the number of tokens of the chunk's JSON. If the
    text alone is too long for the `room`, the size is estimated from the length of the text."""
    for reference in references:
        hit, text = reference.hit, passage(reference.hit)
        least = len(text) // BYTES_PER_TOKEN
        written = "" if least > room else json.dumps([text, label(hit), hit.key], ensure_ascii=False)
        yield reference, text, max(least, tokens(written))


TOOL: Final = Tool(
    name="rag_retrieve",
    title="Retrieve chunks for a query",
    description=(
        "Runs one search and returns up to 20 chunks, best first and no two alike: chunk_texts, chunk_sources and "
        "chunk_ids have the same length and order. Pass the query, what is to be found out as `goal`, and an OData "
        "`filter` only for constraints that the user stated."
    ),
    input=schema_of(RagArguments, mode="validation"),
    output=schema_of(RagResult, mode="serialization"),
    parse=parse,
    extent=extent,
    render=render,
)
