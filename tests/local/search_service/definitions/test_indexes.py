"""Index definitions: what is kept, what is refused, ETags, statistics."""

from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import (
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient
from azure.search.documents.indexes.models import SearchFieldDataType, SearchIndex, SimpleField

from tests.local.search_service.conftest import BOATS, Found, Send, holds

ID = {"name": "id", "type": "Edm.String", "key": True}


def small(name: str) -> SearchIndex:
    return SearchIndex(name=name, fields=[SimpleField(name="id", type=SearchFieldDataType.STRING, key=True)])


def test_the_life_of_an_index(indexes: SearchIndexClient) -> None:
    created = indexes.create_index(small("one"))
    indexes.create_or_update_index(small("another"))
    assert indexes.get_index("one") == created
    assert list(indexes.list_index_names()) == ["another", "one"]
    assert [index.name for index in indexes.list_indexes()] == ["another", "one"]
    with pytest.raises(ResourceExistsError):
        indexes.create_index(small("one"))
    indexes.delete_index("one")
    with pytest.raises(ResourceNotFoundError):
        indexes.get_index("one")


def test_a_definition_comes_back_as_it_was_sent(boats: SearchClient, send: Send) -> None:
    answer = send("GET", "/indexes('boats')").json()
    assert answer.pop("@odata.etag").startswith('"0x')
    assert holds(answer, BOATS)


def test_an_etag_that_no_longer_holds_is_412(indexes: SearchIndexClient) -> None:
    old = indexes.create_index(small("one"))
    indexes.create_or_update_index(small("one"))
    with pytest.raises(ResourceModifiedError):
        indexes.create_or_update_index(old, match_condition=MatchConditions.IfNotModified)
    with pytest.raises(ResourceModifiedError):
        indexes.delete_index(old, match_condition=MatchConditions.IfNotModified)
    new = indexes.get_index("one")
    indexes.delete_index(new, match_condition=MatchConditions.IfNotModified)


def test_a_put_creates_with_201_and_updates_with_200(send: Send) -> None:
    bare = {"name": "bare", "fields": [ID]}
    assert send("PUT", "/indexes/bare", bare).status_code == 201
    assert send("PUT", "/indexes('bare')", bare, Prefer="return=representation").status_code == 200
    assert send("PUT", "/indexes/bare", bare, If_None_Match="*").status_code == 412
    assert send("PUT", "/indexes/other", bare).status_code == 400


def test_a_new_field_may_be_added_and_the_documents_stay(boats: SearchClient, send: Send, found: Found) -> None:
    wider = {**BOATS, "fields": [*BOATS["fields"], {"name": "engine", "type": "Edm.String"}]}
    assert send("PUT", "/indexes/boats", wider).status_code == 204
    assert found("ketch", query_type="semantic") == ["1"]
    assert boats.get_document("1")["engine"] is None


@pytest.mark.parametrize(
    "fields", [BOATS["fields"][:-1], [*BOATS["fields"][:-1], {"name": "secret", "type": "Edm.Int32"}]]
)
def test_a_field_may_neither_go_nor_change(boats: SearchClient, send: Send, fields: list[Any]) -> None:
    answer = send("PUT", "/indexes/boats", {**BOATS, "fields": fields})
    assert answer.status_code == 400
    assert "secret" in answer.json()["error"]["message"]


def test_statistics_count(boats: SearchClient, indexes: SearchIndexClient) -> None:
    assert indexes.get_index_statistics("boats")["documentCount"] == 4
    counters = indexes.get_service_statistics().counters
    assert (counters.document_counter.usage, counters.index_counter.usage) == (4, 1)


@pytest.mark.parametrize(
    "name", ["", "a", "A-boat", "-boat", "boat-", "a--b", "a-_b", "boats!", "x" * 129, "ä-boat", "a/../b", "boats\n"]
)
def test_a_bad_index_name_is_refused(send: Send, name: str) -> None:
    answer = send("POST", "/indexes", {"name": name, "fields": [ID]})
    assert answer.status_code == 400
    assert "index name" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"fields": []}, "1 to 1000 fields"),
        ({"fields": [{"name": "id", "type": "Edm.String"}]}, "exactly one key"),
        ({"fields": [ID, {**ID, "name": "other"}]}, "exactly one key"),
        ({"fields": [ID, {**ID, "key": False, "name": "ID"}]}, "twice"),
        ({"fields": [{**ID, "type": "Edm.Int32"}]}, "key field"),
        ({"fields": [ID, {"name": "1st", "type": "Edm.String"}]}, "1st"),
        ({"fields": [ID, {"name": "x", "type": "Edm.Text"}]}, "Edm.Text"),
        ({"fields": [ID, {"name": "x", "type": "Edm.Int32", "searchable": True}]}, "searchable"),
        ({"fields": [ID, {"name": "x", "type": "Collection(Edm.String)", "sortable": True}]}, "sortable"),
        ({"fields": [{**ID, "colour": "red"}]}, "colour"),
        ({"fields": "id"}, "fields"),
        ({"colour": "red"}, "colour"),
        ({"semantic": {"defaultConfiguration": "none"}}, "none"),
        (
            {"semantic": {"configurations": [{"name": "c", "prioritizedFields": {"titleField": {"fieldName": "no"}}}]}},
            "'no'",
        ),
        ({"semantic": {"configurations": [{"name": "c", "prioritizedFields": {}}]}}, "names no field"),
    ],
)
def test_a_definition_that_breaks_a_rule_is_refused(send: Send, change: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", {"name": "bare", "fields": [ID], **change})
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]
    assert send("GET", "/indexes/bare").status_code == 404


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"fields": [ID, {"name": "t", "type": "Edm.String", "analyzer": "it.lucene"}]}, "it.lucene"),
        ({"similarity": {"@odata.type": "#Microsoft.Azure.Search.ClassicSimilarity"}}, "similarity"),
        ({"purviewEnabled": True}, "purviewEnabled"),
        ({"permissionFilterOption": "enabled"}, "permissionFilterOption"),
        ({"sharePointConnectorAppRegistration": {"applicationId": "x"}}, "sharePointConnectorAppRegistration"),
        ({"fields": [ID, {"name": "t", "type": "Edm.String", "permissionFilter": "userIds"}]}, "permissionFilter"),
        ({"fields": [ID, {"name": "t", "type": "Edm.String", "sensitivityLabel": True}]}, "sensitivityLabel"),
        ({"fields": [ID, {"name": "t", "type": "Edm.String", "sourceDocumentId": True}]}, "sourceDocumentId"),
    ],
)
def test_what_is_not_implemented_is_refused_by_name(send: Send, change: dict[str, Any], named: str) -> None:
    answer = send("POST", "/indexes", {"name": "bare", "fields": [ID], **change})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "UnsupportedByLocalSearch"
    assert named in error["message"]


def test_members_that_say_nothing_are_accepted(send: Send) -> None:
    nothing: dict[str, Any] = {
        "suggesters": [],
        "scoringProfiles": [],
        "vectorSearch": {"profiles": []},
        "encryptionKey": None,
        "purviewEnabled": False,
        "permissionFilterOption": "disabled",
        "fields": [{**ID, "permissionFilter": None, "sensitivityLabel": False}],
    }
    bm25 = {"similarity": {"@odata.type": "#Microsoft.Azure.Search.BM25Similarity", "k1": None, "b": 0.75}}
    assert send("POST", "/indexes", {"name": "bare", **nothing, **bm25}).status_code == 201
