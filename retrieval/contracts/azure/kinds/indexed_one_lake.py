"""The kind `indexedOneLake`: files of a Microsoft Fabric lakehouse that the search service has ingested."""

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, IngestionText


class OneLakeParameters(Created):
    fabric_workspace_id: IngestionText
    lakehouse_id: IngestionText
    target_path: IngestionText | None = None
