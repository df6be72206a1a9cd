"""The members of a definition that the ingestion of Azure's search service reads, by version. They are kept and shown,
but not read here.

Sources: the models of azure-search-documents 11.7.0b2 to 12.1.0b2, and the specification of 2026-10-01.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.request_body import Wire

Place: TypeAlias = Annotated[str, Field(max_length=4_000)]
"""A connection string, a path, a name of something outside."""

Resources: TypeAlias = Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=20)]
"""The generated objects by their role: `index` is the one that is searched."""


class Schedule(Wire):
    interval: Place
    start_time: Place | None = None


class AIServices(Wire):
    uri: Place
    api_key: str | None = Field(default=None, repr=False)


class Ingestion(Wire):
    """Since 2025-11-01-preview. The members of models and identities are those of their kinds."""

    identity: dict[str, Any] | None = None
    embedding_model: dict[str, Any] | None = Field(default=None, repr=False)
    chat_completion_model: dict[str, Any] | None = Field(default=None, repr=False)
    disable_image_verbalization: bool | None = None
    ingestion_schedule: Schedule | None = None
    content_extraction_mode: Literal["minimal", "standard"] | None = None
    ai_services: AIServices | None = None


class PermittedIngestion(Ingestion):
    ingestion_permission_options: (
        Annotated[list[Literal["userIds", "groupIds", "rbacScope"]], Field(max_length=10, fail_fast=True)] | None
    ) = None


class NetworkIngestion(PermittedIngestion):
    """2026-10-01."""

    network_access_mode: Literal["public", "private"] | None = None


class AssetStore(Wire):
    connection_string: Place = Field(repr=False)
    container_name: Place


class Freshness(Wire):
    boosting_duration: Place | None = None


class LabelledIngestion(Ingestion):
    """2026-05-01-preview."""

    ingestion_permission_options: (
        Annotated[
            list[Literal["userIds", "groupIds", "rbacScope", "sensitivityLabels"]], Field(max_length=10, fail_fast=True)
        ]
        | None
    ) = None
    asset_store: AssetStore | None = None
    freshness_policy: Freshness | None = None


class LatestIngestion(LabelledIngestion):
    """Since 2026-08-01-preview, in previews."""

    network_access_mode: Literal["public", "private"] | None = None


class Created(Wire):
    """What every kind has whose index the search service makes, beside its `ingestion_parameters`."""

    created_resources: Resources | None = None
