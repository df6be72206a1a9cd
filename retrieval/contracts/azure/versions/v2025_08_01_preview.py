"""Knowledge agents over knowledge sources, api-version 2025-08-01-preview.

This version has no status 206. The status is 200 even if some sub-queries failed. Source: the models of
azure-search-documents 11.7.0b1.
"""

from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from retrieval.contracts.azure.kinds.table import served
from retrieval.contracts.azure.request_body import MOST_MESSAGES, Wire
from retrieval.contracts.azure.retrieve.request_shapes import AllSourceParams, Message
from retrieval.contracts.azure.retrieve.requests import Defaults
from retrieval.contracts.azure.retrieve.responses import Types
from retrieval.contracts.azure.version import Version
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import USUAL_DOCUMENTS, RetrievalRequest


class RetrieveRequest(Wire):
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    knowledge_source_params: AllSourceParams | None = None


def _complete(request: RetrievalRequest, agent: Agent) -> RetrievalRequest:
    """The request with what an agent of this version states. A body cannot state an effort. The effort that a later
    version stored applies, or else AGENT_EFFORT. An agent may limit the number of sub-queries for each source."""
    pairs = zip(request.targets, agent.targets, strict=True)
    targets = (replace(search_target, max_subqueries=target.max_subqueries) for search_target, target in pairs)
    return replace(request, effort=agent.effort, targets=tuple(targets))


VERSION: Final = Version(
    name="2025-08-01-preview",
    kinds=served("searchIndex", "modelStudioBase", "azureBlob"),
    defaults=Defaults(
        # Of nine real answers of this version and the next where nobody set a threshold, the lowest score is 1.91.
        threshold=1.9,
        most_queries={},
        unknown=("effort", "max_documents"),
        usual_documents=dict.fromkeys(USUAL_DOCUMENTS, 10),
    ),
    types=Types(ranking="semanticReranker", resolves=False, digits=3, shows_effort=False, status_of_some=200),
    request_shape=RetrieveRequest,
    complete=_complete,
)
