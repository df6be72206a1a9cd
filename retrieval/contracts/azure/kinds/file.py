"""The kind `file`: files that were uploaded to the search service, and that the search service has ingested. This
service does not accept uploads."""

from retrieval.contracts.azure.kinds.ingestion_shapes import Created


class FileParameters(Created):
    """The parameters of a source of uploaded files."""
