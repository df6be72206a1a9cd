"""Drives one of Microsoft's unmodified clients of knowledge sources and prints what it saw, as one JSON object.

Runs in an environment of its own with azure-search-documents from 11.7.0b1 on: an https address and the path of the
certificate to trust are its arguments; without any it reaches the functions in the same process. Sync and async clients
go the same way, which makes a source and a base (an agent in 11.7.0b1), lists, updates with etags, retrieves, reads
typed activity and references, and deletes. With SPEAKING in the environment a policy rewrites the api-version of each
call to that one.
"""

import asyncio
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

from azure.core import MatchConditions
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes import aio as indexes_aio
from azure.search.documents.indexes import models as definitions

wire: Any = definitions
try:
    from azure.search.documents import knowledgebases as retrieving
    from azure.search.documents.knowledgebases import aio as retrieving_aio
    from azure.search.documents.knowledgebases import models as asking

    NOUN, CLIENT = "knowledge_base", "KnowledgeBaseRetrievalClient"
except ImportError:
    from azure.search.documents import agent as retrieving  # type: ignore[no-redef]
    from azure.search.documents.agent import aio as retrieving_aio  # type: ignore[no-redef]
    from azure.search.documents.agent import models as asking  # type: ignore[no-redef]

    NOUN, CLIENT = "agent", "KnowledgeAgentRetrievalClient"

words: Any = asking
ADMIN = AzureKeyCredential("local-admin-key")
QUERY = AzureKeyCredential("local-dev-key")
QUESTION = "Why is the street grid of Phoenix so sharply visible from space?"


Drive: TypeAlias = Callable[[Any, Any, str, dict[str, Any]], Coroutine[Any, Any, dict[str, Any]]]
"""Goes a way with a client that manages, the module of those that retrieve, an address and options of all clients."""


