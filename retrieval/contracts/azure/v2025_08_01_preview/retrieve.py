"""Retrieve, api-version 2025-08-01-preview: reads `POST agents('{name}')/retrieve`, and renders its answer.

This version has no status 206. The status is 200 even if some sub-queries failed. Source: the models of
azure-search-documents 11.7.0b1.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.request_body import MOST_MESSAGES, Wire
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import Message, NamedSource
from retrieval.contracts.azure.retrieve.requests import Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import (
    AnswerMessage,
    Arguments,
    BlobArguments,
    BlobReference,
    IndexReference,
    Judged,
    ModelAnswerSynthesis,
    ModelQueryPlanning,
    ModelStudioBase,
    ModelStudioReference,
    Out,
    Record,
    Search,
    Text,
)
from retrieval.contracts.azure.v2025_08_01_preview.kinds import Kind
from retrieval.model.activity import By
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import USUAL_DOCUMENTS, RetrievalRequest

DEFAULT_THRESHOLD: Final = 1.9
"""Of nine real answers of this version and the next where nobody set a threshold, the lowest score is 1.91."""

DEFAULTS: Final = Defaults(
    kinds=get_args(Kind),
    threshold=DEFAULT_THRESHOLD,
    unknown=("effort", "max_documents"),
    usual_documents=dict.fromkeys(USUAL_DOCUMENTS, 10),
)
TYPES: Final = Types(
    planning="modelQueryPlanning",
    ranking="semanticReranker",
    synthesis="modelAnswerSynthesis",
    resolves=False,
    digits=3,
    shows_effort=False,
)


class RetrieveRequest(Wire):
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    knowledge_source_params: Annotated[list[NamedSource], Field(fail_fast=True)] | None = None


class SearchIndex(Search, Record):
    type: Literal["searchIndex"]
    search_index_arguments: Arguments


class Blob(BlobArguments, Search, Record):
    type: Literal["azureBlob"]


class SemanticReranker(Judged, Record):
    type: Literal["semanticReranker"]
    input_tokens: int
    planned_by: By
    warning: Text


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Blob | SemanticReranker | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


Reference: TypeAlias = Annotated[IndexReference | ModelStudioReference | BlobReference, Field(discriminator="type")]


class AgentMessage(AnswerMessage):
    role: Literal["assistant"] = "assistant"


class RetrieveResponse(Out):
    response: list[AgentMessage]
    activity: OptionalMember[list[Activity]]
    references: list[Reference]


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request from a body. See `request_of`. Raises BadRequest.

    A body of this version cannot state an effort. The effort that a later version stored applies, or else AGENT_EFFORT.
    A stored limit of documents is ignored. An agent may limit the number of sub-queries for each source.
    """
    request = parse_as(RetrieveRequest, DEFAULTS, body, agent, user_token=user_token)
    pairs = zip(request.targets, agent.targets, strict=True)
    return replace(
        request,
        effort=agent.effort,
        targets=tuple(replace(search_target, max_subqueries=target.max_subqueries) for search_target, target in pairs),
    )


render: Final = partial(render_as, RetrieveResponse, TYPES, status_of_some=200)
