"""A search service with an embedding model: what a vectorizer means, what is searched, and what fails how."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.rest import HttpRequest
from azure.search.documents import SearchClient
from azure.search.documents.aio import SearchClient as AsyncSearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex
from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.models.mixed_ranker import MixedRanker
from retrieval.local.search_service.models.ports import Vector
from retrieval.local.search_service.models.remembered import Remembered
from retrieval.local.search_service.models.wanted import Models
from retrieval.local.transport import ENDPOINT, connect, connect_async
from tests.local.search_service.models.encoders import Topics

DOCUMENTS = [
    {"id": "1", "text": "The lightship lay at anchor."},
    {"id": "2", "text": "Supper is at seven."},
    {"id": "3", "text": "The fee is due in March."},
]
ALGORITHMS = [{"name": "a", "kind": "hnsw"}]


def definition(dimensions: int = 4, kind: str | None = "azureOpenAI") -> SearchIndex:
    profile = {"name": "p", "algorithm": "a", **({"vectorizer": "v"} if kind else {})}
    vector = {"name": "v", "type": "Collection(Edm.Single)", "dimensions": dimensions, "vectorSearchProfile": "p"}
    semantic = {"name": "s", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "text"}]}}
    return SearchIndex(
        {
            "name": "notes",
            "fields": [
                {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
                {"name": "text", "type": "Edm.String", "analyzer": "en.lucene"},
                vector,
            ],
            "vectorSearch": {
                "algorithms": ALGORITHMS,
                "vectorizers": [{"name": "v", "kind": kind or "aml"}],
                "profiles": [profile],
            },
            "semantic": {"defaultConfiguration": "s", "configurations": [semantic]},
        }
    )


def service(model: Topics) -> SearchService:
    return SearchService(
        catalog=Catalog(
            models=Models(embedder=Remembered(model), ranker=MixedRanker(model.name), is_slow=True),
        )
    )


def filled(model: Topics, documents: Sequence[dict[str, Any]] = DOCUMENTS) -> SearchClient:
    made = service(model)
    SearchIndexClient(**connect(made)).create_index(definition())
    client = SearchClient(index_name="notes", **connect(made), retry_total=0)
    client.upload_documents([*documents])
    return client


def hybrid(client: SearchClient, text: str) -> list[str]:
    query = VectorizableTextQuery(text=text, k_nearest_neighbors=50, fields="v")
    return [one["id"] for one in client.search(text, query_type="semantic", vector_queries=[query])]


@pytest.mark.parametrize("kind", ["azureOpenAI", "customWebApi", "aml"])
def test_every_vectorizer_of_a_definition_means_the_model(kind: str) -> None:
    made = service(Topics())
    SearchIndexClient(**connect(made)).create_index(definition(kind=kind))
    client = SearchClient(index_name="notes", **connect(made))
    client.upload_documents(DOCUMENTS)
    assert [hybrid(client, text)[0] for text in ("boat", "bread", "money")] == ["1", "2", "3"]


def test_dimensions_that_do_not_fit_are_an_error_that_names_both() -> None:
    indexes = SearchIndexClient(**connect(service(Topics())))
    with pytest.raises(HttpResponseError, match=r"'v' of the index 'notes' has 1536 dim.*'topics'.* vectors of 4"):
        indexes.create_index(definition(1536))


def test_a_profile_without_a_vectorizer_has_the_callers_own_vectors() -> None:
    model = Topics()
    made = service(model)
    SearchIndexClient(**connect(made)).create_index(definition(2, kind=None))
    client = SearchClient(index_name="notes", **connect(made))
    client.upload_documents([{"id": "1", "v": [1, 0]}, {"id": "2", "v": [0, 1], "text": "boat"}])
    found = client.search(vector_queries=[VectorizedQuery(vector=[0.9, 0.1], k_nearest_neighbors=2, fields="v")])
    assert [one["id"] for one in found] == ["1", "2"]
    assert [one["id"] for one in client.search("boat", query_type="semantic")] == ["2"]
    assert model.asked == [] and model.queries == ["dimensions"]


def test_a_query_is_embedded_once_for_its_vectors_and_its_ranking() -> None:
    model = Topics()
    client = filled(model)
    assert hybrid(client, "a vessel")[0] == "1"
    assert model.queries == ["dimensions", "a vessel"]
    assert [one["id"] for one in client.search("supper", query_type="semantic")] == ["2"]
    assert model.queries == ["dimensions", "a vessel", "supper"]


def test_the_answer_says_what_ranked_it() -> None:
    client = filled(Topics())
    url = f"{ENDPOINT}/indexes('notes')/docs/search.post.search?api-version=2026-04-01"
    answer = client.send_request(HttpRequest("POST", url, json={"search": "boat lightship", "queryType": "semantic"}))
    assert answer.headers["x-local-search-semantic"] == "mixed-v1; model=topics"


def test_a_model_that_fails_at_a_query_is_an_error_that_names_it() -> None:
    model = Topics()
    client = filled(model)
    model.left = 0
    with pytest.raises(HttpResponseError, match="The model 'topics' failed: out of memory") as caught:
        hybrid(client, "boat")
    assert caught.value.status_code == 400
    assert [one["id"] for one in client.search("supper")] == ["2"]
    model.left = None
    assert hybrid(client, "boat")[0] == "1"


def test_a_batch_whose_vectors_cannot_be_made_is_not_written_at_all() -> None:
    model = Topics()
    client = filled(model)
    model.left = 0
    with pytest.raises(HttpResponseError, match="'topics' failed"):
        client.upload_documents([{"id": "1", "text": "Nothing."}, {"id": "4", "text": "More bread."}])
    model.left = None
    assert client.get_document_count() == 3 and client.get_document("1")["text"] == DOCUMENTS[0]["text"]
    assert hybrid(client, "boat")[0] == "1"


def test_a_definition_that_gets_a_vector_field_gets_the_vectors_of_its_documents() -> None:
    made = service(model := Topics())
    indexes, plain = SearchIndexClient(**connect(made)), definition()
    plain.fields.pop()
    plain.vector_search = None
    indexes.create_index(plain)
    client = SearchClient(index_name="notes", **connect(made))
    client.upload_documents(DOCUMENTS)
    assert model.asked == []
    indexes.create_or_update_index(definition())
    assert len(model.asked) == 3 and hybrid(client, "boat")[0] == "1"


class Held(Topics):
    """Makes no vector of a passage until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.let = threading.Event(), threading.Event()

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.began.set()
        assert self.let.wait(60)
        return super().passages(texts)


