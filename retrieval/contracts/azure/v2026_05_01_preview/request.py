"""The request of retrieve: `POST knowledgebases('{name}')/retrieve`, api-version 2026-05-01-preview, into the hub.

Source: the models of azure-search-documents 12.1.0b1.
"""

from typing import Annotated, Final, get_args

from pydantic import Field

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import Wire, property_names, read
from retrieval.contracts.azure.retrieve.request_shapes import (
    ImageServing,
    Intents,
    Messages,
    Most,
    ReasoningEffort,
    Runtime,
    ShownSource,
    SourceDocuments,
)
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.contracts.azure.v2026_05_01_preview.kinds import Kind
from retrieval.model import most_subqueries
from retrieval.model.definitions import Agent, OutputMode
from retrieval.model.retrieval import RetrievalRequest


class SourceParams(ShownSource):
    always_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None
    enable_image_serving: ImageServing | None = None


class RetrieveRequest(Wire):
    messages: Messages | None = None
    intents: Intents | None = None
    max_runtime_in_seconds: Runtime | None = None
    max_output_size: Most | None = None
    max_output_size_in_tokens: Most | None = None
    max_output_documents: Most | None = None
    retrieval_reasoning_effort: ReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None


DEFAULTS: Final = Defaults(kinds=get_args(Kind), most_queries=most_subqueries.BY_EFFORT)
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the base and then from the contract. Raises BadRequest."""
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    return request_of(wire, agent, DEFAULTS, user_token=user_token)
