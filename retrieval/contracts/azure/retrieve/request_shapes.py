"""Shapes of requests, with the ranges of their members. Each member has marks of its versions.

Sources: the models of azure-search-documents 11.7.0b1 to 12.1.0b2. Most ranges are from the how-to "Retrieve data" of
09/04/2026 and from error messages of Azure's service.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from retrieval.contracts.azure.kinds.indexes import QueryHints
from retrieval.contracts.azure.kinds.table import check_served
from retrieval.contracts.azure.members_by_version import Rule, Words, since
from retrieval.contracts.azure.request_body import (
    MOST_MESSAGES,
    AgentMessage,
    Count,
    RerankerThreshold,
    Role,
    Runtime,
    Wire,
    user_by_default,
)
from retrieval.model.definitions import Effort, OutputMode, ResultsProcessing

MOST_INTENTS: Final = 10
"""Our own limit, since each intent is a search in every source."""

_BASES: Final = since("2025-11-01-preview", "2026-04-01")
_ASKED: Final = since("2025-11-01-preview", "2026-10-01")
_LIMITED: Final = since("2026-05-01-preview", "2026-10-01")
_NEWER: Final = since("2026-08-01-preview")


def _no_images(value: bool) -> bool:
    if value:
        raise ValueError("image serving (enableImageServing) is not available here")
    return value


def _documents_of_source(most: int) -> int:
    """The number, if it is from 50 to 200. Raises ValueError for other numbers, with the error text of Azure's server
    (azure-sdk-for-python #48880)."""
    if not 50 <= most <= 200:
        raise ValueError("Value for MaxOutputDocuments must be between 50 and 200")
    return most


Kind: TypeAlias = Annotated[str, BeforeValidator(check_served)]
ImageServing: TypeAlias = Annotated[bool, AfterValidator(_no_images)]
SourceDocuments: TypeAlias = Annotated[int, AfterValidator(_documents_of_source)]


class Message(AgentMessage):
    """A message. Without a role, it has the role `user`."""

    role: Annotated[Role, BeforeValidator(user_by_default)] = "user"


class Intent(Wire):
    type: Literal["semantic"]
    search: Annotated[str, Field(min_length=1)]


class ReasoningEffort(Wire):
    """The effort: an object with a `kind`. A string is not accepted."""

    kind: Annotated[Effort, Words({"auto": since("2026-08-01-preview")}.get)]


class SourceParams(Wire):
    """The parameters of one source."""

    knowledge_source_name: Annotated[str, Field(min_length=1)]
    kind: Kind
    filter_add_on: str | None = None
    include_references: Annotated[bool | None, _BASES] = None
    include_reference_source_data: Annotated[bool | None, _BASES] = None
    reranker_threshold: Annotated[RerankerThreshold | None, _BASES] = None
    always_query_source: Annotated[bool | None, _ASKED] = None
    never_query_source: Annotated[bool | None, _NEWER] = None
    fail_on_error: Annotated[bool | None, _LIMITED] = None
    max_output_documents: Annotated[SourceDocuments | None, _LIMITED] = None
    enable_image_serving: Annotated[ImageServing | None, since("2026-05-01-preview")] = None
    results_processing: Annotated[ResultsProcessing | None, _NEWER] = None
    query_hint_overrides: Annotated[QueryHints | None, _NEWER] = None


def _check_data(source: SourceParams) -> SourceParams:
    if source.include_reference_source_data and source.include_references is False:
        raise ValueError("includeReferenceSourceData needs includeReferences")
    return source


AllSourceParams: TypeAlias = Annotated[
    list[Annotated[SourceParams, Rule(AfterValidator(_check_data), _NEWER)]], Field(fail_fast=True)
]


class RetrieveRequest(Wire):
    """A request since 2025-11-01-preview. `ground_everything` is our own member."""

    messages: Annotated[Annotated[list[Message], Field(max_length=MOST_MESSAGES, fail_fast=True)] | None, _ASKED] = None
    intents: Annotated[list[Intent], Field(max_length=MOST_INTENTS, fail_fast=True)] | None = None
    max_runtime_in_seconds: Runtime | None = None
    max_output_size: Annotated[Count | None, since("2025-11-01-preview")] = None
    max_output_size_in_tokens: Annotated[Count | None, since("2026-05-01-preview", "2026-04-01")] = None
    max_output_documents: Annotated[Count | None, _LIMITED] = None
    retrieval_reasoning_effort: Annotated[ReasoningEffort | None, _ASKED] = None
    include_activity: bool | None = None
    ground_everything: Annotated[bool | None, _NEWER] = None
    output_mode: Annotated[OutputMode | None, _ASKED] = None
    knowledge_source_params: AllSourceParams | None = None
