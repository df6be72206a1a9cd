"""The versions that are served: known ones alike, later ones as the newest of their sort, any other refused."""

import json
import logging
from typing import Any, Final

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient

from retrieval.contracts.served_versions import SERVED
from retrieval.local.search_service import SearchService
from retrieval.local.search_service.api.versions import API_VERSIONS
from retrieval.local.transport import InProcessTransport
from retrieval.local.wire import WireRequest, WireResponse
from tests.local.search_service.conftest import BOATS, FLEET, Send

KEY: Final = ("api-key", "local-dev-key")
NEW: Final = ("2026-10-01", "2026-11-01-preview")
SERVED_AS: Final = {
    "2027-01-01": NEW[0],
    "2030-12-31": NEW[0],
    "2027-01-01-preview": NEW[1],
    "2027-01-01-Preview": NEW[1],
}
REFUSED: Final = [
    "2026-10-02",
    "2026-09-01",
    "2026-11-01",
    "2027-13-01",
    "2027-1-1",
    "٢٠٢٧-٠١-٠١",
    " 2027-01-01",
    "latest",
]


async def ask(service: SearchService, version: str, path: str = "/indexes", **headers: str) -> WireResponse:
    sent = (KEY, *((name.replace("_", "-"), value) for name, value in headers.items()))
    target = f"{path}{'&' if '?' in path else '?'}api-version={version}"
    return await service(WireRequest(method="GET", target=target, headers=sent, body=b""))


@pytest.mark.parametrize(("version", "served"), SERVED_AS.items())
async def test_a_later_version_is_served_as_the_newest_of_its_sort(version: str, served: str) -> None:
    service = SearchService()
    answer = await ask(service, version)
    assert (answer.status, dict(answer.headers)[SERVED]) == (200, served)
    assert (await ask(SearchService(strict_versions=True), version)).status == 400


@pytest.mark.parametrize("version", REFUSED)
async def test_any_other_is_refused_by_its_name(version: str) -> None:
    answer = await ask(SearchService(), version)
    assert (answer.status, SERVED in dict(answer.headers)) == (400, False)


async def test_a_known_version_is_not_told_again() -> None:
    service = SearchService()
    for version in API_VERSIONS:
        answer = await ask(service, version)
        assert (answer.status, SERVED in dict(answer.headers)) == (200, False)


async def test_the_log_warns_once_of_each_later_version(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "retrieval")
    service = SearchService()
    for version in ("2027-01-01", "2027-01-01", "2028-01-01"):
        await ask(service, version)
    assert len([one for one in caplog.records if "does not know" in one.getMessage()]) == 2


@pytest.mark.parametrize("version", [*NEW, "2027-01-01"])
def test_microsofts_client_makes_an_index_and_searches_it_in_that_version(version: str) -> None:
    transport, key = InProcessTransport(SearchService()), AzureKeyCredential(KEY[1])
    options: dict[str, Any] = {"api_version": version, "transport": transport}
    indexes = SearchIndexClient("https://local.invalid", key, **options)
    from azure.search.documents.indexes.models import SearchIndex

    indexes.create_index(SearchIndex(BOATS))
    documents = SearchClient("https://local.invalid", "boats", key, **options)
    assert all(one.succeeded for one in documents.upload_documents(FLEET))
    permissions = {"x-ms-query-source-authorization": "a-token", "x-ms-enable-elevated-read": "false"}
    assert [one["id"] for one in documents.search("ketch", headers=permissions)] == ["1"]
    assert documents.get_document("1", headers=permissions)["name"] == "The Heron"
    assert [one.name for one in indexes.list_indexes()] == ["boats"]


async def test_the_statistics_of_indexes_are_listed_by_the_rules_of_lists(send: Send) -> None:
    for name in ("bay", "boats", "crews"):
        fields = [{"name": "id", "type": "Edm.String", "key": True}]
        assert send("POST", "/indexes", {"name": name, "fields": fields}).status_code == 201
    send("POST", "/indexes/boats/docs/index", {"value": [{"id": "1"}]})
    answer = send("GET", "/indexstats?search=b&pageSize=1", version="2026-10-01").json()
    assert answer["value"] == [{"name": "bay", "documentCount": 0, "storageSize": 0, "vectorIndexSize": 0}]
    following = send("GET", answer["@odata.nextLink"], version=None).json()
    assert [(one["name"], one["documentCount"]) for one in following["value"]] == [("boats", 1)]
    assert send("GET", "/indexstats?pageSize=3001").status_code == 400


@pytest.mark.parametrize(
    "member", [{"graphProfile": {}}, {"graphFieldMappings": []}, {"permissionFilterOption": "enabled"}]
)
def test_members_of_an_index_that_are_not_served_are_refused_by_name(send: Send, member: dict[str, object]) -> None:
    fields = [{"name": "id", "type": "Edm.String", "key": True}]
    answer = send("POST", "/indexes", {"name": "new", "fields": fields, **member}, version=NEW[1])
    assert answer.status_code == 400
    assert next(iter(member)) in answer.json()["error"]["message"]
    assert json.loads(send("GET", "/indexes").text())["value"] == []


def test_more_like_this_is_refused_by_its_name(send: Send) -> None:
    fields = [{"name": "id", "type": "Edm.String", "key": True}]
    assert send("POST", "/indexes", {"name": "boats", "fields": fields}).status_code == 201
    for method, path, body in (
        ("POST", "/indexes/boats/docs/search.post.search", {"moreLikeThis": "1"}),
        ("GET", "/indexes/boats/docs?moreLikeThis=1", None),
    ):
        answer = send(method, path, body, version=NEW[0])
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "UnsupportedByLocalSearch")
        assert "moreLikeThis" in answer.json()["error"]["message"]
