"""Aliases, updates of an index, what is echoed, what is listed as empty."""

import asyncio
import json
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient, SearchIndexerClient
from azure.search.documents.indexes.models import SearchAlias
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect
from retrieval.local.wire import WireRequest
from tests.local.search_service.conftest import BOATS, Send

ID = {"name": "id", "type": "Edm.String", "key": True}
VERSIONS = (
    "2020-06-30 2023-11-01 2024-07-01 2025-09-01 2026-04-01 2023-10-01-preview 2024-03-01-preview 2024-05-01-Preview "
    "2024-09-01-preview 2024-11-01-preview 2025-03-01-preview 2025-05-01-preview 2025-08-01-preview 2025-11-01-Preview "
    "2026-05-01-preview 2026-08-01-PREVIEW"
).split()


def test_an_alias_stands_for_its_index_in_requests_for_documents(
    boats: SearchClient, indexes: SearchIndexClient, service: SearchService, send: Send
) -> None:
    indexes.create_alias(SearchAlias(name="fleet", indexes=["boats"]))
    fleet = SearchClient(index_name="fleet", **connect(service))
    assert fleet.get_document_count() == 4
    assert [one["id"] for one in fleet.search("trawler")] == ["2"]
    fleet.upload_documents([{"id": "5"}])
    assert boats.get_document("5") == fleet.get_document("5")
    assert send("GET", "/indexes/fleet").status_code == 404


def test_an_alias_is_mapped_to_another_index(boats: SearchClient, indexes: SearchIndexClient, send: Send) -> None:
    indexes.create_alias(SearchAlias(name="fleet", indexes=["boats"]))
    assert send("POST", "/indexes", {"name": "empty", "fields": [ID]}).status_code == 201
    indexes.create_or_update_alias(SearchAlias(name="fleet", indexes=["empty"]))
    assert send("GET", "/indexes/fleet/docs/$count").content == b"\xef\xbb\xbf0"
    assert [alias.indexes for alias in indexes.list_aliases()] == [["empty"]]
    indexes.delete_alias("fleet")
    with pytest.raises(ResourceNotFoundError):
        indexes.get_alias("fleet")


def test_an_index_with_an_alias_cannot_be_deleted(boats: SearchClient, indexes: SearchIndexClient) -> None:
    indexes.create_alias(SearchAlias(name="fleet", indexes=["boats"]))
    with pytest.raises(HttpResponseError, match="fleet") as raised:
        indexes.delete_index("boats")
    assert raised.value.status_code == 400
    indexes.delete_alias("fleet")
    indexes.delete_index("boats")


@pytest.mark.parametrize(
    "body",
    [
        {"name": "fleet", "indexes": ["none"]},
        {"name": "fleet", "indexes": []},
        {"name": "fleet", "indexes": ["boats", "boats"]},
        {"name": "boats", "indexes": ["boats"]},
        {"name": "Fleet", "indexes": ["boats"]},
        {"name": "fleet"},
        {"name": "fleet", "indexes": ["boats"], "colour": "red"},
    ],
)
def test_an_alias_that_cannot_be_is_refused(boats: SearchClient, send: Send, body: dict[str, Any]) -> None:
    assert send("POST", "/aliases", body).status_code == 400


def test_an_index_cannot_take_the_name_of_an_alias(boats: SearchClient, send: Send) -> None:
    send("POST", "/aliases", {"name": "fleet", "indexes": ["boats"]})
    assert send("POST", "/indexes", {**BOATS, "name": "fleet"}).status_code == 409


def put(send: Send, fields: list[dict[str, Any]], **more: Any) -> int:
    return send("PUT", "/indexes/boats", {**BOATS, "fields": fields, **more}).status_code


def with_field(name: str, **changes: Any) -> list[dict[str, Any]]:
    return [{**field, **changes} if field["name"] == name else field for field in BOATS["fields"]]


@pytest.mark.parametrize("change", [{"retrievable": False}, {"searchAnalyzer": "whitespace", "analyzer": "keyword"}])
def test_what_may_change_of_a_field(boats: SearchClient, send: Send, change: dict[str, Any]) -> None:
    fields = with_field("harbour", **change)
    if "searchAnalyzer" in change:
        fields = with_field("harbour", analyzer=None, indexAnalyzer="keyword", searchAnalyzer="whitespace")
    assert put(send, fields) == 204
    assert boats.get_document_count() == 4


@pytest.mark.parametrize(
    "change", [{"filterable": False}, {"facetable": False}, {"searchable": False}, {"analyzer": "en.lucene"}]
)
def test_what_may_not(boats: SearchClient, send: Send, change: dict[str, Any]) -> None:
    before = send("GET", "/indexes/boats").json()
    assert put(send, with_field("harbour", **change)) == 400
    assert send("GET", "/indexes/boats").json() == before


