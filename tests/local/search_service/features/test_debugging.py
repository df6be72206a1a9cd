"""`debug`: the subscores of a document, what the semantic ranker read of it, what was made of the query."""

from typing import Any

import pytest
from azure.search.documents import SearchClient
from azure.search.documents.models import QueryDebugMode, VectorizedQuery

from tests.local.search_service.conftest import BOATS, Send
from tests.local.search_service.engine.test_vectors import SEARCH, Ask, ask, query, sky

__all__ = ["ask", "sky"]

BOATS_SEARCH = "/indexes/boats/docs/search"


def told(send: Send, path: str = SEARCH, **body: Any) -> dict[str, Any]:
    """What debug says of each document."""
    answer = send("POST", path, body)
    assert answer.status_code == 200, answer.text()
    return {one["id"]: one.get("@search.documentDebugInfo") for one in answer.json()["value"]}


def test_the_documented_hybrid_search_shows_its_subscores_in_the_order_of_the_queries(send: Send, ask: Ask) -> None:
    near, far = query([1, 0], k=2), query([0, 1], k=2)
    text = dict(ask(search="dwarf"))
    found = told(send, search="dwarf", vectorQueries=[near, far], debug="vector", top=10)
    alone = dict(ask(near))
    assert found["b"] == {
        "vectors": {
            "subscores": {
                "text": {"searchScore": text["b"]},
                "vectors": [
                    {"place": {"searchScore": alone["b"], "vectorSimilarity": pytest.approx(1 / 1.01**0.5)}},
                    {},
                ],
                "documentBoost": 1.0,
            }
        }
    }
    assert found["a"]["vectors"]["subscores"]["text"] is None
    assert found["d"]["vectors"]["subscores"]["vectors"] == [
        {},
        {"place": {"searchScore": 1.0, "vectorSimilarity": 1.0}},
    ]


def test_the_sdk_reads_the_subscores(sky: SearchClient) -> None:
    near = VectorizedQuery(vector=[1.0, 0.0], k_nearest_neighbors=1, fields="place")
    for mode in ("vector", QueryDebugMode.VECTOR, QueryDebugMode.ALL):
        first = next(iter(sky.search("giant", vector_queries=[near], debug=mode)))
        info = first["@search.document_debug_info"]
        assert info.vectors.subscores.vectors[0]["place"].vector_similarity == 1.0
        assert info.vectors.subscores.text.search_score > 0
        assert info.vectors.subscores.document_boost == 1.0


def test_a_query_over_two_fields_is_one_object_with_both(send: Send, sky: SearchClient) -> None:
    found = told(send, vectorQueries=[query([0, 0], "place,colour", k=1)], debug="vector")
    assert found["a"]["vectors"]["subscores"] == {
        "text": None,
        "vectors": [
            {
                "place": {"searchScore": 0.5, "vectorSimilarity": 0.0},
                "colour": {"searchScore": 1.0, "vectorSimilarity": 0.0},
            }
        ],
        "documentBoost": 1.0,
    }


def test_the_similarity_is_the_metric_itself(send: Send, sky: SearchClient) -> None:
    def similarity(asked: dict[str, Any], key: str) -> float:
        found = told(send, vectorQueries=[asked], debug="vector")[key]
        return float(found["vectors"]["subscores"]["vectors"][0][asked["fields"]]["vectorSimilarity"])

    assert similarity(query([0, 0], "colour"), "b") == 5.0
    assert similarity(query([1, 1], "weight"), "b") == 4.0
    assert similarity(query([1, 0]), "d") == 0.0


def test_a_text_search_has_a_text_score_and_no_vectors(send: Send, boats: SearchClient) -> None:
    hits = send("POST", BOATS_SEARCH, {"search": "wooden", "debug": "vector"}).json()["value"]
    assert [one["@search.documentDebugInfo"]["vectors"]["subscores"] for one in hits] == [
        {"text": {"searchScore": one["@search.score"]}, "vectors": [], "documentBoost": 1.0} for one in hits
    ]


def test_a_scoring_profile_is_the_boost_and_the_text_score_is_what_it_was(send: Send, boats: SearchClient) -> None:
    profile = {
        "name": "crewed",
        "functions": [
            {
                "type": "magnitude",
                "fieldName": "crew",
                "boost": 3,
                "interpolation": "constant",
                "magnitude": {"boostingRangeStart": 3, "boostingRangeEnd": 5},
            }
        ],
    }
    assert send("PUT", "/indexes/boats", {**BOATS, "scoringProfiles": [profile]}).status_code == 204
    plain = told(send, BOATS_SEARCH, search="wooden", debug="vector")
    boosted = told(send, BOATS_SEARCH, search="wooden", debug="vector", scoringProfile="crewed")
    assert {key: one["vectors"]["subscores"]["documentBoost"] for key, one in boosted.items()} == {"1": 3.0, "4": 1.0}
    for key, one in boosted.items():
        assert one["vectors"]["subscores"]["text"] == plain[key]["vectors"]["subscores"]["text"]


