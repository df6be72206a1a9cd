"""Lists of indexes, synonym maps and aliases: narrowed, in pages, with the members that were asked for."""

from typing import Any

import pytest
from azure.search.documents.indexes import SearchIndexClient
from hypothesis import given
from hypothesis import strategies as st

from tests.local.search_service.conftest import Send, holds

FIELDS = [{"name": "id", "type": "Edm.String", "key": True}]
NAMES = ["bay", "boats", "buoys", "crews", "harbours"]


@pytest.fixture(autouse=True)
def made(send: Send) -> None:
    for name in NAMES:
        assert send("POST", "/indexes", {"name": name, "fields": FIELDS}).status_code == 201
        assert send("POST", "/synonymmaps", {"name": f"Of-{name}", "synonyms": "a, b"}).status_code == 201
        assert send("POST", "/aliases", {"name": f"an-{name}", "indexes": [name]}).status_code == 201


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text()
    return [one["name"] for one in answer.json()["value"]]


def pages(send: Send, path: str) -> list[list[str]]:
    """The names of page after page, as the links lead."""
    found: list[list[str]] = []
    link: str | None = path
    while link:
        answer = send("GET", link, version=None if found else "2026-08-01-preview")
        found.append(names(answer))
        link = answer.json().get("@odata.nextLink")
    return found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("search=b", ["bay", "boats", "buoys"]),
        ("search=b&searchType=prefix", ["bay", "boats", "buoys"]),
        ("search=BO", ["boats"]),
        ("search=oats", []),
        ("search=", NAMES),
        ("$top=2", ["bay", "boats"]),
        ("$skip=3", ["crews", "harbours"]),
        ("$top=1&$skip=1&search=b", ["boats"]),
        ("$top=0", []),
        ("$skip=9", []),
    ],
)
def test_a_list_is_narrowed(send: Send, query: str, found: list[str]) -> None:
    assert names(send("GET", f"/indexes?{query}")) == found


def test_synonym_maps_and_aliases_are_listed_by_the_same_rules(send: Send) -> None:
    assert names(send("GET", "/synonymmaps?search=of-b&$top=2")) == ["Of-bay", "Of-boats"]
    assert pages(send, "/aliases?search=an-b&pageSize=2") == [["an-bay", "an-boats"], ["an-buoys"]]


def test_a_list_gives_the_members_that_were_asked_for(send: Send) -> None:
    assert send("GET", "/indexes?$select=name&search=bo").json() == {"value": [{"name": "boats"}]}
    (boats,) = send("GET", "/indexes?$select=name, fields&search=bo").json()["value"]
    assert boats.keys() == {"name", "fields"}
    assert holds(boats["fields"], FIELDS)
    assert "@odata.etag" in send("GET", "/indexes?$select=*").json()["value"][0]


def test_a_list_is_whole_for_a_client_that_sends_select_without_its_sign(indexes: SearchIndexClient) -> None:
    """As Semantic Kernel 1.45 looks whether a collection exists."""
    assert list(indexes.list_index_names(params={"select": ["name"]})) == NAMES


def test_a_list_counts_what_it_was_narrowed_to(send: Send) -> None:
    answer = send("GET", "/indexes?search=b&$count=true&$top=1").json()
    assert (answer["@odata.count"], len(answer["value"])) == (3, 1)
    assert "@odata.count" not in send("GET", "/indexes?$count=false").json()


def test_pages_together_are_the_list(send: Send) -> None:
    @given(st.integers(1, 6), st.none() | st.integers(0, 6), st.integers(0, 6))
    def check(size: int, top: int | None, skip: int) -> None:
        query = f"pageSize={size}&$skip={skip}" + ("" if top is None else f"&$top={top}")
        found = pages(send, f"/indexes?{query}")
        assert all(len(page) == size for page in found[:-1])
        assert [name for page in found for name in page] == NAMES[skip:][:top]

    check()


def test_what_is_never_here_is_an_empty_list_for_every_query(send: Send) -> None:
    for kind in ("indexers", "datasources", "skillsets", "knowledgebases", "knowledgesources", "agents"):
        assert send("GET", f"/{kind}?search=x&pageSize=1&searchType=prefix&$select=name").json() == {"value": []}


@pytest.mark.parametrize(
    "query",
    [
        "searchType=infix",
        "pageSize=0",
        "pageSize=many",
        "$top=-1",
        "$skip=-1",
        "$skip=1e99",
        "$count=perhaps",
        "search=a&Search=b",
    ],
)
@pytest.mark.parametrize("kind", ["indexes", "synonymmaps", "aliases", "indexers"])
def test_a_query_that_cannot_be_is_refused_by_its_name(send: Send, kind: str, query: str) -> None:
    answer = send("GET", f"/{kind}?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "InvalidRequestParameter")
    assert query.partition("=")[0].lower() in answer.json()["error"]["message"].lower()
