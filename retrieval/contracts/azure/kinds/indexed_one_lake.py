"""The kind `indexedOneLake`: files of a Microsoft Fabric lakehouse that the search service has ingested."""

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, Place


class OneLake(Created):
    fabric_workspace_id: Place
    lakehouse_id: Place
    target_path: Place | None = None
