"""The kind `indexedSql`: rows of a table or a view that the search service has ingested."""

from typing import Annotated, TypeAlias

from pydantic import Field

from retrieval.contracts.azure.kinds.ingestion_shapes import Created, IngestionText
from retrieval.contracts.azure.request_body import Wire


class EmbeddedColumn(Wire):
    name: IngestionText
    source_field: IngestionText


class Column(EmbeddedColumn):
    search_field_type: IngestionText


Columns: TypeAlias = Annotated[list[Column], Field(max_length=1_000, fail_fast=True)]
EmbeddedColumns: TypeAlias = Annotated[list[EmbeddedColumn], Field(max_length=1_000, fail_fast=True)]


class SqlParameters(Created):
    connection_string: IngestionText = Field(repr=False)
    table_or_view: IngestionText
    high_water_mark_column_name: IngestionText | None = None
    content_columns: Columns | None = None
    embedding_columns: EmbeddedColumns | None = None
