"""Vector fields, vector queries and hybrid searches, through the SDK and over the wire."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex
from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery

from retrieval.local.search_service import SearchService
from retrieval.local.search_service.engine.fusion import Ranking, fuse
from retrieval.local.transport import connect
from tests.local.search_service.conftest import Send, holds

SEARCH = "/indexes/sky/docs/search"


def vector_field(name: str, profile: str, dimensions: int = 2, type: str = "Collection(Edm.Single)") -> dict[str, Any]:
    return {"name": name, "type": type, "dimensions": dimensions, "vectorSearchProfile": profile}


SKY: dict[str, Any] = {
    "name": "sky",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "text", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "group", "type": "Edm.String", "searchable": False},
        vector_field("place", "plain"),
        vector_field("colour", "far"),
        vector_field("weight", "dot", type="Collection(Edm.Half)"),
        vector_field("meaning", "text", dimensions=128),
    ],
    "vectorSearch": {
        "algorithms": [
            {"name": "graph", "kind": "hnsw", "hnswParameters": {"m": 4, "efConstruction": 400, "metric": "cosine"}},
            {"name": "all", "kind": "exhaustiveKnn", "exhaustiveKnnParameters": {"metric": "euclidean"}},
            {"name": "dot", "kind": "exhaustiveKnn", "exhaustiveKnnParameters": {"metric": "dotProduct"}},
        ],
        "profiles": [
            {"name": "plain", "algorithm": "graph"},
            {"name": "far", "algorithm": "all"},
            {"name": "dot", "algorithm": "dot"},
            {"name": "text", "algorithm": "graph", "vectorizer": "model"},
        ],
        "vectorizers": [
            {
                "name": "model",
                "kind": "azureOpenAI",
                "azureOpenAIParameters": {"resourceUri": "https://example.com", "modelName": "text-embedding-3-small"},
            }
        ],
    },
    "semantic": {
        "defaultConfiguration": "plain",
        "configurations": [
            {"name": "plain", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "text"}]}}
        ],
    },
}

STARS: list[dict[str, Any]] = [
    {"id": "a", "text": "red giant", "group": "x", "place": [1, 0], "colour": [0, 0], "weight": [1, 1]},
    {"id": "b", "text": "red dwarf", "group": "y", "place": [1, 0.1], "colour": [3, 4], "weight": [2, 2]},
    {"id": "c", "text": "white dwarf", "group": "x", "place": [1, 1], "colour": [0, 1], "weight": [-1, 0]},
    {"id": "d", "text": "pulsar", "group": "x", "place": [0, 1], "colour": [6, 8], "weight": [0, 0]},
    {"id": "e", "text": "nebula", "group": "y"},
]

Ask = Callable[..., list[tuple[str, float]]]


@pytest.fixture
def sky(service: SearchService, send: Send) -> SearchClient:
    assert send("POST", "/indexes", SKY).status_code == 201
    client = SearchClient(index_name="sky", **connect(service), retry_total=0)
    client.upload_documents(STARS)
    return client


@pytest.fixture
def ask(sky: SearchClient, send: Send) -> Ask:
    """Keys and scores of a search."""

    def ask(*queries: dict[str, Any], **body: Any) -> list[tuple[str, float]]:
        answer = send("POST", SEARCH, {**body, "vectorQueries": list(queries)})
        assert answer.status_code == 200, answer.text()
        return [(one["id"], one["@search.score"]) for one in answer.json()["value"]]

    return ask


def query(vector: list[Any], fields: str = "place", **more: Any) -> dict[str, Any]:
    return {"kind": "vector", "vector": vector, "fields": fields, **more}


def keys(found: list[tuple[str, float]]) -> list[str]:
    return [key for key, _ in found]


def fused(*lists: str) -> list[tuple[str, float]]:
    return [(chr(ordinal), score) for score, ordinal in fuse([Ranking([ord(key) for key in one]) for one in lists])]


def test_a_definition_comes_back_as_it_was_sent(sky: SearchClient, send: Send) -> None:
    assert holds(send("GET", "/indexes/sky").json(), SKY)


def test_the_sdk_finds_the_nearest(sky: SearchClient) -> None:
    hits = list(sky.search(vector_queries=[VectorizedQuery(vector=[1, 0.02], k_nearest_neighbors=2, fields="place")]))
    assert [hit["id"] for hit in hits] == ["a", "b"]
    assert hits[0]["place"] == [1, 0]


def test_cosine_scores_are_those_that_are_documented(ask: Ask) -> None:
    found = dict(ask(query([1, 0])))
    assert found == {
        "a": 1.0,
        "b": pytest.approx(1 / (2 - 1 / np.sqrt(1.01)), rel=1e-6),
        "c": pytest.approx(1 / (2 - np.sqrt(0.5)), rel=1e-6),
        "d": 0.5,
    }


def test_the_score_of_a_fusion_can_be_had_instead() -> None:
    service = SearchService(vector_scores="fused")
    SearchIndexClient(**connect(service)).create_index(SearchIndex(SKY))
    client = SearchClient(index_name="sky", **connect(service))
    client.upload_documents(STARS)
    hits = client.search(vector_queries=[VectorizedQuery(vector=[1, 0], k_nearest_neighbors=3, fields="place")])
    assert [(hit["id"], hit["@search.score"]) for hit in hits] == fused("abc")


@pytest.mark.parametrize(
    ("asked", "order"), [(query([0, 2], "colour"), "cabd"), (query([1, 1], "weight"), "badc"), (query([0, 0]), "abcd")]
)
def test_every_metric_has_its_order(ask: Ask, asked: dict[str, Any], order: str) -> None:
    assert "".join(keys(ask(asked))) == order


def test_k_neighbours_and_no_more(ask: Ask) -> None:
    assert keys(ask(query([1, 0], k=2))) == ["a", "b"]
    assert keys(ask(query([1, 0], k=2, exhaustive=True), top=1)) == ["a"]
    assert keys(ask(query([1, 0], k=2), skip=1)) == ["b"]


def test_two_fields_are_two_lists(ask: Ask) -> None:
    assert ask(query([1, 0], "place,colour", k=2)) == fused("ab", "ac")
    assert ask(query([1, 0], "place", k=2), query([1, 0], "colour", k=2)) == fused("ab", "ac")


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_a_limit_of_vectors_a_document_is_kept_by_documents_with_one_vector_a_field(ask: Ask, limit: int) -> None:
    assert ask(query([1, 0], perDocumentVectorLimit=limit)) == ask(query([1, 0]))


def test_a_weight_multiplies_the_part_of_its_list(ask: Ask) -> None:
    heavy = ask(query([1, 0], k=2), query([6, 8], "colour", k=2, weight=3.0))
    assert keys(heavy) == ["b", "d", "a"]
    assert dict(heavy)["d"] == pytest.approx(3 / 60, rel=1e-6)


def test_a_hybrid_search_fuses_text_and_vectors(ask: Ask) -> None:
    assert ask(query([0, 1], k=3), search="dwarf") == fused("bc", "dcb")


def test_the_count_of_a_vector_search_is_what_it_found_and_of_a_hybrid_the_union(sky: SearchClient, send: Send) -> None:
    def count(**body: Any) -> int:
        return int(send("POST", SEARCH, {"count": True, "top": 1, **body}).json()["@odata.count"])

    near = [query([1, 0], k=2)]
    assert count(vectorQueries=near) == 2
    assert count(vectorQueries=near, search="dwarf") == 3
    assert count(vectorQueries=near, search="nebula") == 3
    for hundred in range(0, 1200, 600):
        sky.upload_documents([{"id": f"n{n}", "text": "dust"} for n in range(hundred, hundred + 600)])
    assert count(vectorQueries=near, search="dust") == 1202
    assert count(vectorQueries=near, search="dust giant") == 1202
    nearest = VectorizedQuery(vector=[1, 0], k_nearest_neighbors=2, fields="place")
    assert len(list(sky.search("dust", vector_queries=[nearest]))) == 1002


@pytest.mark.parametrize("search", [None, ""])
def test_no_search_text_is_no_list(ask: Ask, search: str | None) -> None:
    assert keys(ask(query([0, 1], k=1), search=search)) == ["d"]


def test_pre_post_and_strict_filters_differ_where_they_should(send: Send, ask: Ask, sky: SearchClient) -> None:
    sky.upload_documents(
        [{"id": f"n{n}", "group": "near" if n % 10 else "far", "place": [1, n / 1000]} for n in range(120)]
    )
    body = {"filter": "group eq 'far'"}
    pre = keys(ask(query([1, 0], k=12), **body))
    post = keys(ask(query([1, 0], k=12), **body, vectorFilterMode="postFilter"))
    strict = keys(ask(query([1, 0], k=12), **body, vectorFilterMode="strictPostFilter"))
    assert pre == [f"n{n}" for n in range(0, 120, 10)]
    assert strict == ["n0", "n10"]
    assert set(strict) < set(post) <= set(pre)
    assert post == [key for key in pre if key in post]


def test_a_filter_that_the_engine_cannot_answer_works_for_vectors_too(ask: Ask) -> None:
    assert keys(ask(query([1, 0]), filter="group eq 'x' and group gt 'a'")) == ["a", "c", "d"]
    assert keys(ask(query([1, 0], k=1), filter="group gt 'x'")) == ["b"]


def test_semantic_ranking_reads_what_a_vector_query_found(ask: Ask, send: Send, sky: SearchClient) -> None:
    body = {"vectorQueries": [query([0, 1], k=3)], "queryType": "semantic", "search": "red dwarf"}
    found = send("POST", SEARCH, body).json()["value"]
    assert found[0]["id"] == "b"
    assert found[0]["@search.rerankerScore"] == 4.0
    assert {one["id"] for one in found} == {"a", "b", "c", "d"}
    only = send("POST", SEARCH, {"vectorQueries": [query([0, 1], k=3)], "semanticQuery": "pulsar"}).json()["value"]
    assert [one["id"] for one in only] == ["d", "c", "b"]


def test_text_becomes_a_vector_for_documents_and_for_queries(ask: Ask, sky: SearchClient) -> None:
    text = {"kind": "text", "fields": "meaning", "k": 1}
    assert ask({**text, "text": "White Dwarfs"}) == [("c", 1.0)]
    sky.merge_documents([{"id": "e", "text": "a comet's tail"}])
    assert keys(ask({**text, "text": "tail of comets"})) == ["e"]
    near = VectorizableTextQuery(text="giants in red", k_nearest_neighbors=1, fields="meaning")
    assert [hit["id"] for hit in sky.search(vector_queries=[near])] == ["a"]
    assert sky.get_document("a")["meaning"] == []


def test_a_document_may_bring_the_vector_that_would_be_made(ask: Ask, sky: SearchClient) -> None:
    own = [1.0] + [0.0] * 127
    sky.upload_documents([{"id": "z", "text": "quasar", "meaning": own}])
    assert keys(ask(query(own, "meaning", k=1))) == ["z"]
    assert sky.get_document("z")["meaning"] == own


def test_a_removed_or_replaced_document_is_not_found(ask: Ask, sky: SearchClient) -> None:
    sky.delete_documents([{"id": "a"}])
    sky.merge_documents([{"id": "b", "place": [-1, 0]}])
    sky.merge_documents([{"id": "c", "place": None}])
    assert keys(ask(query([1, 0]))) == ["d", "b"]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (query([1, 0, 0]), "3 dimensions"),
        (query([]), "0 dimensions"),
        (query([1, "0"]), "type"),
        (query([1, True]), "type"),
        (query([1, 10**400]), "numbers"),
        (query([1, 1e39]), "numbers"),
        (query([1, 70_000.0], "weight"), "numbers"),
        (query([1, 0], "text"), "'text'"),
        (query([1, 0], "nothing"), "nothing"),
        (query([1, 0], ",".join(["place"] * 11)), "10 fields"),
        (query([1, 0], ""), "fields"),
        (query([1, 0], k=0), "k"),
        (query([1, 0], k=10_001), "k"),
        (query([1, 0], weight=0), "weight"),
        (query([1, 0], weight=-1.0), "weight"),
        (query([1, 0], perDocumentVectorLimit=-1), "perDocumentVectorLimit"),
        (query([1, 0], text="x"), "kind"),
        (query([1, 0], colour="x"), "colour"),
        ({"kind": "text", "text": "x", "fields": "place"}, "vectorizer"),
        ({"kind": "text", "fields": "meaning"}, "'text'"),
        ({"kind": "sound", "fields": "meaning"}, "kind"),
        ({"vector": [1, 0], "fields": "place"}, "kind"),
        ("x", "object"),
    ],
)
def test_a_bad_vector_query_says_what_is_wrong(sky: SearchClient, send: Send, asked: Any, named: str) -> None:
    answer = send("POST", SEARCH, {"vectorQueries": [asked]})
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"]


def test_too_many_queries_are_refused(sky: SearchClient, send: Send) -> None:
    assert send("POST", SEARCH, {"vectorQueries": [query([1, 0])] * 11}).status_code == 400
    assert send("POST", SEARCH, {"vectorFilterMode": "someFilter"}).status_code == 400


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"kind": "text", "text": "x", "fields": "meaning", "queryRewrites": "generative|count-3"}, "queryRewrites"),
        ({"kind": "imageUrl", "url": "https://example.com", "fields": "place"}, "imageUrl"),
    ],
)
def test_what_is_not_implemented_is_refused_by_name(sky: SearchClient, send: Send, asked: Any, named: str) -> None:
    error = send("POST", SEARCH, {"vectorQueries": [asked]}).json()["error"]
    assert error["code"] == "UnsupportedByLocalSearch"
    assert named in error["message"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"place": [1, 2, 3]}, 400),
        ({"place": [1]}, 400),
        ({"place": "x"}, 400),
        ({"place": [1, None]}, 400),
        ({"place": [[1], [2]]}, 400),
        ({"place": [1, 10**400]}, 400),
        ({"weight": [1, 70_000.0]}, 400),
        ({"place": []}, 200),
        ({"place": None}, 200),
    ],
)
def test_a_document_s_vector_is_checked(sky: SearchClient, send: Send, fields: dict[str, Any], status: int) -> None:
    answer = send("POST", "/indexes/sky/docs/index", {"value": [{"id": "a", **fields}]})
    assert answer.status_code == status


def test_statistics_count_the_bytes_of_vectors(sky: SearchClient, send: Send) -> None:
    made = 5 * 128 * 4
    assert send("GET", "/indexes/sky/stats").json()["vectorIndexSize"] == made + 3 * 4 * 2 * 4
