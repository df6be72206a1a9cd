"""The request of retrieve: `POST knowledgebases('{name}')/retrieve`, api-version 2026-04-01, into the hub.

Source: the models of azure-search-documents 12.0.0.
"""

from dataclasses import replace
from typing import Annotated, Final, get_args

from pydantic import Field

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import Wire, property_names, read
from retrieval.contracts.azure.retrieve.request_shapes import Intents, Most, Runtime, ShownSource
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.contracts.azure.v2026_04_01.kinds import Kind
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import RetrievalRequest


class RetrieveRequest(Wire):
    intents: Intents | None = None
    max_runtime_in_seconds: Runtime | None = None
    max_output_size_in_tokens: Most | None = None
    include_activity: bool | None = None
    knowledge_source_params: Annotated[list[ShownSource], Field(fail_fast=True)] | None = None


DEFAULTS: Final = Defaults(
    kinds=get_args(Kind),
    effort="minimal",
    runtime=90.0,
    no_input="Nothing is asked. Send 'intents' (what to search for): 'messages' does not exist in 2026-04-01, and "
    "some clients leave it out in silence.",
)
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the base and then from the contract. Raises BadRequest.

    Always minimal and extractive: this version knows neither efforts nor output modes, and no limit of documents,
    whatever another one has stored.
    """
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    known_agent = replace(agent, effort=None, output_mode=None, max_documents=None)
    return request_of(wire, known_agent, DEFAULTS, user_token=user_token)
