"""`hybridSearch`: how much of the text is fused, and what is counted."""

from typing import Any

import pytest
from azure.search.documents import SearchClient

from tests.local.search_service.conftest import Send
from tests.local.search_service.engine.test_vectors import SEARCH, Ask, ask, fused, keys, query, sky

__all__ = ["ask", "sky"]

DUST = 1300


@pytest.fixture
def dusty(sky: SearchClient) -> SearchClient:
    """Besides the stars, documents about dust: each longer than the one before, so that the first score best."""
    for start in range(0, DUST, 650):
        many = range(start, start + 650)
        sky.upload_documents([{"id": f"n{n}", "text": "dust" + " grain" * (n // 10), "group": "z"} for n in many])
    return sky


def test_so_many_text_matches_are_fused_and_no_more(ask: Ask) -> None:
    best, second = keys(ask(search="dwarf giant"))[:2]
    near = query([1, 0], k=2)
    assert ask(near, search="dwarf giant", hybridSearch={"maxTextRecallSize": 1}) == fused(best, "ab")
    assert ask(near, search="dwarf giant", hybridSearch={"maxTextRecallSize": 2}) == fused(best + second, "ab")


def counted(send: Send, **body: Any) -> tuple[int, int, dict[str, int]]:
    """What a hybrid search counts, how many documents can be paged through, and its facet."""
    asked = {"count": True, "facets": ["group"], "vectorQueries": [query([1, 0], k=2)], "top": 1000, **body}
    first = send("POST", SEARCH, asked).json()
    rows, page = len(first["value"]), first
    while "@search.nextPageParameters" in page:
        page = send("POST", SEARCH, page["@search.nextPageParameters"]).json()
        rows += len(page["value"])
    facet = {one["value"]: one["count"] for one in first["@search.facets"]["group"]}
    return first["@odata.count"], rows, facet


def test_the_first_documented_example_counts_what_can_be_retrieved(dusty: SearchClient, send: Send) -> None:
    hybrid = {"maxTextRecallSize": 100, "countAndFacetMode": "countRetrievableResults"}
    assert counted(send, search="dust", hybridSearch=hybrid) == (102, 102, {"z": 100, "x": 1, "y": 1})


def test_everything_that_matches_is_counted_unless_said_otherwise(dusty: SearchClient, send: Send) -> None:
    whole = (DUST + 2, {"z": DUST, "x": 1, "y": 1})
    for hybrid in ({"maxTextRecallSize": 100}, {"maxTextRecallSize": 100, "countAndFacetMode": "countAllResults"}):
        count, rows, facet = counted(send, search="dust", hybridSearch=hybrid)
        assert (count, facet) == whole
        assert rows == 102
    count, rows, facet = counted(send, search="dust", top=2000)
    assert (count, facet, rows) == (*whole, 1002)


def test_the_second_documented_example_pages_beyond_a_thousand(dusty: SearchClient, send: Send) -> None:
    body = {
        "vectorQueries": [query([1, 0], k=2)],
        "search": "dust",
        "top": 500,
        "skip": 1000,
        "hybridSearch": {"maxTextRecallSize": 5000, "countAndFacetMode": "countRetrievableResults"},
    }
    found = [one["id"] for one in send("POST", SEARCH, body).json()["value"]]
    assert len(found) == DUST + 2 - 1000
    assert len(send("POST", SEARCH, {**body, "hybridSearch": None}).json()["value"]) == 2
    first = [one["id"] for one in send("POST", SEARCH, {**body, "top": 1000, "skip": 0}).json()["value"]]
    assert set(first).isdisjoint(found)


def test_the_fewest_text_matches_are_the_best(dusty: SearchClient, ask: Ask) -> None:
    found = ask(query([1, 0], k=1), search="dust", hybridSearch={"maxTextRecallSize": 5}, top=100)
    assert {key for key, _ in found} == {"a", *keys(ask(search="dust", top=5))}


@pytest.mark.parametrize(
    ("hybrid", "named"),
    [
        ({"maxTextRecallSize": 0}, "maxTextRecallSize"),
        ({"maxTextRecallSize": 10_001}, "maxTextRecallSize"),
        ({"maxTextRecallSize": "100"}, "maxTextRecallSize"),
        ({"maxTextRecallSize": 1.5}, "maxTextRecallSize"),
        ({"countAndFacetMode": "countNothing"}, "countAndFacetMode"),
        ({"countAndFacetMode": 1}, "countAndFacetMode"),
        ({"colour": 1}, "colour"),
        ([], "hybridSearch"),
        ("x", "hybridSearch"),
    ],
)
def test_what_is_wrong_with_hybrid_search_is_said(sky: SearchClient, send: Send, hybrid: Any, named: str) -> None:
    body = {"search": "dwarf", "vectorQueries": [query([1, 0])], "hybridSearch": hybrid}
    answer = send("POST", SEARCH, body)
    assert answer.status_code == 400, answer.text()
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert named in answer.json()["error"]["message"].replace("hybrid_search", "hybridSearch")


@pytest.mark.parametrize("body", [{"search": "dwarf"}, {"vectorQueries": [query([1, 0])]}, {}])
def test_it_is_for_hybrid_searches_alone(sky: SearchClient, send: Send, body: dict[str, Any]) -> None:
    answer = send("POST", SEARCH, {**body, "hybridSearch": {"maxTextRecallSize": 100}})
    assert answer.status_code == 400
    assert "hybridSearch" in answer.json()["error"]["message"]
    assert send("POST", SEARCH, {**body, "hybridSearch": {"maxTextRecallSize": None}}).status_code == 200