class Speaking(SansIOHTTPPolicy[Any, Any]):
    """A caller who sets the version by hand, below what the client checks itself."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        version = os.environ["SPEAKING"]
        request.http_request.url = re.sub(r"(?<=[?&]api-version=)[^&]*", version, request.http_request.url)


async def ready(found: Any) -> Any:
    return await found if inspect.isawaitable(found) else found


async def listed(found: Any) -> list[Any]:
    return [one async for one in found] if hasattr(found, "__aiter__") else list(found)


def source(name: str, description: str) -> Any:
    parameters = wire.SearchIndexKnowledgeSourceParameters(search_index_name="earth_at_night")
    return wire.SearchIndexKnowledgeSource(
        name=name, description=description, search_index_parameters=parameters, kind="searchIndex"
    )


def base(name: str, source: str, description: str) -> Any:
    reference = wire.KnowledgeSourceReference(name=source)
    if NOUN == "agent":
        reference = wire.KnowledgeSourceReference(name=source, include_references=True, reranker_threshold=1.0)
        return wire.KnowledgeAgent(name=name, models=[], knowledge_sources=[reference], description=description)
    return wire.KnowledgeBase(name=name, knowledge_sources=[reference], description=description)


def request(source: str) -> Any:
    """By intents where this client has them, else by messages; with source data where it can say so."""
    parameters: dict[str, Any] = {"knowledge_source_name": source, "filter_add_on": "page_number eq '105'"}
    if NOUN == "agent":
        message = words.KnowledgeAgentMessage(
            role="user", content=[words.KnowledgeAgentMessageTextContent(text=QUESTION)]
        )
        chosen = words.SearchIndexKnowledgeSourceParams(**parameters)
        return words.KnowledgeAgentRetrievalRequest(messages=[message], knowledge_source_params=[chosen])
    more = {"include_references": True, "include_reference_source_data": True, "reranker_threshold": 1.0}
    return words.KnowledgeBaseRetrievalRequest(
        intents=[words.KnowledgeRetrievalSemanticIntent(search=QUESTION)],
        knowledge_source_params=[words.SearchIndexKnowledgeSourceParams(**parameters, **more)],
        include_activity=True,
    )


def activity(record: Any) -> dict[str, Any]:
    return {"class": type(record).__name__, "type": record["type"] if hasattr(record, "keys") else record.type}


def answer(found: Any) -> dict[str, Any]:
    return {
        "text": json.loads(found.response[0].content[0].text),
        "activity": [activity(one) for one in found.activity],
        "references": [
            {
                "class": type(one).__name__,
                "key": one.doc_key,
                "score": one.reranker_score,
                "data": sorted(one.source_data or {}),
            }
            for one in found.references
        ],
    }


async def failure(call: Any) -> dict[str, Any]:
    try:
        await ready(call())
    except HttpResponseError as error:
        return {"class": type(error).__name__, "status": error.status_code}
    raise AssertionError("It did not fail.")


def retrieval_client(module: Any, address: str, name: str, options: dict[str, Any]) -> Any:
    kind = getattr(module, CLIENT)
    if list(inspect.signature(kind.__init__).parameters)[2].endswith("_name"):
        return kind(address, name, QUERY, **options)
    return kind(address, QUERY, knowledge_base_name=name, **options)


async def drive(managing: Any, retrieving: Any, address: str, options: dict[str, Any]) -> dict[str, Any]:
    client, kind = managing(address, ADMIN, **options), "sync" if managing is SearchIndexClient else "async"
    source_name, name = f"source-{kind}", f"base-{kind}"
    put, get, delete = (getattr(client, f"{verb}_{NOUN}") for verb in ("create_or_update", "get", "delete"))
    seen: dict[str, Any] = {}
    made = await ready(client.create_or_update_knowledge_source(source(source_name, "first")))
    seen["source"] = {"name": made.name, "index": made.search_index_parameters.search_index_name}
    created = await ready(put(base(name, source_name, "first")))
    created.description = "second"
    updated = await ready(put(created, match_condition=MatchConditions.IfNotModified))
    seen["base"] = {"name": updated.name, "description": updated.description, "models": updated.models}
    seen["got"] = (await ready(get(name))).e_tag == updated.e_tag != created.e_tag
    seen["listed"] = sorted(one.name for one in await listed(getattr(client, f"list_{NOUN}s")()))
    seen["sources"] = sorted(one.name for one in await listed(client.list_knowledge_sources()))
    seen["stale"] = await failure(lambda: put(created, match_condition=MatchConditions.IfNotModified))
    seen["in use"] = await failure(lambda: client.delete_knowledge_source(source_name))
    if hasattr(client, "get_knowledge_source_status"):
        status = await ready(client.get_knowledge_source_status(source_name))
        seen["status"] = str(getattr(status.synchronization_status, "value", status.synchronization_status))
    asked = retrieval_client(retrieving, address, name, options)
    seen["answer"] = answer(await ready(asked.retrieve(request(source_name))))
    if hasattr(asked, "retrieve_stream"):
        seen["events"] = await events(asked, source_name)
    missing = retrieval_client(retrieving, address, "missing", options)
    seen["missing"] = await failure(lambda: missing.retrieve(request(source_name)))
    await ready(delete(name))
    await ready(client.delete_knowledge_source(source_name))
    seen["left"] = sorted(one.name for one in await listed(client.list_knowledge_sources()))
    for one in (asked, missing, client):
        await ready(one.close())
    return seen


async def events(client: Any, source: str) -> list[str]:
    stream = await ready(client.retrieve_stream(request(source)))
    found = [one async for one in stream] if hasattr(stream, "__aiter__") else list(stream)
    return [one.event_type for one in found]


def both(drive: Drive, address: str, sync: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What is seen with the sync clients and with the async ones, each with its options."""
    if os.environ.get("SPEAKING"):
        sync, other = ({**options, "per_call_policies": [Speaking()]} for options in (sync, other))
    return {
        "sync": asyncio.run(drive(SearchIndexClient, retrieving, address, sync)),
        "async": asyncio.run(drive(indexes_aio.SearchIndexClient, retrieving_aio, address, other)),
    }


def in_process() -> dict[str, Any]:
    root = Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root))
    from retrieval.local.host import open_host
    from retrieval.local.transport import ENDPOINT, AsyncInProcessTransport, InProcessTransport

    host = asyncio.run(open_host(root))
    return both(drive, ENDPOINT, {"transport": InProcessTransport(host)}, {"transport": AsyncInProcessTransport(host)})


def over_tls(drive: Drive, address: str, certificate: str) -> dict[str, Any]:
    trusted = {"connection_verify": certificate}
    return both(drive, address, trusted, trusted)


if __name__ == "__main__":
    print(json.dumps(over_tls(drive, *sys.argv[1:]) if len(sys.argv) > 1 else in_process()))
