"""The kind `azureBlob`: blobs of a container or of Data Lake Storage that the search service has ingested."""

from typing import Any, Final

from pydantic import Field

from retrieval.contracts.azure.kinds import ingested
from retrieval.contracts.azure.kinds.ingestion_shapes import (
    Created,
    IngestionText,
    Resources,
    Schedule,
)
from retrieval.contracts.azure.kinds.kind import Kind, Members
from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import Source

_FLAT: Final = (
    "identity",
    "embedding_model",
    "chat_completion_model",
    "disable_image_verbalization",
    "ingestion_schedule",
)
"""In 2025-08-01-preview these members are next to `containerName`. Later versions have them in
`ingestionParameters`."""


class FlatBlobParameters(Wire):
    """The parameters of a blob source in 2025-08-01-preview."""

    connection_string: IngestionText = Field(repr=False)
    container_name: IngestionText
    folder_path: IngestionText | None = None
    identity: dict[str, Any] | None = None
    embedding_model: dict[str, Any] | None = Field(default=None, repr=False)
    chat_completion_model: dict[str, Any] | None = Field(default=None, repr=False)
    disable_image_verbalization: bool | None = None
    ingestion_schedule: Schedule | None = None
    created_resources: Resources | None = None


class BlobParameters(Created):
    """The parameters of a blob source since 2025-11-01-preview."""

    connection_string: IngestionText = Field(repr=False)
    container_name: IngestionText
    folder_path: IngestionText | None = None
    is_adls_gen2: bool | None = Field(default=None, alias="isADLSGen2")


def _members(source: Source) -> Members:
    members = ingested.members(source)
    return {**(members.get("ingestion_parameters") or {}), **members}


def _read(source: Source, parameters: Members) -> Source:
    flat = {name: parameters[name] for name in _FLAT if parameters.get(name) is not None}
    others = {name: value for name, value in parameters.items() if name not in _FLAT}
    nested = {**flat, **(parameters.get("ingestion_parameters") or {})}
    return ingested.read(source, {**others, "ingestion_parameters": nested or None})


AZURE_BLOB: Final = Kind(members=_members, read=_read, check=ingested.check)