def test_the_semantic_ranker_shows_what_it_read(send: Send, boats: SearchClient) -> None:
    body = {"search": "wooden ketch", "queryType": "semantic", "debug": "semantic"}
    assert told(send, BOATS_SEARCH, **body)["1"] == {
        "semantic": {
            "titleField": {"name": "name", "state": "used"},
            "contentFields": [{"name": "story", "state": "used"}],
            "keywordFields": [{"name": "tags", "state": "used"}],
            "rerankerInput": {
                "title": "The Heron",
                "content": "A wooden ketch that carried salt and slate along the coast before engines came.",
                "keywords": "sail\nwood",
            },
        }
    }


def test_a_field_is_used_partly_or_not_at_all(send: Send, boats: SearchClient) -> None:
    boats.upload_documents([{"id": "9", "name": None, "story": "ketch " * 4000, "tags": []}])
    found = told(send, BOATS_SEARCH, search="ketch", queryType="semantic", debug="semantic|vector")["9"]
    assert set(found) == {"semantic", "vectors"}
    semantic = found["semantic"]
    assert semantic["titleField"]["state"] == "unused"
    assert semantic["contentFields"] == [{"name": "story", "state": "partial"}]
    assert semantic["keywordFields"][0]["state"] == "unused"
    assert semantic["rerankerInput"]["content"] == ("ketch " * 4000)[:20_000]
    assert (semantic["rerankerInput"]["title"], semantic["rerankerInput"]["keywords"]) == ("", "")


def test_a_configuration_without_a_title_says_so(send: Send, sky: SearchClient) -> None:
    found = told(send, search="dwarf", queryType="semantic", debug="all")["b"]
    assert found["semantic"]["titleField"] is None
    assert found["semantic"]["rerankerInput"] == {"title": None, "content": "red dwarf", "keywords": ""}


def test_what_the_ranker_did_not_rank_it_did_not_read(send: Send, sky: SearchClient) -> None:
    sky.upload_documents([{"id": f"n{n}", "text": "dust"} for n in range(60)])
    found = told(send, search="dust", queryType="semantic", debug="semantic", top=60)
    assert sum("semantic" in one for one in found.values()) == 50
    away = send(
        "POST",
        SEARCH,
        {"search": "dust", "queryType": "semantic", "debug": "semantic", "top": 1},
        x_local_search_ranker_away="transient",
    )
    assert away.json()["value"][0]["@search.documentDebugInfo"] == {}
    assert told(send, search="dust", debug="semantic", top=1) == {"n0": {}}


def test_no_query_is_rewritten_and_debug_says_so(send: Send, sky: SearchClient) -> None:
    body = {
        "search": "dwarf",
        "vectorQueries": [query([1, 0]), {"kind": "text", "text": "red", "fields": "meaning"}],
    }
    for mode in ("queryRewrites", "all", "queryRewrites|vector"):
        assert send("POST", SEARCH, {**body, "debug": mode}).json()["@search.debug"] == {
            "queryRewrites": {
                "text": {"inputQuery": "dwarf", "rewrites": []},
                "vectors": [{"inputQuery": "red", "rewrites": []}],
            }
        }
    assert "@search.debug" not in send("POST", SEARCH, {**body, "debug": "vector|semantic"}).json()
    empty = send("POST", SEARCH, {"debug": "queryRewrites"}).json()
    assert empty["@search.debug"] == {"queryRewrites": {"text": None, "vectors": []}}
    assert empty["value"][0]["@search.documentDebugInfo"] == {}


@pytest.mark.parametrize("off", [None, "", "disabled"])
def test_without_debug_nothing_is_told_and_nothing_else_changes(send: Send, sky: SearchClient, off: str | None) -> None:
    body = {"search": "red dwarf", "vectorQueries": [query([1, 0])], "queryType": "semantic", "count": True}
    plain = send("POST", SEARCH, {**body, "debug": off}).json()
    assert all("@search.documentDebugInfo" not in one for one in plain["value"])
    debugged = send("POST", SEARCH, {**body, "debug": "all"}).json()
    del debugged["@search.debug"]
    for one in debugged["value"]:
        del one["@search.documentDebugInfo"]
    assert debugged == plain


def test_a_search_by_get_can_be_debugged(send: Send, boats: SearchClient) -> None:
    answer = send("GET", "/indexes/boats/docs?search=ketch&debug=vector").json()
    assert answer["value"][0]["@search.documentDebugInfo"]["vectors"]["subscores"]["text"]["searchScore"] > 0


@pytest.mark.parametrize("mode", ["innerHits", "vector|innerHits", "speller"])
def test_a_part_that_does_not_exist_here_is_refused_by_name(send: Send, sky: SearchClient, mode: str) -> None:
    error = send("POST", SEARCH, {"debug": mode}).json()["error"]
    assert error["code"] == "UnsupportedByLocalSearch"
    assert mode.split("|")[-1] in error["message"]


@pytest.mark.parametrize("mode", ["vectors", "vector|", "disabled|vector", "|", "x" * 500, 1, ["vector"], True])
def test_what_is_no_mode_is_a_bad_request(send: Send, sky: SearchClient, mode: Any) -> None:
    answer = send("POST", SEARCH, {"debug": mode})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert "debug" in answer.json()["error"]["message"]
    assert len(answer.text()) < 400
