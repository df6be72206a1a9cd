"""Retrieval over an index that the service can vectorize texts for, composed as `LOCAL=1` composes it."""

from collections.abc import Iterator
from typing import Any

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from retrieval.compose import compose
from retrieval.filters import odata
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import connect
from retrieval.model.search import SearchTarget, Subquery
from retrieval.settings.settings import read

CRAFT: dict[str, Any] = {
    "name": "craft",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "title", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "story", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "port", "type": "Edm.String", "searchable": False},
        {"name": "embedding", "type": "Collection(Edm.Single)", "dimensions": 256, "vectorSearchProfile": "text"},
        {"name": "picture", "type": "Collection(Edm.Single)", "dimensions": 3, "vectorSearchProfile": "plain"},
    ],
    "vectorSearch": {
        "algorithms": [{"name": "graph", "kind": "hnsw"}],
        "vectorizers": [{"name": "model", "kind": "azureOpenAI"}],
        "profiles": [
            {"name": "text", "algorithm": "graph", "vectorizer": "model"},
            {"name": "plain", "algorithm": "graph"},
        ],
    },
    "semantic": {
        "defaultConfiguration": "plain",
        "configurations": [
            {
                "name": "plain",
                "prioritizedFields": {
                    "titleField": {"fieldName": "title"},
                    "prioritizedContentFields": [{"fieldName": "story"}],
                },
            }
        ],
    },
}

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "1", "title": "The Heron", "story": "A ketch that carried navigational instruments.", "port": "Ely"},
    {"id": "2", "title": "Lamplight", "story": "The lightship lay at anchor for forty winters.", "port": "York"},
    {"id": "3", "title": "Punt", "story": "A small boat for quiet evenings.", "port": "Ely"},
]


@pytest.fixture
def craft() -> Iterator[None]:
    service = stand_in(()).service
    definitions = SearchIndexClient(**connect(service))
    definitions.create_index(SearchIndex(CRAFT))
    SearchClient(index_name="craft", **connect(service)).upload_documents(DOCUMENTS)
    yield
    definitions.delete_index("craft")


async def found(search: str, filter: str | None = None) -> list[tuple[str, float | None]]:
    index = compose(read({"LOCAL": "1"})).indexes.search
    selection = None if filter is None else odata.read(filter)
    page = await index.search(
        Subquery(search=search, target=SearchTarget(index="craft", filter=selection, threshold=0))
    )
    assert page.unranked is None and page.unreadable == 0
    return [(hit.key, hit.score) for hit in page.hits]


@pytest.mark.usefixtures("craft")
async def test_vectors_find_what_the_words_do_not_and_the_ranker_orders_it() -> None:
    assert await found("lightship at anchor") == [("2", 4.0), ("1", 0.0), ("3", 0.0)]
    misspelt = await found("navigaton instrment")
    assert misspelt[0] == ("1", 0.0)


@pytest.mark.usefixtures("craft")
async def test_a_filter_holds_for_what_vectors_find() -> None:
    assert [key for key, _ in await found("lightship at anchor", "port eq 'Ely'")] == ["1", "3"]
