"""A service with one small index about boats, reached by the real SDK through the in-process transport."""

from collections.abc import Callable
from typing import Any

import pytest
from azure.core.rest import HttpRequest, HttpResponse
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient

from retrieval.local.search_service import SearchService
from retrieval.local.transport import connect

VERSION = "2026-04-01"

BOATS: dict[str, Any] = {
    "name": "boats",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True, "searchable": False},
        {"name": "name", "type": "Edm.String", "analyzer": "en.lucene"},
        {"name": "story", "type": "Edm.String", "analyzer": "en.lucene", "filterable": False},
        {"name": "harbour", "type": "Edm.String", "analyzer": "keyword"},
        {"name": "tags", "type": "Collection(Edm.String)"},
        {"name": "length", "type": "Edm.Double"},
        {"name": "crew", "type": "Edm.Int32"},
        {"name": "afloat", "type": "Edm.Boolean"},
        {"name": "launched", "type": "Edm.DateTimeOffset"},
        {"name": "berth", "type": "Edm.GeographyPoint"},
        {"name": "secret", "type": "Edm.String", "retrievable": False, "searchable": False},
    ],
    "semantic": {
        "defaultConfiguration": "plain",
        "configurations": [
            {
                "name": "plain",
                "prioritizedFields": {
                    "titleField": {"fieldName": "name"},
                    "prioritizedContentFields": [{"fieldName": "story"}],
                    "prioritizedKeywordsFields": [{"fieldName": "tags"}],
                },
            }
        ],
    },
}

FLEET: list[dict[str, Any]] = [
    {
        "id": "1",
        "name": "The Heron",
        "story": "A wooden ketch that carried salt and slate along the coast before engines came.",
        "harbour": "Port Ellen",
        "tags": ["sail", "wood"],
        "length": 18.5,
        "crew": 4,
        "afloat": True,
        "launched": "1911-05-02T00:00:00Z",
        "secret": "worm",
    },
    {
        "id": "2",
        "name": "Grey Gannet",
        "story": "A steel trawler. Its well-known winch lifts nets from deep water, and its engine is loud.",
        "harbour": "Tarbert",
        "tags": ["motor", "steel"],
        "length": 24,
        "crew": 6,
        "afloat": True,
        "launched": "1974-09-30T08:00:00Z",
    },
    {
        "id": "3",
        "name": "Lamplight",
        "story": "The lightship lay at anchor on the sandbank for forty winters, guiding ships with its lamp.",
        "harbour": "Tarbert",
        "tags": [],
        "crew": 7,
        "afloat": False,
    },
    {"id": "4", "name": "Punt", "story": "A small wooden punt for shallow water and quiet evenings.", "tags": ["wood"]},
]

Send = Callable[..., HttpResponse]


def holds(whole: Any, part: Any) -> bool:
    """Whether every member of `part` is in `whole`, at any depth; lists have equally many elements."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and holds(whole[name], one) for name, one in part.items())
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(holds, whole, part))
    return bool(whole == part)


@pytest.fixture
def service() -> SearchService:
    return SearchService(query_keys=["query-key"], reader_keys=["reader-key"])


@pytest.fixture
def indexes(service: SearchService) -> SearchIndexClient:
    return SearchIndexClient(**connect(service), retry_total=0)


@pytest.fixture
def send(service: SearchService) -> Send:
    """Sends one request to a path of the service and gives the answer as it is."""
    client = SearchClient(index_name="boats", **connect(service), retry_total=0)

    def send(
        method: str, path: str, body: Any = None, *, version: str | None = VERSION, **headers: str
    ) -> HttpResponse:
        url = f"https://local-search.invalid{path}"
        if version is not None:
            url += ("&" if "?" in path else "?") + f"api-version={version}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else None
        json = None if content is not None else body
        return client.send_request(HttpRequest(method, url, headers=sent, content=content, json=json))

    return send


@pytest.fixture
def boats(service: SearchService, send: Send) -> SearchClient:
    """The index `boats` with its fleet in it."""
    assert send("POST", "/indexes", BOATS).status_code == 201
    client = SearchClient(index_name="boats", **connect(service), retry_total=0)
    client.upload_documents(FLEET)
    return client


Found = Callable[..., list[str]]


@pytest.fixture
def found(boats: SearchClient) -> Found:
    """Keys in the order of a search."""

    def found(text: str | None = None, **options: Any) -> list[str]:
        return [document["id"] for document in boats.search(text, **options)]

    return found
