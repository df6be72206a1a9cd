"""The kind `indexedSharePoint`: content of SharePoint that the search service has ingested."""

from typing import Literal

from pydantic import Field

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, IngestionText


class AnySharePoint(Created):
    connection_string: IngestionText = Field(repr=False)
    query: IngestionText | None = None


class SharePoint(AnySharePoint):
    container_name: Literal["defaultSiteLibrary", "allSiteLibraries", "useQuery"]


class WiderSharePoint(AnySharePoint):
    """The parameters of a SharePoint source in 2026-10-01, which has more container names."""

    container_name: Literal[
        "defaultSiteLibrary", "allSiteLibraries", "useQuery", "allSiteLists", "allSitePages", "allSiteContent"
    ]
