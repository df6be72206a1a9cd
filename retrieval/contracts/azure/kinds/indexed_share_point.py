"""The kind `indexedSharePoint`: content of SharePoint that the search service has ingested."""

from typing import Annotated, Final, Literal

from pydantic import Field

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, IngestionText
from retrieval.contracts.azure.versioned import Words, since

_WIDER: Final = since("2026-10-01")


class SharePointParameters(Created):
    connection_string: IngestionText = Field(repr=False)
    query: IngestionText | None = None
    container_name: Annotated[
        Literal["defaultSiteLibrary", "allSiteLibraries", "useQuery", "allSiteLists", "allSitePages", "allSiteContent"],
        Words(dict.fromkeys(("allSiteLists", "allSitePages", "allSiteContent"), _WIDER).get),
    ]
