"""The kind `indexedOneLake`: files of a lakehouse of Microsoft Fabric, as the search service has ingested them."""

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, Place


class OneLake(Created):
    fabric_workspace_id: Place
    lakehouse_id: Place
    target_path: Place | None = None
