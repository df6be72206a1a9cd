"""Drives Semantic Kernel's vector store over a collection of its own making and prints what it saw, as JSON.

Runs in an environment of its own that has semantic-kernel, with an https address as its argument; SSL_CERT_FILE in the
environment names the certificate to trust. The store is given its two clients, as one with a key of its own is.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Annotated, Any

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from semantic_kernel.connectors.azure_ai_search import AzureAISearchCollection
from semantic_kernel.data.vector import VectorStoreField, vectorstoremodel

KEY = AzureKeyCredential("local-admin-key")


@vectorstoremodel(collection_name="boats")
@dataclass
class Boat:
    id: Annotated[str, VectorStoreField("key")]
    story: Annotated[str, VectorStoreField("data", is_full_text_indexed=True)]
    masts: Annotated[int, VectorStoreField("data", is_indexed=True)]
    place: Annotated[list[float] | None, VectorStoreField("vector", dimensions=2)] = None


BOATS = [
    Boat("1", "A ketch has two masts.", 2, [1.0, 0.0]),
    Boat("2", "A punt has no mast at all.", 0, [0.0, 1.0]),
]


async def stories(results: Any) -> list[str]:
    return [result.record.story async for result in results.results]


async def use(collection: AzureAISearchCollection[str, Boat]) -> dict[str, Any]:
    await collection.ensure_collection_exists()
    seen: dict[str, Any] = {"exists": await collection.collection_exists(), "keys": await collection.upsert(BOATS)}
    record = await collection.get("1")
    assert isinstance(record, Boat)
    seen["got"] = [record.story, record.masts]
    seen["nearest"] = await stories(await collection.search(vector=[0.1, 0.9], top=1))
    seen["hybrid"] = await stories(await collection.hybrid_search(values="ketch", vector=[1.0, 0.0], top=1))
    narrowed = await collection.search(vector=[0.1, 0.9], filter=lambda boat: boat.masts == 2)
    seen["narrowed"] = await stories(narrowed)
    await collection.delete("1")
    seen["deleted"] = await collection.get("1")
    await collection.ensure_collection_deleted()
    return seen | {"gone": not await collection.collection_exists()}


async def main(address: str) -> dict[str, Any]:
    async with SearchIndexClient(address, KEY) as indexes, SearchClient(address, "boats", KEY) as client:
        return await use(AzureAISearchCollection(record_type=Boat, search_client=client, search_index_client=indexes))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
