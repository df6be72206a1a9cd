"""The members of a definition that the ingestion of Azure's search service reads. This service stores and
shows these members without their secrets, and uses only the index name in `createdResources`.

Sources: the models of azure-search-documents 11.7.0b2 to 12.1.0b2, and the REST specification
`stable/2026-10-01/search.json`.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.query_hints import QueryHints
from retrieval.contracts.azure.request_body import Wire
from retrieval.contracts.azure.versioned import Words, since

IngestionText: TypeAlias = Annotated[str, Field(max_length=4_000)]
"""A text for the ingestion, such as a connection string, a path, a name or a date."""

Resources: TypeAlias = Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=20)]
"""The names of the generated objects, by role. The object with the role `index` is the index that is searched."""


class Schedule(Wire):
    interval: IngestionText
    start_time: IngestionText | None = None


class AIServices(Wire):
    uri: IngestionText
    api_key: str | None = Field(default=None, repr=False)


class AssetStore(Wire):
    connection_string: IngestionText = Field(repr=False)
    container_name: IngestionText


class Freshness(Wire):
    boosting_duration: IngestionText | None = None


Permission: TypeAlias = Annotated[
    Literal["userIds", "groupIds", "rbacScope", "sensitivityLabels"],
    Words({"sensitivityLabels": since("2026-05-01-preview")}.get),
]


class Ingestion(Wire):
    """The ingestion parameters. The members of models and identities depend on their kind, so they are not checked."""

    identity: dict[str, Any] | None = None
    embedding_model: dict[str, Any] | None = Field(default=None, repr=False)
    chat_completion_model: dict[str, Any] | None = Field(default=None, repr=False)
    disable_image_verbalization: bool | None = None
    ingestion_schedule: Schedule | None = None
    content_extraction_mode: Literal["minimal", "standard"] | None = None
    ai_services: AIServices | None = None
    ingestion_permission_options: Annotated[
        Annotated[list[Permission], Field(max_length=10, fail_fast=True)] | None,
        since("2025-11-01-preview", "2026-10-01"),
    ] = None
    asset_store: Annotated[AssetStore | None, since("2026-05-01-preview")] = None
    freshness_policy: Annotated[Freshness | None, since("2026-05-01-preview")] = None
    network_access_mode: Annotated[Literal["public", "private"] | None, since("2026-08-01-preview", "2026-10-01")] = (
        None
    )


class Created(Wire):
    """The parameters of a kind whose index the search service makes. All these kinds have these members."""

    ingestion_parameters: Ingestion | None = None
    query_hints: Annotated[QueryHints | None, since("2026-08-01-preview")] = None
    created_resources: Resources | None = None
