"""Shapes of requests that have been the same since 2026-08-01-preview, in previews.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Annotated

from pydantic import Field, model_validator

from retrieval.contracts.azure.query_hints import QueryHints
from retrieval.contracts.azure.retrieve.request_shapes import (
    AnyReasoningEffort,
    Asked,
    ImageServing,
    Most,
    ShownSource,
    SourceDocuments,
)
from retrieval.model.definitions import OutputMode, ResultsProcessing


class SourceParams(ShownSource):
    always_query_source: bool | None = None
    never_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None
    enable_image_serving: ImageServing | None = None
    results_processing: ResultsProcessing | None = None
    query_hint_overrides: QueryHints | None = None

    @model_validator(mode="after")
    def _data_only_with_references(self) -> "SourceParams":
        if self.include_reference_source_data and self.include_references is False:
            raise ValueError("includeReferenceSourceData needs includeReferences")
        return self


class RetrieveRequest(Asked):
    max_output_size: Most | None = None
    max_output_size_in_tokens: Most | None = None
    max_output_documents: Most | None = None
    retrieval_reasoning_effort: AnyReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None
