"""Lists in pages, and links: what leads a caller to the rest of a list, and to the document of a reference."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from retrieval import compose
from tests.conftest import Post, Response
from tests.contracts.azure.versions import CITING, since

ADMIN: Final = "local-admin-key"
PAGED: Final = since("2026-08-01-preview", "2026-10-01")
SOURCE: Final = {
    "name": "second",
    "kind": "searchIndex",
    "searchIndexParameters": {"searchIndexName": "earth_at_night"},
}
HOST: Final = {"host": "localhost:7071"}


@pytest.fixture
async def made(post: Post, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Post]:
    """Seven bases beside those that are there."""
    monkeypatch.setenv("AGENTS_STORE", "memory")
    compose.service.cache_clear()
    for number in range(7):
        body = {"name": f"team-{number}", "knowledgeSources": [{"name": "earth_at_night"}]}
        answer = await post(body, "/knowledgebases?api-version=2026-10-01", key=ADMIN)
        assert answer.status == 201, answer.body
    yield post
    await compose.end()


async def get(post: Post, target: str, headers: Mapping[str, str] = HOST) -> Response:
    return await post(b"", target, method="GET", key=ADMIN, headers=headers)


@pytest.mark.parametrize("version", PAGED)
async def test_the_pages_of_a_list_have_every_name_that_begins_so_once(made: Post, version: str) -> None:
    target: str | None = f"/knowledgebases?api-version={version}&search=Team&searchType=prefix&pageSize=3"
    pages = []
    while target is not None:
        answer = await get(made, target)
        pages.append([one["name"] for one in answer.json["value"]])
        link = answer.json.get("@odata.nextLink")
        assert link is None or link.startswith(f"http://localhost:7071/knowledgebases?api-version={version}&")
        target = link and link.removeprefix("http://localhost:7071")
    assert pages == [["team-0", "team-1", "team-2"], ["team-3", "team-4", "team-5"], ["team-6"]]


async def test_a_list_without_a_query_is_whole_and_sources_are_searched_too(made: Post) -> None:
    whole = await get(made, "/knowledgebases?api-version=2026-10-01")
    assert len(whole.json["value"]) == 8 and "@odata.nextLink" not in whole.json
    sources = await get(made, "/knowledgesources?api-version=2026-10-01&search=earth")
    assert [one["name"] for one in sources.json["value"]] == ["earth_at_night"]
    assert (await get(made, "/knowledgesources?api-version=2026-10-01&search=night")).json == {"value": []}


@pytest.mark.parametrize(
    ("query", "target"),
    [
        ("pageSize=0", "pageSize"),
        ("pageSize=3001", "pageSize"),
        ("pageSize=ten", "pageSize"),
        ("pageSize=%D9%A3", "pageSize"),
        ("pageSize=" + "9" * 5000, "pageSize"),
        ("searchType=fuzzy", "searchType"),
        ("$skiptoken=%FF", "$skiptoken"),
        ("$skiptoken=abc", "$skiptoken"),
    ],
)
async def test_a_query_that_cannot_be_meant_is_refused_by_its_name(post: Post, query: str, target: str) -> None:
    answer = await get(post, f"/knowledgebases?api-version=2026-10-01&{query}")
    assert (answer.status, answer.json["error"]["target"]) == (400, target)


async def test_a_version_without_pages_lists_all_of_it(made: Post) -> None:
    answer = await get(made, "/knowledgebases?api-version=2026-04-01&search=team&pageSize=1")
    assert len(answer.json["value"]) == 8


async def test_a_link_begins_with_the_host_of_a_proxy_that_the_deployment_names(
    made: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIC_HOSTS", "front.example")
    compose.service.cache_clear()
    await made(SOURCE, "/knowledgesources?api-version=2026-10-01", key=ADMIN)
    target = "/knowledgesources?api-version=2026-10-01&pageSize=1"
    for forwarded, begin in (("front.example", "https://front.example/"), ("evil.example", "http://localhost:7071/")):
        answer = await get(made, target, {**HOST, "x-forwarded-host": forwarded})
        assert answer.json["@odata.nextLink"].startswith(f"{begin}knowledgesources?")


BODY: Final = {
    "intents": [{"type": "semantic", "search": "Why is the street grid of Phoenix visible from space?"}],
    "knowledgeSourceParams": [
        {"knowledgeSourceName": "earth_at_night", "kind": "searchIndex", "includeReferenceSourceData": True}
    ],
}


def cited(references: list[dict[str, Any]], version: str, begin: str) -> None:
    """Each reference has an address of its document with the fields that it shows."""
    assert references
    for reference in references:
        url = urlsplit(reference["citationUrl"])
        key = quote(reference["docKey"], safe="")
        assert f"{url.scheme}://{url.netloc}{url.path}" == f"{begin}/indexes/earth_at_night/docs/{key}"
        assert parse_qs(url.query) == {
            "$select": [",".join(reference["sourceData"])],
            "api-version": [version],
            "allowUnsafeKeys": ["true"],
        }


@pytest.mark.parametrize("version", CITING)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_reference_has_an_absolute_address_on_the_host_that_was_called(
    post: Post, version: str, accept: str
) -> None:
    target = f"/knowledgebases('earth-at-night')/retrieve?api-version={version}"
    answer = await post(BODY, target, headers={**HOST, "accept": accept})
    assert answer.status == 200, answer.body
    last = json.loads(answer.body.rpartition(b"data: ")[2])
    references = (last["response"] if "statusCode" in last else last)["references"]
    cited(references, version, "http://localhost:7071")


async def test_a_base_path_of_a_gateway_comes_before_the_document(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASE_PATH", "rag/v1")
    compose.settings.cache_clear()
    try:
        target = "/rag/v1/knowledgebases/earth-at-night/retrieve?api-version=2026-10-01"
        answer = await post(BODY, target, headers=HOST)
    finally:
        compose.settings.cache_clear()
    cited(answer.json["references"], "2026-10-01", "http://localhost:7071/rag/v1")


@pytest.mark.parametrize("version", ["2026-04-01", "2026-05-01-preview"])
async def test_other_versions_have_no_such_address(post: Post, version: str) -> None:
    answer = await post(BODY, f"/knowledgebases/earth-at-night/retrieve?api-version={version}", headers=HOST)
    assert not any("citationUrl" in reference for reference in answer.json["references"])


@pytest.mark.parametrize("path", ["/knowledgebases", "/agents", "/knowledgesources"])
async def test_a_list_has_the_members_that_select_names_and_the_etag(made: Post, path: str) -> None:
    version = "2025-08-01-preview" if path == "/agents" else "2026-10-01"
    whole = (await get(made, f"{path}?api-version={version}")).json["value"]
    chosen = (await get(made, f"{path}?api-version={version}&$select=name,%20Description")).json["value"]
    members = ("@odata.etag", "name", "description")
    assert chosen == [{name: value for name, value in definition.items() if name in members} for definition in whole]
    assert (await get(made, f"{path}?api-version={version}&$select=*")).json["value"] == whole


async def test_select_is_kept_by_the_link_to_the_next_page(made: Post) -> None:
    first = await get(made, "/knowledgebases?api-version=2026-10-01&pageSize=3&$select=name")
    target = first.json["@odata.nextLink"].removeprefix("http://localhost:7071")
    second = await get(made, target)
    assert {frozenset(definition) for definition in second.json["value"]} == {frozenset({"name", "@odata.etag"})}


@pytest.mark.parametrize("select", ["names", "name,", "name,nothing", "name;drop", "name," * 100_000])
async def test_a_member_that_is_not_there_cannot_be_selected(made: Post, select: str) -> None:
    answer = await get(made, f"/knowledgebases?api-version=2026-10-01&$select={quote(select)}")
    assert (answer.status, answer.json["error"]["target"]) == (400, "$select")
