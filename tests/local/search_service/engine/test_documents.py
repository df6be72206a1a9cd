"""Writing, looking up and counting documents, through the SDK and over the wire."""

from typing import Any
from urllib.parse import quote

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.search.documents import SearchClient

from tests.local.search_service.conftest import Found, Send

WRITE = "/indexes/boats/docs/search.index"


def upload(send: Send, *documents: dict[str, Any]) -> list[tuple[int, bool]]:
    answer = send("POST", WRITE, {"value": list(documents)})
    results = answer.json()["value"]
    assert answer.status_code == (200 if all(one["status"] for one in results) else 207)
    return [(one["statusCode"], one["status"]) for one in results]


def test_an_upload_is_201_when_new_and_200_when_it_replaces(boats: SearchClient) -> None:
    results = boats.upload_documents([{"id": "1", "crew": 1}, {"id": "new", "crew": 2}])
    assert [(result.key, result.succeeded, result.status_code) for result in results] == [
        ("1", True, 200),
        ("new", True, 201),
    ]
    assert boats.get_document("1")["name"] is None
    assert boats.get_document_count() == 5


def test_a_merge_changes_what_it_names_null_removes_and_lists_are_replaced(boats: SearchClient) -> None:
    boats.merge_documents([{"id": "1", "crew": None, "tags": ["tar"]}])
    merged = boats.get_document("1")
    assert (merged["crew"], merged["tags"], merged["length"]) == (None, ["tar"], 18.5)


@pytest.mark.parametrize("write", ["upload_documents", "merge_or_upload_documents", "merge_documents"])
def test_what_a_search_returned_can_be_written_back(boats: SearchClient, write: str) -> None:
    options: dict[str, Any] = {"query_type": "semantic", "query_caption": "extractive", "highlight_fields": "story"}
    returned = next(iter(boats.search("wooden ketch", **options)))
    stored = boats.get_document(returned["id"])
    assert {"@search.score", "@search.reranker_score", "@search.captions"} <= returned.keys()
    results = getattr(boats, write)([{**returned, "@odata.etag": "x", "crew": 9}])
    assert [result.status_code for result in results] == [200]
    assert boats.get_document(returned["id"]) == {**stored, "crew": 9}


def test_a_merge_into_nothing_is_404_and_the_rest_of_the_batch_is_done(boats: SearchClient, send: Send) -> None:
    results = upload(
        send,
        {"@search.action": "merge", "id": "none", "crew": 1},
        {"@search.action": "mergeOrUpload", "id": "made", "crew": 1},
        {"@search.action": "delete", "id": "none"},
        {"@search.action": "delete", "id": "2"},
    )
    assert results == [(404, False), (201, True), (200, True), (200, True)]
    with pytest.raises(ResourceNotFoundError):
        boats.get_document("2")


def test_a_change_is_visible_to_the_next_search(boats: SearchClient, found: Found) -> None:
    assert found("zebra") == []
    boats.upload_documents([{"id": "z", "story": "a zebra"}])
    assert found("zebra") == found("zebra", query_type="semantic") == ["z"]
    boats.merge_documents([{"id": "z", "story": "a gnu"}])
    assert (found("zebra"), found("gnu")) == ([], ["z"])
    boats.delete_documents([{"id": "z"}])
    assert found("gnu") == []
    assert boats.get_document_count() == 4


def test_the_same_key_twice_in_a_batch_keeps_the_last(boats: SearchClient, found: Found) -> None:
    boats.upload_documents([{"id": "z", "story": "zebra"}, {"id": "z", "story": "gnu"}])
    assert (found("zebra"), found("gnu")) == ([], ["z"])


@pytest.mark.parametrize("key", ["a b", "_a", "ä", "a/b", "x" * 1025])
def test_a_bad_key_fails_its_item_alone(boats: SearchClient, send: Send, key: str) -> None:
    assert upload(send, {"id": key}, {"id": "good"}) == [(400, False), (201, True)]


@pytest.mark.parametrize("key", ["a b", "_a", "ä", "a/b", "https://a.test/b?c=d#e", "it's", "100 %", ".", "\n", "')"])
def test_a_request_that_allows_unsafe_keys_writes_reads_merges_and_deletes_them(
    boats: SearchClient, send: Send, found: Found, key: str
) -> None:
    allowed = {"allowUnsafeKeys": "true"}
    (new,) = boats.upload_documents([{"id": key, "story": "zebra"}], params=allowed)
    (changed,) = boats.merge_documents([{"id": key, "crew": 3}], params=allowed)
    assert (new.key, new.status_code, changed.status_code) == (key, 201, 200)
    written = quote(key.replace("'", "''"), safe="")
    path = f"/indexes('boats')/docs('{written}')"
    assert send("GET", f"{path}?$select=crew&allowUnsafeKeys=true").json() == {"crew": 3}
    assert found("zebra") == [key]
    boats.delete_documents([{"id": key}], params=allowed)
    assert found("zebra") == []


