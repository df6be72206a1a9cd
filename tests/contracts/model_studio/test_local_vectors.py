"""Retrieve over an index with vectors in the local search service, as `make search` serves it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from retrieval import compose
from retrieval.local.search_service import SearchService
from retrieval.local.search_service.api.service import DEVELOPMENT_KEY
from retrieval.local.server import serving
from retrieval.local.transport import connect_async
from tests.conftest import KEY
from tests.contracts.model_studio.conftest import Ask

ATLAS: dict[str, Any] = {
    "name": "atlas",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "content", "type": "Edm.String", "analyzer": "en.lucene"},
        {
            "name": "meaning",
            "type": "Collection(Edm.Single)",
            "dimensions": 256,
            "vectorSearchProfile": "made",
            "stored": False,
        },
    ],
    "vectorSearch": {
        "algorithms": [{"name": "graph", "kind": "hnsw"}],
        "vectorizers": [{"name": "model", "kind": "azureOpenAI"}],
        "compressions": [{"name": "bytes", "kind": "scalarQuantization"}],
        "profiles": [{"name": "made", "algorithm": "graph", "vectorizer": "model", "compression": "bytes"}],
    },
    "semantic": {
        "defaultConfiguration": "plain",
        "configurations": [
            {"name": "plain", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "content"}]}}
        ],
    },
}
TEXTS = {
    "a": "Harbour to harbour: harbour bridges, harbour cranes.",
    "b": "The harbour.",
    "c": "The harbours' lighthouse keepers wrote of their harbourmasters.",
    "d": "Deserts at noon.",
}
PLAIN_AGENT = [{"name": "plain", "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 0.0}]}]


@pytest.fixture
async def atlas(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[None]:
    """The functions over a local search service on loopback, whose index `atlas` makes its vectors itself."""
    from azure.search.documents.aio import SearchClient
    from azure.search.documents.indexes.aio import SearchIndexClient
    from azure.search.documents.indexes.models import SearchIndex

    service = SearchService()
    async with SearchIndexClient(**connect_async(service)) as indexes:
        await indexes.create_index(SearchIndex(ATLAS))
    async with SearchClient(index_name="atlas", **connect_async(service)) as client:
        await client.upload_documents([{"id": key, "content": text} for key, text in TEXTS.items()])
    agents = tmp_path_factory.mktemp("agents") / "agents.json"
    agents.write_text(json.dumps(PLAIN_AGENT))
    compose.service.cache_clear()
    async with serving(service) as address:
        for name, value in {
            "AZURE_SEARCH_ENDPOINT": address,
            "AZURE_SEARCH_API_KEY": DEVELOPMENT_KEY,
            "AGENTS_FILE": str(agents),
            "API_KEYS": KEY,
            "LOCAL": "0",
            "WORKSPACES": json.dumps({"llm-x": {"kb": {"agent": "plain", "index": "atlas", "fields": {}}}}),
        }.items():
            monkeypatch.setenv(name, value)
        yield
        await compose.end()


async def found(ask: Ask, **parameters: object) -> set[str]:
    answer = await ask(path="/llm-x/index/retrieve", IndexId="kb", Query="harbour", RerankMinScore=0.01, **parameters)
    assert answer.status == 200, answer.body
    return {node["Metadata"]["_id"] for node in answer.json["Data"]["Nodes"]}


async def test_both_top_k_reach_an_index_with_vectors(atlas: None, ask: Ask) -> None:
    by_vectors = await found(ask, DenseSimilarityTopK=1, SparseSimilarityTopK=0)
    by_text = await found(ask, DenseSimilarityTopK=0, SparseSimilarityTopK=1)
    assert (by_vectors, by_text) == ({"b"}, {"a"})
    assert await found(ask, DenseSimilarityTopK=1, SparseSimilarityTopK=1) == {"a", "b"}
    assert await found(ask) >= {"a", "b"}
