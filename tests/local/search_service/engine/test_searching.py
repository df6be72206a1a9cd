"""Searches through the SDK, as a client sees them."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.aio import SearchClient as AsyncSearchClient

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect_async
from tests.local.search_service.conftest import FLEET, Found, Send


def test_a_search_finds_word_forms_and_orders_by_score(boats: SearchClient) -> None:
    hits = list(boats.search("engines ketches"))
    assert [hit["id"] for hit in hits] == ["1", "2"]
    assert hits[0]["@search.score"] > hits[1]["@search.score"] > 0
    assert hits[0]["@search.reranker_score"] is None


def test_a_document_comes_back_whole_but_for_what_is_not_retrievable(boats: SearchClient) -> None:
    hit = next(iter(boats.search("ketch")))
    wanted = {**FLEET[0], "berth": None}
    del wanted["secret"]
    assert {name: value for name, value in hit.items() if not name.startswith("@")} == wanted


def test_missing_scalars_are_null_and_missing_collections_are_empty(boats: SearchClient) -> None:
    boats.upload_documents([{"id": "bare"}])
    bare = boats.get_document("bare")
    assert bare["tags"] == []
    assert bare["name"] is None and bare["length"] is None


@pytest.mark.parametrize("everything", [None, "", "*", " * "])
def test_no_search_text_means_every_document_with_the_same_score(boats: SearchClient, everything: str | None) -> None:
    hits = list(boats.search(everything, include_total_count=True))
    assert [hit["id"] for hit in hits] == ["1", "2", "3", "4"]
    assert {hit["@search.score"] for hit in hits} == {1.0}


@pytest.mark.parametrize(
    ("text", "options", "keys"),
    [
        ("engine lamp", {}, {"1", "2", "3"}),
        ("engine lamp", {"search_mode": "all"}, set()),
        ("wooden engine", {"search_mode": "all"}, {"1"}),
        ("engine + loud", {}, {"2"}),
        ("engine -loud", {"search_mode": "all"}, {"1"}),
        ("loud | lamp", {"search_mode": "all"}, {"2", "3"}),
        ("(loud | lamp) + winters", {}, {"3"}),
        ('"deep water"', {}, {"2"}),
        ('"water deep"', {}, set()),
        ('"nets from deep"', {}, {"2"}),
        ("lam*", {}, {"3"}),
        ("LAM*", {}, {"3"}),
        ("Tarbert", {"search_fields": ["harbour"]}, {"2", "3"}),
        ("tarbert", {"search_fields": ["harbour"]}, set()),
        ("lamp", {"search_fields": ["name"]}, set()),
        ("of the and", {"search_fields": ["story"]}, set()),
        ("well-known", {}, {"2"}),
    ],
)
def test_the_simple_syntax(found: Found, text: str, options: dict[str, Any], keys: set[str]) -> None:
    assert set(found(text, **options)) == keys


@pytest.mark.parametrize(
    "sentence",
    [
        "What's the \"well-known winch",
        "ketch - what is it? (an old one",
        "salt & slate; 50% more!",
        'the 5" winch -- on a trawler :)',
        "\\ketch\\",
        "~0.8 ^2 [a TO z] {x} /ketch/ AND OR NOT",
        "ketch" + "?" * 200,
        "'ketch' ‘ketch’ “ketch”",
        "🛶 ketch \x00\x01 ketch",
    ],
)
@pytest.mark.parametrize("options", [{}, {"query_type": "semantic"}])
def test_a_sentence_with_any_punctuation_is_searched(found: Found, sentence: str, options: dict[str, Any]) -> None:
    assert set(found(sentence, **options)) & {"1", "2"}


@pytest.mark.parametrize(
    ("filter", "keys"),
    [
        ("harbour eq 'Tarbert'", ["2", "3"]),
        ("length gt 18.5", ["2"]),
        ("tags/any(t: t eq 'wood')", ["1", "4"]),
        ("not afloat and crew ge 7", ["3"]),
        ("launched lt 1950-01-01T00:00:00Z", ["1"]),
        ("search.in(id, '1,4')", ["1", "4"]),
        ("search.ismatch('lamp', 'story')", ["3"]),
    ],
)
def test_a_filter_selects(found: Found, filter: str, keys: list[str]) -> None:
    assert found("*", filter=filter) == keys
    assert set(found("wooden water lamp engine", filter=filter)) == set(keys)


def test_a_filter_is_applied_before_the_page_is_cut(send: Send, found: Found, boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n}", "story": "buoy " * (1 + n % 7), "crew": n} for n in range(600)])
    assert found("buoy", filter="crew eq 599", top=3) == ["x599"]
    body = {"search": "buoy", "filter": "crew ge 10", "count": True, "top": 0}
    assert send("POST", "/indexes/boats/docs/search", body).json() == {"@odata.count": 590, "value": []}


def test_select_skip_top_and_count(boats: SearchClient) -> None:
    pages = boats.search("*", select=["id", "crew"], skip=1, top=2, include_total_count=True)
    assert [{name: hit[name] for name in hit if not name.startswith("@")} for hit in pages] == [
        {"id": "2", "crew": 6},
        {"id": "3", "crew": 7},
    ]
    assert pages.get_count() == 4


def test_without_top_the_sdk_pages_through_every_match(found: Found, boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n:03}", "story": "buoy"} for n in range(120)])
    assert found("buoy") == [f"x{n:03}" for n in range(120)]
    assert found("buoy", top=7) == [f"x{n:03}" for n in range(7)]


def test_equal_scores_keep_the_order_in_which_documents_came(found: Found, boats: SearchClient) -> None:
    boats.upload_documents([{"id": f"x{n}", "story": "buoy"} for n in range(30)])
    boats.upload_documents([{"id": "x3", "story": "buoy"}])
    assert found("buoy", top=30) == [f"x{n}" for n in range(30) if n != 3] + ["x3"]


async def test_the_async_client_gets_the_same(service: SearchService, boats: SearchClient) -> None:
    async with AsyncSearchClient(index_name="boats", **connect_async(service)) as client:
        hits = [dict(hit) async for hit in await client.search("engine", query_type="semantic", top=5)]
    assert hits == [dict(hit) for hit in boats.search("engine", query_type="semantic", top=5)]


@pytest.mark.parametrize("path", ["/indexes('boats')/docs/search.post.search", "/indexes/boats/docs/search"])
@pytest.mark.parametrize("version", ["2024-07-01", "2025-09-01", "2026-04-01", "2025-05-01-preview"])
def test_both_forms_of_the_path_in_every_version(boats: SearchClient, send: Send, path: str, version: str) -> None:
    answer = send("POST", path, {"search": "ketch"}, version=version)
    assert [hit["id"] for hit in answer.json()["value"]] == ["1"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("debug", "innerHits"),
    ],
)
def test_what_is_not_implemented_is_refused_by_name(boats: SearchClient, send: Send, option: str, value: Any) -> None:
    answer = send("POST", "/indexes/boats/docs/search", {"search": "lamp", option: value})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "UnsupportedByLocalSearch"
    assert option in error["message"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"serach": "x"}, "serach"),
        ({"search": 5}, "search"),
        ({"search": "x" * 100_001}, "search"),
        ({"search": "x " * 3_001}, "3000"),
        ({"search": "-(a b " * 200 + ")" * 200}, "nests"),
        ({"top": -1}, "top"),
        ({"top": "5"}, "top"),
        ({"skip": 100_001}, "skip"),
        ({"searchMode": "most"}, "searchMode"),
        ({"select": "nothing"}, "nothing"),
        ({"select": "secret"}, "secret"),
        ({"searchFields": "crew"}, "crew"),
        ({"filter": "crew eq"}, "position"),
        ({"filter": "story eq 'x'"}, "story"),
        ({"filter": "nothing eq 'x'"}, "nothing"),
        ({"queryType": "semantic", "semanticConfiguration": "other"}, "other"),
        ({"semanticConfiguration": "plain"}, "semanticConfiguration"),
        ({"search": "\ud800"}, "surrogate"),
        (b"{", "JSON"),
        (b"[]", "object"),
        (b"", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"top": ' + b"9" * 10_000 + b"}", "JSON"),
        (b'{"top": NaN}', "JSON"),
    ],
)
def test_a_bad_request_says_what_is_wrong(boats: SearchClient, send: Send, body: Any, named: str) -> None:
    answer = send("POST", "/indexes/boats/docs/search", body)
    assert answer.status_code == 400, answer.text()
    assert named in answer.json()["error"]["message"]


def test_the_sdk_raises_with_code_and_message(boats: SearchClient) -> None:
    with pytest.raises(HttpResponseError) as raised:
        list(boats.search("x", scoring_profile="near"))
    assert raised.value.status_code == 400
    assert raised.value.error is not None
    assert raised.value.error.code == "InvalidRequestParameter"
    assert "'near'" in str(raised.value.error.message)
