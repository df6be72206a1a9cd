"""The request of retrieve: `POST knowledgebases('{name}')/retrieve`, api-version 2026-10-01, into the hub.

Source: the REST specification, `stable/2026-10-01/search.json`. It sets no default and no limit. Ours: a body of
2026-04-01 means the same here, so intents alone are minimal; ranges are those of 2026-08-01-preview.
"""

from dataclasses import replace
from typing import Annotated, Final, get_args

from pydantic import Field

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import Wire, property_names, read
from retrieval.contracts.azure.retrieve.request_shapes import (
    Intents,
    Messages,
    Most,
    ReasoningEffort,
    Runtime,
    ShownSource,
    SourceDocuments,
)
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.contracts.azure.v2026_10_01.kinds import Kind
from retrieval.model import most_subqueries
from retrieval.model.definitions import Agent, OutputMode
from retrieval.model.retrieval import RetrievalRequest


class SourceParams(ShownSource):
    always_query_source: bool | None = None
    fail_on_error: bool | None = None
    max_output_documents: SourceDocuments | None = None


class RetrieveRequest(Wire):
    messages: Messages | None = None
    intents: Intents | None = None
    max_runtime_in_seconds: Runtime | None = None
    max_output_documents: Most | None = None
    max_output_size_in_tokens: Most | None = None
    retrieval_reasoning_effort: ReasoningEffort | None = None
    include_activity: bool | None = None
    output_mode: OutputMode | None = None
    knowledge_source_params: Annotated[list[SourceParams], Field(fail_fast=True)] | None = None


DEFAULTS: Final = Defaults(kinds=get_args(Kind), runtime=90.0, most_queries=most_subqueries.BY_EFFORT)
OF_INTENTS: Final = replace(DEFAULTS, effort="minimal")
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the base and then from the contract. Raises BadRequest.

    The effort `auto`, which a preview may have stored, counts as unsaid: this version has no word for it.
    """
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    known_agent = replace(agent, effort=None) if agent.effort == "auto" else agent
    writes = (wire.output_mode or agent.output_mode) == "answerSynthesis"
    return request_of(wire, known_agent, DEFAULTS if wire.messages or writes else OF_INTENTS, user_token=user_token)