class Far(Topics):
    """Takes its time for a query, as an endpoint does."""

    is_far = True

    def __init__(self) -> None:
        super().__init__()
        self.began, self.let = threading.Event(), threading.Event()

    def query(self, text: str) -> Vector:
        if text != "dimensions":
            self.began.set()
            assert self.let.wait(60)
        return super().query(text)


async def test_a_query_that_waits_for_its_vector_keeps_no_other_waiting() -> None:
    model = Far()
    made = service(model)
    await asyncio.to_thread(SearchIndexClient(**connect(made)).create_index, definition())
    async with AsyncSearchClient(index_name="notes", **connect_async(made)) as client:
        await client.upload_documents(DOCUMENTS)
        query = VectorizableTextQuery(text="boat", k_nearest_neighbors=5, fields="v")

        async def searched(text: str, **more: Any) -> list[str]:
            return [one["id"] async for one in await client.search(text, **more)]

        searching = asyncio.create_task(searched("boat", vector_queries=[query]))
        assert await asyncio.to_thread(model.began.wait, 60)
        assert await searched("supper") == ["2"]
        assert not searching.done()
        model.let.set()
        assert (await searching)[0] == "1"


async def test_queries_go_on_while_the_model_embeds_documents() -> None:
    model = Held()
    made = service(model)
    await asyncio.to_thread(SearchIndexClient(**connect(made)).create_index, definition())
    async with AsyncSearchClient(index_name="notes", **connect_async(made)) as client:
        uploading = asyncio.create_task(client.upload_documents(DOCUMENTS))
        assert await asyncio.to_thread(model.began.wait, 60)
        assert await client.get_document_count() == 0
        query = VectorizableTextQuery(text="boat", k_nearest_neighbors=5, fields="v")
        assert [one async for one in await client.search("boat", vector_queries=[query])] == []
        assert not uploading.done()
        model.let.set()
        await uploading
        assert await client.get_document_count() == 3
