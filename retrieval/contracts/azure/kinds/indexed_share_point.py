"""The kind `indexedSharePoint`: content of SharePoint, as the search service has ingested it."""

from typing import Literal

from pydantic import Field

from retrieval.contracts.azure.kinds.ingestion_shapes import AnyIngestion, IngestedParameters, Place


class AnySharePointParameters(IngestedParameters[AnyIngestion]):
    connection_string: Place = Field(repr=False)
    query: Place | None = None


class SharePointParameters(AnySharePointParameters[AnyIngestion]):
    container_name: Literal["defaultSiteLibrary", "allSiteLibraries", "useQuery"]


class WiderSharePointParameters(AnySharePointParameters[AnyIngestion]):
    """Since 2026-10-01."""

    container_name: Literal[
        "defaultSiteLibrary", "allSiteLibraries", "useQuery", "allSiteLists", "allSitePages", "allSiteContent"
    ]
