"""Searches within a filter: what they add to the score."""

import pytest
from azure.search.documents import SearchClient

from tests.local.search_service.conftest import Send

SEARCH = "/indexes/boats/docs/search"


def scores(client: SearchClient, filter: str, text: str = "*") -> dict[str, float]:
    return {hit["id"]: hit["@search.score"] for hit in client.search(text, filter=filter)}


def plain(client: SearchClient, text: str) -> dict[str, float]:
    return {hit["id"]: hit["@search.score"] for hit in client.search(text)}


def test_a_scoring_search_scores_as_the_search_itself(boats: SearchClient) -> None:
    wanted = plain(boats, "engine lamp")
    got = scores(boats, "search.ismatchscoring('engine lamp')")
    assert got == pytest.approx(wanted)
    assert list(got) == list(wanted)


def test_the_branch_of_an_or_that_is_not_matched_scores_nothing(boats: SearchClient) -> None:
    lamp = plain(boats, "lamp")["3"]
    got = scores(boats, "search.ismatchscoring('lamp') or crew eq 4")
    assert got == {"3": pytest.approx(lamp), "1": 0.0}
    assert list(got) == ["3", "1"]


def test_a_match_counts_only_where_its_whole_branch_passes(boats: SearchClient) -> None:
    wooden = plain(boats, "wooden")
    filter = "(search.ismatchscoring('wooden') and crew eq 4) or id eq '4'"
    assert scores(boats, filter) == {"1": pytest.approx(wooden["1"]), "4": 0.0}


def test_what_only_selects_changes_no_score(boats: SearchClient) -> None:
    assert scores(boats, "search.ismatch('lamp')") == {"3": 1.0}
    assert scores(boats, "not search.ismatchscoring('lamp')") == {"1": 1.0, "2": 1.0, "4": 1.0}


def test_scores_of_search_and_filter_are_added(boats: SearchClient) -> None:
    engine = plain(boats, "engine")
    got = scores(boats, "search.ismatchscoring('engine') or crew gt 6", "salt lamp engine")
    both = plain(boats, "salt lamp engine")
    assert got["1"] == pytest.approx(both["1"] + engine["1"])
    assert got["3"] == pytest.approx(both["3"])
    assert next(iter(got)) == "1"


def test_every_syntax_and_the_fields_of_the_search(boats: SearchClient) -> None:
    assert scores(boats, "search.ismatchscoring('k?tch', 'story', 'full', 'any')") == {"1": 1.0}
    assert scores(boats, "search.ismatchscoring('ketch', 'name')") == {}


def test_a_search_within_a_filter_that_is_wrong_is_refused(boats: SearchClient, send: Send) -> None:
    for filter in (
        "search.ismatch('x', 'crew')",
        "search.ismatchscoring('x', 'nothing')",
        "search.ismatch('a AND', 'story', 'full', 'any')",
        "search.ismatchscoring('crew:1', 'story', 'full', 'any')",
    ):
        assert send("POST", SEARCH, {"filter": filter}).status_code == 400


def test_many_searches_within_a_filter_are_refused_and_repeats_are_not(boats: SearchClient, send: Send) -> None:
    many = " or ".join(f"search.ismatch('a{n}')" for n in range(101))
    assert send("POST", SEARCH, {"filter": many}).status_code == 400
    again = " or ".join("search.ismatchscoring('lamp')" for _ in range(500))
    assert send("POST", SEARCH, {"filter": again}).status_code == 200


def test_paging_counting_and_facets_see_the_same_documents(boats: SearchClient, send: Send) -> None:
    boats.upload_documents([{"id": f"x{n:03}", "story": "buoy " * (1 + n % 5), "crew": n} for n in range(150)])
    filter = "search.ismatchscoring('buoy') and crew ge 50"
    found = list(boats.search("*", filter=filter, include_total_count=True))
    assert len(found) == 100
    assert [hit["@search.score"] for hit in found] == sorted((hit["@search.score"] for hit in found), reverse=True)
    page = send("POST", SEARCH, {"filter": filter, "count": True, "top": 1, "facets": ["crew,values:100"]}).json()
    assert page["@odata.count"] == 100
    assert page["@search.facets"] == {"crew": [{"to": 100, "count": 50}, {"from": 100, "count": 50}]}
