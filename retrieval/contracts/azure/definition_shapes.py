"""Shapes of definitions that are the same in several versions.

If the REST reference does not state a range for a member, the range is our own. A member that only one version has is
declared in the package of that version, or in `kinds`.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, field_validator

from retrieval.contracts.azure.errors import OptionalMember, is_none
from retrieval.contracts.azure.kinds.kind import check_served
from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import PATTERN, SourceKind

MOST_SOURCES: Final = 10
LARGEST: Final = 2_147_483_647

Name: TypeAlias = Annotated[str, Field(pattern=PATTERN)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]
ObjectName: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
"""The name of an index, a field, a semantic configuration, a knowledge source or a Model Studio base."""

Prose: TypeAlias = Annotated[str, Field(max_length=4_000)]
Instructions: TypeAlias = Annotated[str, Field(max_length=20_000)]
Runtime: TypeAlias = Annotated[int, Field(ge=10, le=600)]
Count: TypeAlias = Annotated[int, Field(gt=0, le=LARGEST)]
Threshold: TypeAlias = Annotated[float, Field(ge=0, le=4)]
Tags: TypeAlias = Annotated[dict[Text, Annotated[str, Field(max_length=256)]], Field(max_length=50)]
OutputMode: TypeAlias = Literal["extractiveData", "answerSynthesis"]


class AzureOpenAIParameters(Wire):
    resource_uri: Annotated[str, Field(min_length=1, max_length=2_048)]
    deployment_id: Text
    api_key: str | None = Field(default=None, repr=False)
    model_name: Text | None = None
    auth_identity: dict[str, Any] | None = None


class Model(Wire):
    kind: Literal["azureOpenAI"]
    azure_open_ai_parameters: AzureOpenAIParameters = Field(alias="azureOpenAIParameters")

    @field_validator("kind", mode="before")
    @classmethod
    def _check_kind(cls, kind: object) -> object:
        if isinstance(kind, str) and kind != "azureOpenAI":
            raise ValueError(f"models of the kind {kind[:100]!r} are not served; azureOpenAI is")
        return kind


def _listed(models: object) -> object:
    return [] if models is None else models


Models: TypeAlias = Annotated[list[Model], Field(max_length=1, fail_fast=True), BeforeValidator(_listed)]


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


class Named(Wire):
    """A reference to a knowledge source, or to a field of an index, by its name alone."""

    name: ObjectName


class ServedReference(Named):
    """A reference to a knowledge source. `enable_image_serving` and `enable_freshness` are stored and shown, but have
    no effect in this service."""

    enable_image_serving: bool | None = None
    enable_freshness: bool | None = None


class Effort(Wire):
    kind: Literal["minimal", "low", "medium"]


class CorsOptions(Wire):
    allowed_origins: Annotated[list[Annotated[str, Field(max_length=2_048)]], Field(min_length=1, max_length=100)]
    max_age_in_seconds: Annotated[int, Field(ge=0, le=LARGEST)] | None = None


class BaseDefinition(Definition):
    """A knowledge base, or an agent over knowledge sources. No source may be named twice."""

    models: Models = Field(default=[])

    @field_validator("knowledge_sources", check_fields=False)
    @classmethod
    def _named_once(cls, sources: list[Any]) -> list[Any]:
        names = [source.name for source in sources]
        if len(set(names)) < len(names):
            raise ValueError("a knowledge source is named twice")
        return sources


class BaseParameters(Wire):
    """The parameters of a Model Studio base. `base_name` is the name of the base in the setting MODEL_STUDIO_BASES."""

    base_name: ObjectName


Fields: TypeAlias = Annotated[list[Named], Field(max_length=1_000, fail_fast=True)]


class IndexParameters(Wire):
    search_index_name: ObjectName
    source_data_fields: Fields | None = None
    search_fields: Fields | None = None
    semantic_configuration_name: ObjectName | None = None


class FilteredIndexParameters(IndexParameters):
    base_filter: str | None = None


Value = TypeVar("Value")

KindMember: TypeAlias = Annotated[Value, Field(exclude_if=is_none)]
"""The kind of a source. It is left out if the version does not have the kind."""


class SourceDefinition(Definition):
    """A knowledge source. A list shows an unreadable source without a kind, so that no client looks for the parameters
    of the kind."""

    model_studio_base_parameters: OptionalMember[BaseParameters]

    @field_validator("kind", mode="before", check_fields=False)
    @classmethod
    def _check_kind(cls, kind: object) -> object:
        if isinstance(kind, str):
            check_served(kind)
        return kind


class SourceStatus(Wire):
    """The status of a knowledge source. If Azure's ingestion makes the index of the source, the status is `creating`
    until the index exists. Otherwise the status is `active`.

    `document_count` and `synchronized_by` are our own members for a source whose index Azure's ingestion makes.
    `document_count` is the number of documents in the index. `synchronized_by` names the service that keeps the index
    up to date. That service reports the states that are null here.
    """

    synchronization_status: Literal["creating", "active", "deleting"] = "active"
    synchronization_interval: None = None
    current_synchronization_state: None = None
    last_synchronization_state: None = None
    statistics: None = None
    document_count: OptionalMember[int]
    synchronized_by: OptionalMember[Literal["searchService"]]


class KindStatus(SourceStatus):
    kind: SourceKind
