"""The kind `file`: files that were uploaded to the search service, as it has ingested them. None is uploaded here."""

from retrieval.contracts.azure.kinds.ingestion_shapes import Created


class File(Created):
    """The files themselves are among the routes of the search service."""
