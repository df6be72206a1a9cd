"""Retrieval over an index that the service can vectorize texts for, composed as `LOCAL=1` composes it."""

from collections.abc import Iterator
from typing import Any

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from retrieval.compose import compose_service
from retrieval.errors import BackendRefused
from retrieval.filters import odata
from retrieval.local.stand_in import stand_in
from retrieval.local.transport import connect
from retrieval.model.search import Page, Recall, SearchTarget, Subquery
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
            },
            {"name": "ports", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "port"}]}},
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


async def page_of(search: str, **said: Any) -> Page:
    index = compose_service(read({"LOCAL": "1"})).indexes.search
    page = await index.search(Subquery(search=search, target=SearchTarget(index="craft", threshold=0, **said)))
    assert page.unranked is None and page.unreadable == 0
    return page


async def found(search: str, filter: str | None = None) -> list[tuple[str, float | None]]:
    page = await page_of(search, filter=None if filter is None else odata.read(filter))
    return [(hit.key, hit.score) for hit in page.hits]


@pytest.mark.usefixtures("craft")
async def test_vectors_find_what_the_words_do_not_and_the_ranker_orders_it() -> None:
    assert await found("lightship at anchor") == [("2", 4.0), ("1", 0.0), ("3", 0.0)]
    misspelt = await found("navigaton instrment")
    assert misspelt[0] == ("1", 0.0)


@pytest.mark.usefixtures("craft")
async def test_a_filter_holds_for_what_vectors_find() -> None:
    assert [key for key, _ in await found("lightship at anchor", "port eq 'Ely'")] == ["1", "3"]


@pytest.mark.usefixtures("craft")
async def test_a_source_searches_the_fields_that_it_names() -> None:
    async def keys(*fields: str) -> list[str]:
        return [hit.key for hit in (await page_of("lightship lamplight", search_fields=fields)).hits]

    assert await keys("title") == await keys("story") == await keys("title", "story") == ["2"]
    assert len(await keys("embedding")) == len(await keys("title", "embedding")) == len(await keys("*")) == 3
    assert await keys("picture", "title") == ["2"]
    with pytest.raises(BackendRefused, match="no vector field that the service can vectorize"):
        await keys("picture")


@pytest.mark.usefixtures("craft")
async def test_a_source_has_its_own_semantic_configuration_and_shows_its_own_fields() -> None:
    page = await page_of(
        "lightship", semantic_configuration="ports", source_fields=("story",), search_fields=("story",)
    )
    assert [(hit.title, hit.content) for hit in page.hits] == [(None, "York")]
    assert page.hits[0].source == {"id": "2", "port": "York", "story": DOCUMENTS[1]["story"]}


@pytest.mark.usefixtures("craft")
async def test_a_source_that_is_not_reranked_has_the_order_of_the_search() -> None:
    page = await page_of("navigaton instrment", recall=Recall(rerank=False))
    assert page.hits[0].key == "1" and {hit.score for hit in page.hits} == {None}
