"""Retrieve, api-version 2026-04-01: reads `POST knowledgebases('{name}')/retrieve`, and renders its answer.

A retrieval always has the effort `minimal` and returns documents. This version has no members for the effort, the
output mode and the limit of documents. It ignores the values that another version has stored. Source: the models of
azure-search-documents 12.0.0, and the examples of the REST specification.
"""

from functools import partial
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.retrieve.answers import render_as
from retrieval.contracts.azure.retrieve.records import Types
from retrieval.contracts.azure.retrieve.request_shapes import Intents, Most, Runtime, ShownSource
from retrieval.contracts.azure.retrieve.requests import DROPPING, INTENTS, Defaults, parse_as
from retrieval.contracts.azure.retrieve.response_shapes import (
    AddressedReference,
    AgenticReasoning,
    Answered,
    BlobReference,
    IndexReference,
    LakeArguments,
    ModelStudioBase,
    ModelStudioReference,
    Record,
    Search,
    SearchIndex,
)
from retrieval.contracts.azure.v2026_04_01.kinds import Kind

DEFAULT_THRESHOLD: Final = 1.9
"""No real answer of this version shows its default, so it has that of the version before it."""

DEFAULTS: Final = Defaults(
    kinds=get_args(Kind),
    threshold=DEFAULT_THRESHOLD,
    effort="minimal",
    runtime=90.0,
    no_input=f"Nothing is asked. Send {INTENTS}: 'messages' does not exist in 2026-04-01. {DROPPING}",
    unknown=("effort", "output_mode", "max_documents"),
)
TYPES: Final = Types(planning=None, ranking="agenticReasoning", synthesis=None)
"""The types of the records. This version has no records of planning and of writing, because it never plans queries or
writes an answer."""


class RetrieveRequest(Wire):
    intents: Intents | None = None
    max_runtime_in_seconds: Runtime | None = None
    max_output_size_in_tokens: Most | None = None
    include_activity: bool | None = None
    knowledge_source_params: Annotated[list[ShownSource], Field(fail_fast=True)] | None = None


class Ingested(LakeArguments, Search, Record):
    type: Literal["azureBlob", "indexedOneLake"]


Activity: TypeAlias = Annotated[
    SearchIndex | ModelStudioBase | Ingested | AgenticReasoning, Field(discriminator="type")
]


class DocumentReference(AddressedReference):
    type: Literal["indexedOneLake"]


Reference: TypeAlias = Annotated[
    IndexReference | ModelStudioReference | BlobReference | DocumentReference, Field(discriminator="type")
]


class RetrieveResponse(Answered):
    activity: OptionalMember[list[Activity]]
    references: list[Reference]


parse: Final = partial(parse_as, RetrieveRequest, DEFAULTS)
render: Final = partial(render_as, RetrieveResponse, TYPES)