@pytest.mark.parametrize(("key", "allowed"), [("x" * 1025, "true"), ("", "true"), ("a b", "false"), ("a b", "")])
def test_no_request_allows_a_key_that_is_too_long_or_empty_and_one_that_allows_nothing_is_as_before(
    boats: SearchClient, send: Send, key: str, allowed: str
) -> None:
    answer = send("POST", f"{WRITE}?allowUnsafeKeys={allowed}", {"value": [{"id": key}]})
    assert answer.status_code == (207 if key else 400)
    assert boats.get_document_count() == 4


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"nothing": 1}, "nothing"),
        ({"crew": "four"}, "crew"),
        ({"crew": 1.5}, "crew"),
        ({"crew": True}, "crew"),
        ({"crew": 2**31}, "crew"),
        ({"length": "long"}, "length"),
        ({"afloat": 1}, "afloat"),
        ({"name": 5}, "name"),
        ({"name": ["a"]}, "name"),
        ({"tags": "a"}, "tags"),
        ({"tags": ["a", None]}, "tags"),
        ({"launched": "yesterday"}, "launched"),
        ({"launched": "2020-13-01T00:00:00Z"}, "launched"),
        ({"launched": "2020-01-01T00:00:00"}, "launched"),
        ({"berth": {"type": "Point", "coordinates": [200, 0]}}, "berth"),
        ({"berth": {"type": "Point", "coordinates": [[], 0]}}, "berth"),
        ({"berth": [1, 2]}, "berth"),
        ({"harbour": "x" * 32_767}, "harbour"),
        ({"id": None}, "id"),
        ({"id": 5}, "id"),
        ({"@search.action": "replace"}, "@search.action"),
        ({"@search.action": []}, "@search.action"),
        ({"@search": 1}, "@search"),
        ({"berth@odata.type": "Edm.GeographyPoint"}, "berth@odata.type"),
    ],
)
def test_a_wrong_field_fails_the_whole_batch(
    boats: SearchClient, send: Send, fields: dict[str, Any], named: str
) -> None:
    answer = send("POST", WRITE, {"value": [{"id": "good"}, {"id": "bad", **fields}]})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]
    assert boats.get_document_count() == 4


def test_every_type_takes_its_extremes(boats: SearchClient) -> None:
    fields = {
        "length": "-INF",
        "crew": -(2**31),
        "launched": "0001-01-01T00:00:00.1234567+14:00",
        "berth": {"type": "Point", "coordinates": [-180, 90.0]},
        "name": "\x00\x01 \t\n🛶",
        "tags": ["", "\x01"],
    }
    boats.upload_documents([{"id": "=-edge_", **fields}])
    assert {name: boats.get_document("=-edge_")[name] for name in fields} == fields


@pytest.mark.parametrize("body", [{}, {"value": []}, {"value": {}}, {"value": [5]}, {"value": [{"id": "1"}], "x": 1}])
def test_a_body_that_is_no_batch_is_refused(boats: SearchClient, send: Send, body: Any) -> None:
    assert send("POST", WRITE, body).status_code == 400


def test_a_batch_has_at_most_a_thousand_actions(boats: SearchClient, send: Send) -> None:
    answer = send("POST", WRITE, {"value": [{"id": str(n)} for n in range(1001)]})
    assert answer.status_code == 400
    assert "1000" in answer.json()["error"]["message"]


def test_a_body_over_16_mb_is_413(boats: SearchClient, send: Send) -> None:
    assert send("POST", WRITE, b" " * (16 * 1024 * 1024 + 1)).status_code == 413


def test_lookup_selects_and_count_is_plain_text_with_a_mark(boats: SearchClient, send: Send) -> None:
    assert boats.get_document("3", selected_fields=["id", "crew"]) == {"id": "3", "crew": 7}
    assert send("GET", "/indexes/boats/docs/3?$select=crew").json() == {"crew": 7}
    count = send("GET", "/indexes('boats')/docs/$count")
    assert count.content == b"\xef\xbb\xbf4"
    assert str(count.content_type).startswith("text/plain")
