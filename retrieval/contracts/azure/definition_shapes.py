"""Shapes of definitions of knowledge bases and agents. Each member has marks of its versions.

If the REST reference does not state a range for a member, the range is our own. Sources: the models of
azure-search-documents 11.7.0b1 to 12.1.0b2, and the REST specification `stable/2026-10-01/search.json`.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from retrieval.contracts.azure.errors import OptionalMember
from retrieval.contracts.azure.kinds.indexes import Instructions
from retrieval.contracts.azure.kinds.kind import Named, ObjectName
from retrieval.contracts.azure.members_by_version import Mark, Words, since
from retrieval.contracts.azure.request_body import Count, RerankerThreshold, Runtime, Wire, distinct
from retrieval.model.definitions import PATTERN, OutputMode

MOST_SOURCES: Final = 10
MOST_TARGETS: Final = 8
LARGEST: Final = 2_147_483_647

FIRST: Final[Mark] = since("2025-08-01-preview", until=("2025-08-01-preview",))
_ASKED: Final[Mark] = since("2025-11-01-preview", "2026-10-01")
NEWER: Final[Mark] = since("2026-08-01-preview")

Name: TypeAlias = Annotated[str, Field(pattern=PATTERN)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]
Prose: TypeAlias = Annotated[str, Field(max_length=4_000)]
Tags: TypeAlias = Annotated[dict[Text, Annotated[str, Field(max_length=256)]], Field(max_length=50)]


class AzureOpenAIParameters(Wire):
    resource_uri: Annotated[str, Field(min_length=1, max_length=2_048)]
    deployment_id: Text
    api_key: str | None = Field(default=None, repr=False)
    model_name: Text | None = None
    auth_identity: dict[str, Any] | None = None


def _check_model_kind(kind: object) -> object:
    if isinstance(kind, str) and kind != "azureOpenAI":
        raise ValueError(f"models of the kind {kind[:100]!r} are not served; azureOpenAI is")
    return kind


class Model(Wire):
    kind: Annotated[Literal["azureOpenAI"], BeforeValidator(_check_model_kind)]
    azure_open_ai_parameters: AzureOpenAIParameters = Field(alias="azureOpenAIParameters")


Models: TypeAlias = Annotated[
    list[Model],
    Field(max_length=1, fail_fast=True),
    BeforeValidator(lambda models: [] if models is None else models),
]


class Definition(Wire):
    """A definition. Clients may send `@odata.etag` and `@odata.context`. This service ignores both members in a
    request."""

    context: str | None = Field(default=None, alias="@odata.context", exclude=True)
    etag: str | None = Field(default=None, alias="@odata.etag")
    name: Name
    description: Prose | None = None


class RequestLimits(Wire):
    max_runtime_in_seconds: Runtime | None = None
    max_output_size: Count | None = None


class RetrieveDefaults(Wire):
    max_runtime_in_seconds: Runtime | None = None
    max_output_documents: Count | None = None
    max_output_size_in_tokens: Count | None = None


class OutputConfiguration(Wire):
    modality: OutputMode | None = None
    answer_instructions: Instructions | None = None
    attempt_fast_path: bool | None = None
    include_activity: bool | None = None


class SourceReference(Named):
    """A reference to a knowledge source. `enable_image_serving` and `enable_freshness` are stored and shown, but have
    no effect in this service."""

    include_references: Annotated[bool | None, FIRST] = None
    include_reference_source_data: Annotated[bool | None, FIRST] = None
    always_query_source: Annotated[bool | None, FIRST] = None
    max_sub_queries: Annotated[Annotated[int, Field(ge=2, le=40)] | None, FIRST] = None
    reranker_threshold: Annotated[RerankerThreshold | None, FIRST] = None
    enable_image_serving: Annotated[bool | None, since("2026-05-01-preview")] = None
    enable_freshness: Annotated[bool | None, since("2026-05-01-preview")] = None


class Effort(Wire):
    kind: Annotated[Literal["minimal", "low", "medium", "auto"], Words({"auto": NEWER}.get)]


class CorsOptions(Wire):
    allowed_origins: Annotated[list[Annotated[str, Field(max_length=2_048)]], Field(min_length=1, max_length=100)]
    max_age_in_seconds: Annotated[int, Field(ge=0, le=LARGEST)] | None = None


class KnowledgeBase(Definition):
    """A knowledge base, or an agent over knowledge sources. No source may be named twice. `ground_everything` is our
    own member."""

    models: Models = Field(default=[])
    knowledge_sources: Annotated[
        list[SourceReference],
        Field(min_length=1, max_length=MOST_SOURCES, fail_fast=True),
        distinct("name", "a knowledge source is named twice"),
    ]
    output_configuration: Annotated[OutputConfiguration | None, FIRST] = None
    request_limits: Annotated[RequestLimits | None, FIRST] = None
    retrieval_reasoning_effort: Annotated[Effort | None, _ASKED] = None
    output_mode: Annotated[OutputMode | None, _ASKED] = None
    retrieval_instructions: Annotated[Instructions | None, since("2025-08-01-preview", "2026-10-01")] = None
    answer_instructions: Annotated[Instructions | None, _ASKED] = None
    retrieve_defaults: Annotated[RetrieveDefaults | None, NEWER] = None
    ground_everything: Annotated[OptionalMember[bool], NEWER]
    cors_options: Annotated[CorsOptions | None, since("2026-05-01-preview", "2026-10-01")] = None
    tags: Annotated[Tags | None, NEWER] = None
    encryption_key: dict[str, Any] | None = None


class TargetIndex(Wire):
    index_name: ObjectName
    default_reranker_threshold: RerankerThreshold | None = None
    default_include_reference_source_data: bool | None = None
    default_max_docs_for_reranker: Annotated[int, Field(gt=0, le=200)] | None = None


class AgentDefinition(Definition):
    """An agent of 2025-05-01-preview. No index may be named twice."""

    models: Models = Field(default=[])
    target_indexes: Annotated[
        list[TargetIndex],
        Field(min_length=1, max_length=MOST_TARGETS, fail_fast=True),
        distinct("index_name", "an index is named twice"),
    ]
    request_limits: RequestLimits | None = None
    encryption_key: dict[str, Any] | None = None
