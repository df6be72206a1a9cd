"""Who may do what, and what is answered where nothing is."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError
from azure.search.documents import SearchClient

from retrieval.local.search_service import SearchService
from retrieval.local.transport import ENDPOINT, InProcessTransport
from retrieval.local.wire import WireRequest, WireResponse
from tests.local.search_service.conftest import BOATS, Send

READS: list[tuple[str, str, Any]] = [
    ("POST", "/indexes/boats/docs/search", {"search": "x"}),
    ("GET", "/indexes/boats/docs/1", None),
    ("GET", "/indexes/boats/docs/$count", None),
]
REST: list[tuple[str, str, Any]] = [
    ("GET", "/indexes", None),
    ("GET", "/indexes/boats", None),
    ("GET", "/indexes/boats/search.stats", None),
    ("GET", "/servicestats", None),
    ("POST", "/indexes/boats/docs/index", {"value": [{"id": "1"}]}),
    ("PUT", "/indexes/boats", BOATS),
    ("POST", "/indexes", {**BOATS, "name": "more"}),
    ("DELETE", "/indexes/boats", None),
]


@pytest.mark.parametrize("asked", [*READS, *REST], ids=lambda one: f"{one[0]} {one[1]}")
@pytest.mark.parametrize("key", ["local-dev-key", "query-key", "reader-key", "wrong", "wr\u00f6ng"])
async def test_the_table_of_roles(
    service: SearchService, boats: SearchClient, asked: tuple[str, str, Any], key: str
) -> None:
    method, path, body = asked
    answer = await ask(service, ("api-key", key), method=method, target=path, body=body)
    allowed = READS if key in ("query-key", "reader-key") else [*READS, *REST] if key == "local-dev-key" else []
    assert (answer.status < 300) if asked in allowed else (answer.status == 403)


async def ask(
    service: SearchService,
    *headers: tuple[str, str],
    method: str = "GET",
    target: str = "/indexes",
    body: Any = None,
) -> WireResponse:
    version = "&" if "?" in target else "?"
    target = f"{target}{version}api-version=2026-04-01"
    return await service(WireRequest(method=method, target=target, headers=headers, body=json.dumps(body).encode()))


async def test_no_credential_is_401() -> None:
    assert (await ask(SearchService())).status == 401
    assert (await ask(SearchService(accept_tokens=True), ("authorization", "Basic eDp5"))).status == 401


@pytest.mark.parametrize(
    ("target", "key", "accepted"),
    [
        ("/indexes/boats/docs/search", "query-key", True),
        ("/indexes/boats/docs/index", "query-key", False),
        ("/indexes/boats/docs/index", "local-dev-key", True),
        ("/indexes/boats/docs/index", "wrong", False),
        ("/nothing", "local-dev-key", False),
    ],
)
def test_a_head_tells_whether_its_body_is_worth_reading(
    service: SearchService, target: str, key: str, accepted: bool
) -> None:
    target = f"{target}?api-version=2026-04-01"
    assert service.accepts(WireRequest(method="POST", target=target, headers=(("api-key", key),))) is accepted


async def test_a_token_counts_only_where_tokens_are_accepted() -> None:
    token = ("authorization", "Bearer abc")
    assert (await ask(SearchService(), token)).status == 403
    assert (await ask(SearchService(accept_tokens=True), token)).status == 200
    assert (await ask(SearchService(accept_tokens=True), token, ("api-key", "wrong"))).status == 403


def test_a_token_credential_works_through_the_transport() -> None:
    class Identity:
        def get_token(self, *scopes: str, **options: Any) -> AccessToken:
            assert scopes == ("https://search.azure.com/.default",)
            return AccessToken("abc", 9_999_999_999)

    service = SearchService(accept_tokens=True)
    client = SearchClient(ENDPOINT, "none", Identity(), transport=InProcessTransport(service))
    with pytest.raises(HttpResponseError) as raised:
        client.get_document_count()
    assert raised.value.status_code == 404


async def test_a_users_token_changes_nothing_since_no_index_has_document_permissions() -> None:
    key = ("api-key", "local-dev-key")
    alone = await ask(SearchService(), key)
    assert await ask(SearchService(), key, ("x-ms-query-source-authorization", "token")) == alone


async def test_service_statistics_have_what_the_clients_require() -> None:
    """`indexersRuntime` with a day in UTC: azure-search-documents 12.1.0b2 calls all its members but one required."""
    service = SearchService(clock=lambda: datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5))))
    answer = json.loads((await ask(service, ("api-key", "local-dev-key"), target="/servicestats")).body)
    assert answer["indexersRuntime"] == {
        "usedSeconds": 0,
        "remainingSeconds": None,
        "beginningTime": "2026-03-02T00:00:00Z",
        "endingTime": "2026-03-02T23:59:59Z",
    }
    assert answer["limits"].keys() >= {"maxStoragePerIndex", "maxCumulativeIndexerRuntimeSeconds"}


async def test_the_request_id_comes_back() -> None:
    answer = await ask(SearchService(), ("api-key", "local-dev-key"), ("x-ms-client-request-id", "42"))
    assert ("x-ms-client-request-id", "42") in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "ResourceNotFound"),
        ("GET", "/nothing", 404, "ResourceNotFound"),
        ("GET", "/indexes/none", 404, "ResourceNotFound"),
        ("GET", "/indexes/none/docs/$count", 404, "ResourceNotFound"),
        ("GET", "/indexes/boats/docs/none", 404, "ResourceNotFound"),
        ("GET", "/indexes('boats')/docs('none')", 404, "ResourceNotFound"),
        ("GET", "//indexes//none", 404, "ResourceNotFound"),
        ("PATCH", "/indexes/boats", 405, "MethodNotAllowed"),
        ("GET", "/indexes/boats/docs/search.index/x", 404, "ResourceNotFound"),
        ("PUT", "/indexers/one", 400, "UnsupportedByLocalSearch"),
        ("POST", "/indexers", 400, "UnsupportedByLocalSearch"),
        ("POST", "/datasources", 400, "UnsupportedByLocalSearch"),
        ("POST", "/skillsets", 400, "UnsupportedByLocalSearch"),
        ("POST", "/knowledgesources", 400, "UnsupportedByLocalSearch"),
        ("POST", "/indexers('one')/search.run", 400, "UnsupportedByLocalSearch"),
        ("DELETE", "/skillsets('one')", 400, "UnsupportedByLocalSearch"),
        ("POST", "/servicestats", 405, "MethodNotAllowed"),
        ("GET", "/indexes/boats/docs/1?$select=id&$select=crew", 400, "InvalidRequestParameter"),
        ("GET", "/knowledgebases('one')", 400, "UnsupportedByLocalSearch"),
        ("POST", "/indexes('boats')/docs/search.post.explain", 400, "UnsupportedByLocalSearch"),
        ("POST", "/indexes/boats/docs/search.post.explain", 400, "UnsupportedByLocalSearch"),
        ("POST", "/indexes/boats/docs/search.post.suggest", 400, "InvalidRequestParameter"),
    ],
)
def test_where_nothing_is(boats: SearchClient, send: Send, method: str, path: str, status: int, code: str) -> None:
    answer = send(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("method", "path", "named"),
    [
        ("GET", "/indexes?select=name", "(list_indexes): 'select'."),
        ("GET", "/indexes?%2524select=name&%2524select=fields", "(list_indexes): '%24select'."),
        ("GET", "/aliases?a=1&b=2&$top=1", "(list_aliases): 'a', 'b'."),
        ("GET", "/indexes/boats?colour=hunter2", "(get_index): 'colour'."),
        ("GET", "/servicestats?$select=counters", "(service_statistics): '$select'."),
        ("POST", "/indexes/boats/docs/search?search=ketch", "(search): 'search'."),
        ("GET", "/indexes/boats/docs?search=ketch&colour=red", "(search): 'colour'."),
        ("GET", "/indexes/boats/docs/1?select=id", "(lookup): 'select'."),
        ("GET", "/indexes/boats?" + "&".join(f"p{n}=" for n in range(500)), "'p9', and others."),
    ],
)
def test_unknown_parameters_of_a_query_are_ignored_and_named_in_the_log(
    boats: SearchClient, send: Send, caplog: pytest.LogCaptureFixture, method: str, path: str, named: str
) -> None:
    """As Azure serves them: Semantic Kernel sends `select`, the SDK for JavaScript 13.0.0 `%2524select`."""
    body = {"search": "ketch"} if method == "POST" else None
    answer = send(method, path, body)
    assert answer.status_code == 200, answer.text()
    plain = send(method, path.partition("?")[0], body)
    assert answer.json() == plain.json() or "search=ketch" in path
    (line,) = caplog.messages
    assert line.endswith(named)
    assert "hunter2" not in line


async def test_who_may_not_ask_writes_nothing_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert (await ask(SearchService(), ("api-key", "wrong"), target="/indexes?select=name")).status == 403
    assert not caplog.messages


@pytest.mark.parametrize("target", ["", "[", "//[::1", "/%", "/%ff%fe", "/indexes('a''b')", "/indexes(%27boats%27)"])
async def test_a_strange_target_is_answered(target: str) -> None:
    answer = await ask(SearchService(), ("api-key", "local-dev-key"), target=target)
    assert answer.status in (400, 404)
