"""One endpoint, as in Azure: a client makes an index, loads documents, makes an agent over them and retrieves."""

import json
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from tests.running import served

ADMIN: Final = {"api-key": "local-admin-key"}
QUERY: Final = {"api-key": "local-dev-key"}
SEARCH: Final = {"api-version": "2026-04-01"}
AGENTS: Final = {"api-version": "2025-05-01-preview"}
INDEX: Final = {
    "name": "lamps",
    "fields": [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "content", "type": "Edm.String", "searchable": True},
    ],
    "semantic": {
        "defaultConfiguration": "usual",
        "configurations": [
            {"name": "usual", "prioritizedFields": {"prioritizedContentFields": [{"fieldName": "content"}]}}
        ],
    },
}
DOCUMENT: Final = {"@search.action": "upload", "id": "1", "content": "Sodium lamps shine in yellow light."}
AGENT: Final = {"name": "lamps", "models": [], "targetIndexes": [{"indexName": "lamps", "defaultRerankerThreshold": 0}]}
QUESTION: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which lamps shine yellow?"}]}]}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    environ = {"AGENTS_STORE": "memory", "PUBLIC_HOSTS": "box.lan"}
    with served(environ=environ) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def sent(client: httpx.Client, method: str, path: str, body: object, **more: Any) -> httpx.Response:
    return client.request(method, path, content=json.dumps(body), **more)


def test_an_index_documents_an_agent_and_a_retrieve_at_one_address(client: httpx.Client) -> None:
    made = sent(client, "PUT", "/indexes('lamps')", INDEX, params=SEARCH, headers=ADMIN)
    assert made.status_code == 201, made.text
    path = f"{client.base_url}//indexes('lamps')/docs/search.index"
    assert sent(client, "POST", path, {"value": [DOCUMENT]}, params=SEARCH, headers=ADMIN).status_code == 200
    assert sent(client, "PUT", "/agents('lamps')", AGENT, params=AGENTS, headers=ADMIN).status_code == 201
    answer = sent(client, "POST", "/agents('lamps')/retrieve", QUESTION, params=AGENTS, headers=QUERY)
    assert [one["docKey"] for one in answer.json()["references"]] == ["1"], answer.text


@pytest.mark.parametrize("path", ["/indexes", "/aliases", "/synonymmaps", "/servicestats", "/indexstats"])
def test_the_keys_of_the_app_are_those_of_the_search_service(client: httpx.Client, path: str) -> None:
    assert client.get(path, params=SEARCH, headers=ADMIN).status_code == 200
    assert client.get(path, params=SEARCH, headers=QUERY).status_code == 403
    assert client.get(path, params=SEARCH).status_code == 401


def test_a_query_key_searches(client: httpx.Client) -> None:
    body = {"search": "street grid", "top": 1}
    found = sent(client, "POST", "/indexes/earth_at_night/docs/search", body, params=SEARCH, headers=QUERY)
    assert len(found.json()["value"]) == 1


@pytest.mark.parametrize("path", ["/indexesx", "/index"])
def test_other_paths_are_the_apps(client: httpx.Client, path: str) -> None:
    assert client.get(path, params=SEARCH, headers=ADMIN).status_code == 404


def test_a_browser_that_opens_the_address_gets_the_playground(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text == client.get("/playground").text
    assert client.post("/").status_code == 404


@pytest.mark.parametrize("path", ["/", "/health", "/agents", "/indexes", "/nothing-here"])
def test_a_page_that_has_its_name_point_at_this_machine_reads_nothing(client: httpx.Client, path: str) -> None:
    headers = {**ADMIN, "host": f"attacker.example:{client.base_url.port}"}
    answer = client.get(path, params=SEARCH, headers=headers)
    assert answer.status_code == 403
    assert "PUBLIC_HOSTS" in answer.json()["error"]["message"]
    assert client.get(path, params=SEARCH, headers={**ADMIN, "host": "box.lan"}).status_code != 403
