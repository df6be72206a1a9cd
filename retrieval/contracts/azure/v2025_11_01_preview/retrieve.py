"""Retrieve, api-version 2025-11-01-preview: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

This version has no limit of documents. It ignores a limit that a later version has stored. Source: the models of
azure-search-documents 11.7.0b2.
"""

from functools import partial
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import (
    Asked,
    Most,
    ReasoningEffort,
    ShownSource,
)
from retrieval.contracts.azure.retrieve.requests import Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import (
    AddressedReference,
    AgenticReasoning,
    Answered,
    BlobReference,
    IndexReference,
    ModelAnswerSynthesis,
    ModelQueryPlanning,
    ModelStudioBase,
    ModelStudioReference,
    Record,
    Search,
    SearchIndex,
    SiteArguments,
)
from retrieval.contracts.azure.v2025_11_01_preview.kinds import Kind
from retrieval.model.definitions import SUBQUERIES_BY_EFFORT, OutputMode

DEFAULT_THRESHOLD: Final = 1.9
"""Of nine real answers of this version and the last where nobody set a threshold, the lowest score is 1.91."""

DEFAULTS: Final = Defaults(
    kinds=get_args(Kind),
    threshold=DEFAULT_THRESHOLD,
    most_queries=SUBQUERIES_BY_EFFORT,
    unknown=("max_documents",),
)
TYPES: Final = Types(
    planning="modelQueryPlanning", ranking="agenticReasoning", synthesis="modelAnswerSynthesis", digits=3
)


class SourceParams(ShownSource):
    always_query_source: bool | None = None


class RetrieveRequest(Asked):
    max_output_size: Most | None = None
    retrieval_reasoning_effort: ReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None


class Ingested(SiteArguments, Search, Record):
    type: Literal["azureBlob", "indexedSharePoint", "indexedOneLake"]


Activity: TypeAlias = Annotated[
    ModelQueryPlanning | SearchIndex | ModelStudioBase | Ingested | AgenticReasoning | ModelAnswerSynthesis,
    Field(discriminator="type"),
]


class DocumentReference(AddressedReference):
    type: Literal["indexedSharePoint", "indexedOneLake"]


Reference: TypeAlias = Annotated[
    IndexReference | ModelStudioReference | BlobReference | DocumentReference, Field(discriminator="type")
]


class RetrieveResponse(Answered):
    activity: OptionalMember[list[Activity]]
    references: list[Reference]


parse: Final = partial(parse_as, RetrieveRequest, DEFAULTS)
render: Final = partial(render_as, RetrieveResponse, TYPES)
