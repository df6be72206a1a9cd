"""The request of retrieve: `POST knowledgebases('{name}')/retrieve`, api-version 2026-08-01-preview, into the hub.

Source: the models of azure-search-documents 12.1.0b2.
"""

from typing import Final, get_args

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import property_names, read
from retrieval.contracts.azure.preview_kinds import Kind
from retrieval.contracts.azure.retrieve.preview_shapes import RetrieveRequest
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.model import most_subqueries
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import RetrievalRequest

__all__ = ["RetrieveRequest", "parse"]

DEFAULTS: Final = Defaults(kinds=get_args(Kind), most_queries=most_subqueries.BY_EFFORT)
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the base and then from the contract. Raises BadRequest."""
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    return request_of(wire, agent, DEFAULTS, user_token=user_token)
