"""Drives Microsoft's unmodified KnowledgeAgentRetrievalClient and prints what it saw, as one JSON object.

Runs in an environment of its own that has azure-search-documents 11.6.0b12, the client of api-version
2025-05-01-preview: `knowledge_agent.py ENDPOINT` calls an address over the network, `knowledge_agent.py` without one
reaches the functions in the same process through the shipped transport.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent import aio as agent_aio
from azure.search.documents.agent.models import (
    KnowledgeAgentIndexParams,
    KnowledgeAgentMessage,
    KnowledgeAgentMessageTextContent,
    KnowledgeAgentRetrievalRequest,
)

QUESTION = (
    "Why is the Phoenix nighttime street grid is so sharply visible from space, whereas large stretches of the "
    "interstate between midwestern cities remain comparatively dim?"
)


def request(question: str = QUESTION, **params: Any) -> KnowledgeAgentRetrievalRequest:
    content = [KnowledgeAgentMessageTextContent(text=question)]
    return KnowledgeAgentRetrievalRequest(
        messages=[KnowledgeAgentMessage(role="user", content=content)],
        target_index_params=[KnowledgeAgentIndexParams(index_name="earth_at_night", **params)],
    )


WITH_EVERYTHING = request(
    filter_add_on="page_number eq '105' or page_number eq '104'",
    include_reference_source_data=True,
    reranker_threshold=1.0,
    max_docs_for_reranker=100,
)


def facts(result: Any) -> dict[str, Any]:
    """Types as the client knows them, so that a shape it does not recognise shows as its base class."""
    return {
        "text": result.response[0].content[0].text,
        "role": result.response[0].role,
        "activity": [
            {
                "class": type(record).__name__,
                "id": record.id,
                "type": record.type,
                "elapsed_ms": record.elapsed_ms,
                **({"count": record.count, "filter": record.query.filter} if hasattr(record, "count") else {}),
            }
            for record in result.activity
        ],
        "references": [
            {
                "class": type(reference).__name__,
                "id": reference.id,
                "key": reference.doc_key,
                "activity_source": reference.activity_source,
                "source_data": sorted(reference.source_data) if reference.source_data else None,
            }
            for reference in result.references
        ],
    }


def failure(error: HttpResponseError) -> dict[str, Any]:
    told = error.error
    return {"class": type(error).__name__, "status": error.status_code, "code": told.code if told else None}


FAILURES: dict[str, tuple[str, str, KnowledgeAgentRetrievalRequest]] = {
    "wrong key": ("earth-at-night", "wrong", request()),
    "unknown agent": ("nobody", "local-dev-key", request()),
    "bad filter": ("earth-at-night", "local-dev-key", request(filter_add_on="page_number eq")),
    "foreign index": (
        "earth-at-night",
        "local-dev-key",
        KnowledgeAgentRetrievalRequest(
            messages=request().messages, target_index_params=[KnowledgeAgentIndexParams(index_name="other")]
        ),
    ),
}


def sync_client(endpoint: str, options: dict[str, Any]) -> dict[str, Any]:
    def client(agent: str, key: str) -> KnowledgeAgentRetrievalClient:
        return KnowledgeAgentRetrievalClient(endpoint, agent, AzureKeyCredential(key), **options)

    seen: dict[str, Any] = {"failures": {}}
    usual = client("earth-at-night", "local-dev-key")
    seen["plain"] = facts(usual.retrieve(request()))
    seen["rich"] = facts(usual.retrieve(WITH_EVERYTHING))
    usual.close()
    for name, (agent, key, body) in FAILURES.items():
        try:
            client(agent, key).retrieve(body)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
    return seen


async def async_client(endpoint: str, options: dict[str, Any]) -> dict[str, Any]:
    def client(agent: str, key: str) -> agent_aio.KnowledgeAgentRetrievalClient:
        return agent_aio.KnowledgeAgentRetrievalClient(endpoint, agent, AzureKeyCredential(key), **options)

    seen: dict[str, Any] = {"failures": {}}
    usual = client("earth-at-night", "local-dev-key")
    seen["plain"] = facts(await usual.retrieve(request()))
    seen["rich"] = facts(await usual.retrieve(WITH_EVERYTHING))
    await usual.close()
    for name, (agent, key, body) in FAILURES.items():
        one = client(agent, key)
        try:
            await one.retrieve(body)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
        await one.close()
    return seen


def over_the_network(endpoint: str) -> dict[str, Any]:
    return {"sync": sync_client(endpoint, {}), "async": asyncio.run(async_client(endpoint, {}))}


def in_process() -> dict[str, Any]:
    root = Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root))
    from retrieval.local.host import open_host
    from retrieval.local.transport import ENDPOINT, AsyncInProcessTransport, InProcessTransport

    host = asyncio.run(open_host(root))
    return {
        "sync": sync_client(ENDPOINT, {"transport": InProcessTransport(host)}),
        "async": asyncio.run(async_client(ENDPOINT, {"transport": AsyncInProcessTransport(host)})),
    }


if __name__ == "__main__":
    print(json.dumps(over_the_network(sys.argv[1]) if len(sys.argv) > 1 else in_process()))