def test_a_suggester_takes_new_fields_only(boats: SearchClient, send: Send) -> None:
    def suggester(*fields: str) -> list[Any]:
        return [{"name": "sg", "sourceFields": list(fields)}]

    wider = [*BOATS["fields"], {"name": "nickname", "type": "Edm.String"}]
    assert put(send, BOATS["fields"], suggesters=suggester("name")) == 400
    assert put(send, wider, suggesters=suggester("nickname")) == 204
    assert put(send, wider, suggesters=suggester("nickname", "name")) == 400


def test_a_put_answers_as_it_is_preferred(send: Send) -> None:
    bare = {"name": "bare", "fields": [ID]}
    assert send("PUT", "/indexes/bare", bare, Prefer="return=minimal").status_code == 201
    minimal = send("PUT", "/indexes/bare", bare)
    assert (minimal.status_code, minimal.content) == (204, b"")
    assert send("PUT", "/indexes/bare", bare, Prefer="return=representation").json()["name"] == "bare"


def test_cors_options_are_given_back(boats: SearchClient, send: Send) -> None:
    cors = {"corsOptions": {"allowedOrigins": ["*"], "maxAgeInSeconds": 60}}
    assert send("PUT", "/indexes/boats", {**BOATS, **cors}).status_code == 204
    assert send("GET", "/indexes/boats").json()["corsOptions"] == cors["corsOptions"]


def test_clean_up_code_finds_nothing(service: SearchService, send: Send) -> None:
    indexers = SearchIndexerClient(**connect(service))
    assert indexers.get_indexers() == indexers.get_data_source_connections() == indexers.get_skillsets() == []
    indexes = SearchIndexClient(**connect(service))
    assert list(indexes.list_knowledge_bases()) == list(indexes.list_knowledge_sources()) == []
    assert send("GET", "/agents").json() == {"value": []}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_and_both_key_forms_do_the_same(boats: SearchClient, send: Send, version: str) -> None:
    for index, lookup in (("/indexes/boats", "/docs/1"), ("/indexes('boats')", "/docs('1')")):
        assert send("GET", index, version=version).json()["name"] == "boats"
        assert send("GET", f"{index}{lookup}", version=version).json()["id"] == "1"
        for path in ("/docs/search", "/docs/search.post.search"):
            assert len(send("POST", f"{index}{path}", {}, version=version).json()["value"]) == 4


@pytest.mark.parametrize("version", [None, "", "2026-04-01-preview", "2023-07-01-preview", "2019-05-06", "latest"])
def test_another_version_is_refused_with_those_that_are_served(send: Send, version: str | None) -> None:
    answer = send("GET", "/indexes", version=version)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidRequestParameter"
    assert all(served.lower() in answer.json()["error"]["message"] for served in VERSIONS)


def test_a_key_in_parentheses_is_a_key_whatever_it_spells(boats: SearchClient, send: Send) -> None:
    boats.upload_documents([{"id": "suggest", "crew": 3}])
    assert send("GET", "/indexes/boats/docs('suggest')?$select=crew").json() == {"crew": 3}
    assert send("GET", "/indexes/boats/docs/suggest").status_code == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    "name indexes synonyms format encryptionKey fields suggesters sourceFields scoringProfiles functions text weights "
    "corsOptions allowedOrigins search suggesterName top filter orderby select searchFields fuzzy autocompleteMode "
    "minimumCoverage highlightPreTag highlightPostTag value key type synonymMaps @odata.etag".split()
)
BODIES = st.dictionaries(MEMBERS, JSON | st.dictionaries(MEMBERS, JSON, max_size=3) | st.just("boats"), max_size=6)
TARGETS = [
    ("POST", "/synonymmaps"),
    ("PUT", "/synonymmaps/boats"),
    ("POST", "/aliases"),
    ("PUT", "/aliases('boats')"),
    ("POST", "/indexes"),
    ("PUT", "/indexes/boats"),
    ("POST", "/indexes/boats/docs/suggest"),
    ("POST", "/indexes/boats/docs/autocomplete"),
    ("POST", "/indexes/boats/docs/index"),
]
NAMED = {"name": "boats", "fields": BOATS["fields"], "indexes": ["boats"], "suggesterName": "sg", "search": "a"}


@pytest.mark.parametrize("target", TARGETS, ids=" ".join)
@given(body=BODIES, named=st.booleans())
def test_any_body_is_answered_and_never_with_a_failure(
    target: tuple[str, str], body: dict[str, Any], named: bool
) -> None:
    service = SearchService()
    method, path = target
    headers = (("api-key", "local-dev-key"),)

    async def answer() -> int:
        made = json.dumps({**BOATS, "suggesters": [{"name": "sg", "sourceFields": ["name"]}]}).encode()
        version = "?api-version=2026-04-01"
        await service(WireRequest(method="POST", target=f"/indexes{version}", headers=headers, body=made))
        sent = json.dumps({**NAMED, **body} if named else body).encode()
        request = WireRequest(method=method, target=f"{path}{version}", headers=headers, body=sent)
        return (await service(request)).status

    assert asyncio.run(answer()) < 500
