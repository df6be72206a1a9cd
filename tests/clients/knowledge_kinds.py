"""Drives one of Microsoft's unmodified clients over sources whose index Azure's ingestion makes, of each kind that the
client has, and prints what it saw, as one JSON object.

It goes the way of `knowledge_base.py`, whose arguments and SPEAKING it has too: defines, lists, updates, asks, deletes.
The index of a kind is there already, and is named after the source.
"""

import json
import sys
from typing import Any, Final

from knowledge_base import (  # type: ignore[import-not-found]
    ADMIN,
    NOUN,
    QUESTION,
    base,
    listed,
    over_tls,
    ready,
    retrieval_client,
    wire,
    words,
)

KINDS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "azureBlob": ("AzureBlob", {"connection_string": "ResourceId=/a;", "container_name": "c"}),
    "indexedSharePoint": (
        "IndexedSharePoint",
        {"connection_string": "SharePointOnlineEndpoint=https://a.sharepoint.com;", "container_name": "useQuery"},
    ),
    "indexedOneLake": ("IndexedOneLake", {"fabric_workspace_id": "w", "lakehouse_id": "l"}),
    "indexedSql": ("IndexedSql", {"connection_string": "ResourceId=/a;", "table_or_view": "t"}),
    "file": ("File", {}),
}
"""The first part of the names of a kind's classes, and the members that it must have."""


NAMES: Final = {*map(str.lower, KINDS), "elsewhere"}
"""The last is a source that is there already, of a kind that the older clients do not have."""


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def source(kind: str, description: str) -> Any:
    prefix, members = KINDS[kind]
    parameters = getattr(wire, f"{prefix}KnowledgeSourceParameters")(**members)
    named = {f"{snake(prefix)}_parameters": parameters}
    return getattr(wire, f"{prefix}KnowledgeSource")(name=kind.lower(), description=description, kind=kind, **named)


def request(kind: str) -> Any:
    """By intents, with the kind's own parameters; by a message in the client that has neither."""
    name = kind.lower()
    if NOUN == "agent":
        content = words.KnowledgeAgentMessageTextContent(text=QUESTION)
        return words.KnowledgeAgentRetrievalRequest(
            messages=[words.KnowledgeAgentMessage(role="user", content=[content])]
        )
    params = getattr(words, f"{KINDS[kind][0]}KnowledgeSourceParams")(
        knowledge_source_name=name, include_references=True, include_reference_source_data=True, reranker_threshold=0.0
    )
    return words.KnowledgeBaseRetrievalRequest(
        intents=[words.KnowledgeRetrievalSemanticIntent(search=QUESTION)],
        knowledge_source_params=[params],
        include_activity=True,
    )


def told(found: Any, kind: str) -> dict[str, Any]:
    record = next(one for one in found.activity if plain(one, "type") == kind)
    reference = found.references[0]
    return {
        "record": type(record).__name__,
        "arguments": plain(plain(record, f"{snake(KINDS[kind][0])}_arguments"), "search"),
        "count": plain(record, "count"),
        "reference": type(reference).__name__,
        "type": plain(reference, "type"),
        "place": next(filter(None, (plain(reference, name) for name in ("blob_url", "doc_url", "doc_name"))), None),
        "data": bool(plain(reference, "source_data")),
    }


def plain(value: Any, name: str) -> Any:
    """A member by its name in Python, or on the wire where the client has no class for what it is in."""
    if hasattr(value, name):
        found = getattr(value, name)
        return getattr(found, "value", found)
    first, *rest = name.split("_")
    whole = first + "".join(part.capitalize() for part in rest)
    more = value if hasattr(value, "get") else getattr(value, "additional_properties", {})
    return more.get(whole)


async def drive(client: Any, module: Any, address: str, options: dict[str, Any], kind: str) -> dict[str, Any]:
    name = kind.lower()
    put, delete = (getattr(client, f"{verb}_{NOUN}") for verb in ("create_or_update", "delete"))
    created = await ready(client.create_knowledge_source(source(kind, "first")))
    parameters = getattr(created, f"{snake(KINDS[kind][0])}_parameters")
    seen: dict[str, Any] = {"source": type(created).__name__, "index": plain(parameters, "created_resources")["index"]}
    created.description = "second"
    await ready(client.create_or_update_knowledge_source(created))
    got = await ready(client.get_knowledge_source(name))
    seen["got"] = [type(got).__name__, got.description]
    seen["listed"] = sorted(one.name for one in await listed(client.list_knowledge_sources()) if one.name in NAMES)
    if hasattr(client, "get_knowledge_source_status"):
        status = await ready(client.get_knowledge_source_status(name))
        seen["status"] = plain(status, "synchronization_status")
        seen["documents"] = plain(status, "document_count")
    await ready(put(base(f"base-{name}", name, "d")))
    asked = retrieval_client(module, address, f"base-{name}", options)
    seen["answer"] = told(await ready(asked.retrieve(request(kind))), kind)
    await ready(asked.close())
    await ready(delete(f"base-{name}"))
    await ready(client.delete_knowledge_source(name))
    seen["left"] = name in [one.name for one in await listed(client.list_knowledge_sources())]
    return seen


async def every_kind(managing: Any, module: Any, address: str, options: dict[str, Any]) -> dict[str, Any]:
    client = managing(address, ADMIN, **options)
    kinds = [kind for kind, (prefix, _) in KINDS.items() if hasattr(wire, f"{prefix}KnowledgeSource")]
    seen = {kind: await drive(client, module, address, options, kind) for kind in kinds}
    await ready(client.close())
    return seen


if __name__ == "__main__":
    print(json.dumps(over_tls(every_kind, *sys.argv[1:])))
