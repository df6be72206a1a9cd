"""The request of retrieve: `POST knowledgebases('{name}')/retrieve`, api-version 2026-11-01-preview, into the hub.

Ours, until its specification is public: the members of 2026-08-01-preview. Those of graphs, whose names are not known,
are refused where they say something.
"""

from collections.abc import Mapping
from typing import Final, get_args

from pydantic import model_validator

from retrieval.contracts.azure.elsewhere import shapes_of, versions_with
from retrieval.contracts.azure.parts import property_names, read
from retrieval.contracts.azure.preview_kinds import Kind
from retrieval.contracts.azure.retrieve import preview_shapes
from retrieval.contracts.azure.retrieve.requests import Defaults, request_of
from retrieval.model import most_subqueries
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import RetrievalRequest


class RetrieveRequest(preview_shapes.RetrieveRequest):
    @model_validator(mode="before")
    @classmethod
    def _without_unsaid_graphs(cls, body: object) -> object:
        if not isinstance(body, Mapping):
            return body
        return {name: value for name, value in body.items() if value is not None or "graph" not in name.lower()}


DEFAULTS: Final = Defaults(kinds=get_args(Kind), most_queries=most_subqueries.BY_EFFORT)
_NAMES: Final = property_names(shapes_of(RetrieveRequest))


def parse(body: bytes, agent: Agent, *, user_token: str | None) -> RetrievalRequest:
    """The request, with what it leaves open taken from the base and then from the contract. Raises BadRequest."""
    wire = read(body, RetrieveRequest, names=_NAMES, elsewhere=versions_with)
    return request_of(wire, agent, DEFAULTS, user_token=user_token)
