"""The request of retrieve: `POST agents('{name}')/retrieve`, api-version 2025-08-01-preview, into the hub.

Source: the models of azure-search-documents 11.7.0b1.
"""

from dataclasses import replace
from typing import Annotated, Final, get_args

from pydantic import Field

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import MOST_MESSAGES, Wire, property_names, read
from retrieval.contracts.azure.retrieve.request_shapes import Message, NamedSource
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.contracts.azure.v2025_08_01_preview.kinds import Kind
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import RetrievalRequest


class RetrieveRequest(Wire):
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    knowledge_source_params: Annotated[list[NamedSource], Field(fail_fast=True)] | None = None


DEFAULTS: Final = Defaults(kinds=get_args(Kind))
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the agent and then from the contract. Raises BadRequest.

    This version cannot state an effort: that of a later one holds where it is stored. It knows no limit of documents,
    and bounds sub-queries by source.
    """
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    known_agent = replace(agent, effort=None, max_documents=None)
    request = request_of(wire, known_agent, DEFAULTS, user_token=user_token)
    pairs = zip(request.targets, agent.targets, strict=True)
    return replace(
        request,
        effort=agent.effort,
        targets=tuple(replace(search_target, max_subqueries=target.max_subqueries) for search_target, target in pairs),
    )
