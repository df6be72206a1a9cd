"""Shapes of requests that are the same in several versions, and the ranges of their members.

Sources: the models of azure-search-documents 11.7.0b1 to 12.1.0b2. Most ranges are from the how-to "Retrieve data" of
09/04/2026 and from error messages of Azure's service.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from retrieval.contracts.azure.kinds.kind import check_served
from retrieval.contracts.azure.query_hints import QueryHints
from retrieval.contracts.azure.request_body import MOST_MESSAGES, AgentMessage, Wire
from retrieval.model.definitions import Effort, OutputMode, ResultsProcessing

MOST_INTENTS: Final = 10
"""Our own limit, since each intent is a search in every source."""

LARGEST: Final = 2_147_483_647


def _check_kind(kind: str) -> str:
    check_served(kind)
    return kind


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


Kind: TypeAlias = Annotated[str, AfterValidator(_check_kind)]
ImageServing: TypeAlias = Annotated[bool, AfterValidator(_no_images)]
SourceDocuments: TypeAlias = Annotated[int, AfterValidator(_documents_of_source)]
Threshold: TypeAlias = Annotated[float, Field(ge=0, le=4)]
Runtime: TypeAlias = Annotated[int, Field(ge=10, le=600)]
Most: TypeAlias = Annotated[int, Field(gt=0, le=LARGEST)]
"""The maximum number of tokens or documents of an output."""


class Message(AgentMessage):
    """A message. Without a role, it has the role `user`."""

    role: Annotated[
        str, Field(min_length=1, max_length=64), BeforeValidator(lambda role: "user" if role is None else role)
    ] = "user"


class Intent(Wire):
    type: Literal["semantic"]
    search: Annotated[str, Field(min_length=1)]


class AnyReasoningEffort(Wire):
    """The effort: an object with a `kind`. A string is not accepted."""

    kind: Effort


class ReasoningEffort(AnyReasoningEffort):
    """The effort in versions without the effort `auto`."""

    kind: Literal["minimal", "low", "medium"]


Messages: TypeAlias = Annotated[list[Message], Field(max_length=MOST_MESSAGES, fail_fast=True)]
Intents: TypeAlias = Annotated[list[Intent], Field(max_length=MOST_INTENTS, fail_fast=True)]


class Asked(Wire):
    """The messages, the intents and the longest runtime of a request, in versions that accept messages and intents."""

    messages: Messages | None = None
    intents: Intents | None = None
    max_runtime_in_seconds: Runtime | None = None


class NamedSource(Wire):
    """The name and the kind of a source, and a filter that narrows the search in this source."""

    knowledge_source_name: Annotated[str, Field(min_length=1)]
    kind: Kind
    filter_add_on: str | None = None


class ShownSource(NamedSource):
    """The source parameters that all versions since 2025-11-01-preview have."""

    include_references: bool | None = None
    include_reference_source_data: bool | None = None
    reranker_threshold: Threshold | None = None


# The following two shapes are the same in all previews since 2026-08-01-preview. Source: the models of
# azure-search-documents 12.1.0b2.
class SourceParams(ShownSource):
    always_query_source: bool | None = None
    never_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None
    enable_image_serving: ImageServing | None = None
    results_processing: ResultsProcessing | None = None
    query_hint_overrides: QueryHints | None = None

    @model_validator(mode="after")
    def _data_only_with_references(self) -> "SourceParams":
        if self.include_reference_source_data and self.include_references is False:
            raise ValueError("includeReferenceSourceData needs includeReferences")
        return self


class PreviewRequest(Asked):
    """A request. `ground_everything` is our own member."""

    max_output_size: Most | None = None
    max_output_size_in_tokens: Most | None = None
    max_output_documents: Most | None = None
    retrieval_reasoning_effort: AnyReasoningEffort | None = None
    include_activity: bool | None = None
    ground_everything: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None
