"""Drives Microsoft's unmodified SearchIndexClient over agents and prints what it saw, as one JSON object.

Runs in an environment of its own that has azure-search-documents 11.6.0b12: with an https address and the path of the
certificate to trust as arguments, over the network; without any it reaches the functions in the same process.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from azure.core import MatchConditions
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent import aio as agent_aio
from azure.search.documents.agent.models import (
    KnowledgeAgentMessage,
    KnowledgeAgentMessageTextContent,
    KnowledgeAgentRetrievalRequest,
)
from azure.search.documents.indexes import SearchIndexClient, models
from azure.search.documents.indexes import aio as indexes_aio

wire: Any = models
"""The models of that version; the one that this project has knows no agents."""

ADMIN = AzureKeyCredential("local-admin-key")
QUERY = AzureKeyCredential("local-dev-key")
QUESTION = KnowledgeAgentRetrievalRequest(
    messages=[
        KnowledgeAgentMessage(
            role="user",
            content=[KnowledgeAgentMessageTextContent(text="Why is the street grid of Phoenix so sharply visible?")],
        )
    ]
)


def agent(name: str, *, index: str = "earth_at_night", threshold: float = 1.0, **members: Any) -> Any:
    target = wire.KnowledgeAgentTargetIndex(
        index_name=index,
        default_reranker_threshold=threshold,
        default_include_reference_source_data=True,
        default_max_docs_for_reranker=100,
    )
    limits = wire.KnowledgeAgentRequestLimits(max_runtime_in_seconds=60, max_output_size=5_000)
    usual = {"models": [], "target_indexes": [target], "request_limits": limits}
    return wire.KnowledgeAgent(name=name, **{**usual, **members})


def foreign_model() -> list[Any]:
    parameters = wire.AzureOpenAIVectorizerParameters(
        resource_url="https://elsewhere.example", deployment_name="d", api_key="k", model_name="gpt-4o-mini"
    )
    return [wire.KnowledgeAgentAzureOpenAIModel(azure_open_ai_parameters=parameters)]


def facts(found: Any) -> dict[str, Any]:
    """What the client made of a definition, by its own types; the etag apart."""
    return {
        "name": found.name,
        "description": found.description,
        "models": found.models,
        "index": found.target_indexes[0].index_name,
        "threshold": found.target_indexes[0].default_reranker_threshold,
        "max_runtime": found.request_limits.max_runtime_in_seconds if found.request_limits else None,
        "etag": bool(found.e_tag),
    }


def failure(error: HttpResponseError) -> dict[str, Any]:
    return {"class": type(error).__name__, "status": error.status_code}


def stale(found: Any) -> Any:
    copy = agent(found.name)
    copy.e_tag = '"0xOLD"'
    return copy


def attempts(current: Any) -> dict[str, tuple[Any, MatchConditions]]:
    """Writes whose match conditions do not hold."""
    return {
        "stale": (stale(current), MatchConditions.IfNotModified),
        "not modified": (current, MatchConditions.IfModified),
        "missing": (agent("nowhere"), MatchConditions.IfPresent),
        "present": (current, MatchConditions.IfMissing),
    }


def sync_client(endpoint: str, options: dict[str, Any]) -> dict[str, Any]:
    client: Any = SearchIndexClient(endpoint, ADMIN, **options)
    seen: dict[str, Any] = {"failures": {}}
    created = client.create_agent(agent("made-sync", description="first"))
    seen["created"] = facts(created)
    created.description = "second"
    updated = client.create_or_update_agent(created, match_condition=MatchConditions.IfNotModified)
    seen["updated"] = facts(updated)
    seen["etags differ"] = created.e_tag != updated.e_tag
    seen["got equals updated"] = client.get_agent("made-sync").as_dict() == updated.as_dict()
    seen["listed"] = sorted(one.name for one in client.list_agents())
    retrieval = KnowledgeAgentRetrievalClient(endpoint, "made-sync", QUERY, **options)
    seen["references"] = [one.doc_key for one in retrieval.retrieve(QUESTION).references]
    for name, (one, condition) in attempts(updated).items():
        try:
            client.create_or_update_agent(one, match_condition=condition)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
    for name, one in {
        "exists": agent("made-sync"),
        "no index": agent("other", index="nowhere"),
        "foreign model": agent("other", models=foreign_model()),
    }.items():
        try:
            client.create_agent(one)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
    try:
        client.delete_agent(stale(updated), match_condition=MatchConditions.IfNotModified)
    except HttpResponseError as error:
        seen["failures"]["stale delete"] = failure(error)
    client.delete_agent(updated, match_condition=MatchConditions.IfNotModified)
    try:
        client.get_agent("made-sync")
    except HttpResponseError as error:
        seen["failures"]["gone"] = failure(error)
    return seen


async def async_client(endpoint: str, options: dict[str, Any]) -> dict[str, Any]:
    client: Any = indexes_aio.SearchIndexClient(endpoint, ADMIN, **options)
    seen: dict[str, Any] = {"failures": {}}
    created = await client.create_agent(agent("made-async", description="first"))
    seen["created"] = facts(created)
    created.description = "second"
    updated = await client.create_or_update_agent(created, match_condition=MatchConditions.IfNotModified)
    seen["updated"] = facts(updated)
    seen["etags differ"] = created.e_tag != updated.e_tag
    seen["got equals updated"] = (await client.get_agent("made-async")).as_dict() == updated.as_dict()
    seen["listed"] = sorted([one.name async for one in client.list_agents()])
    retrieval = agent_aio.KnowledgeAgentRetrievalClient(endpoint, "made-async", QUERY, **options)
    seen["references"] = [one.doc_key for one in (await retrieval.retrieve(QUESTION)).references]
    await retrieval.close()
    for name, (one, condition) in attempts(updated).items():
        try:
            await client.create_or_update_agent(one, match_condition=condition)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
    for name, one in {
        "exists": agent("made-async"),
        "no index": agent("other", index="nowhere"),
        "foreign model": agent("other", models=foreign_model()),
    }.items():
        try:
            await client.create_agent(one)
        except HttpResponseError as error:
            seen["failures"][name] = failure(error)
    try:
        await client.delete_agent(stale(updated), match_condition=MatchConditions.IfNotModified)
    except HttpResponseError as error:
        seen["failures"]["stale delete"] = failure(error)
    await client.delete_agent(updated, match_condition=MatchConditions.IfNotModified)
    try:
        await client.get_agent("made-async")
    except HttpResponseError as error:
        seen["failures"]["gone"] = failure(error)
    await client.close()
    return seen


def over_tls(endpoint: str, certificate: str) -> dict[str, Any]:
    options = {"connection_verify": certificate}
    return {"sync": sync_client(endpoint, options), "async": asyncio.run(async_client(endpoint, options))}


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
    print(json.dumps(over_tls(*sys.argv[1:]) if len(sys.argv) > 1 else in_process()))
