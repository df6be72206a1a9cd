"""Definitions of MCP servers in each version, and every attempt to make the service call what it should not."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from tests.rooms import NEEDS_MCP_SERVERS
from tests.scenarios.mcp_servers.conftest import VERSIONS, Deployment, Servers
from tests.scenarios.mcp_servers.test_retrieve import stored
from tests.scripted_mcp.sockets import watched

pytestmark = NEEDS_MCP_SERVERS

PATH: Final = "/knowledgesources('docs')?api-version="
SERVED: Final = "https://tools.example.com/mcp"
PAGE: Final = (Path(__file__).parents[3] / "docs" / "calling" / "mcp-servers.md").read_text(encoding="utf-8")


def whole(version: str) -> dict[str, Any]:
    """A definition with every member of a version."""
    ranking = {"inclusionMode": "always"} if version.startswith("2026-05") else {"resultsProcessing": "none"}
    by_path = {"kind": "json", "jsonParameters": {"documentsPath": "$.results[*]", "includeContext": True}}
    pages = {"textSplitMode": "pages", "maximumPageLength": 900, "pageOverlapLength": 90, "maximumPagesToTake": 3}
    split = {"kind": "split", "splitParameters": {**pages, "defaultLanguageCode": "en"}}
    return {
        "name": "docs",
        "kind": "mcpServer",
        "description": "The handbook",
        "mcpServerParameters": {
            "serverURL": SERVED,
            "authentication": stored("docs"),
            "tools": [
                {"name": "a", "outputParsing": by_path, "maxOutputTokens": 500, **ranking},
                {"name": "b", "outputParsing": split},
                {"name": "c", "outputParsing": {"kind": "none"}},
                {"name": "d"},
            ],
        },
    }


def said(value: Any) -> Any:
    """A definition without what is null and what the store adds."""
    if isinstance(value, dict):
        return {name: said(item) for name, item in value.items() if item is not None and not name.startswith("@")}
    return [said(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_member_comes_back_and_may_be_sent_again(deployment: Deployment, version: str) -> None:
    made = await deployment.send(PATH + version, whole(version), method="PUT")
    assert made.status == 201
    got = (await deployment.send(PATH + version, method="GET")).json
    assert said(got) == said(made.json) == whole(version)
    again = await deployment.send(PATH + version, got, method="PUT")
    assert (again.status, said(again.json)) == (200, whole(version))
    listed = (await deployment.send(f"/knowledgesources?api-version={version}", method="GET")).json["value"]
    assert [said(one) for one in listed] == [whole(version)]
    status = (await deployment.send(f"/knowledgesources('docs')/status?api-version={version}", method="GET")).json
    assert status["synchronizationStatus"] == "active" and status["kind"] == "mcpServer"
    assert (await deployment.send(PATH + version, method="DELETE")).status == 204


async def test_the_ranking_of_a_tool_has_the_words_of_each_version(deployment: Deployment) -> None:
    old, new, *newer = VERSIONS
    await deployment.send(PATH + new, whole(new), method="PUT")
    for version in (old, *newer):
        assert said((await deployment.send(PATH + version, method="GET")).json) == whole(version)
    for member, version in (("resultsProcessing", old), ("inclusionMode", new)):
        body = whole(version)
        body["mcpServerParameters"]["tools"][0][member] = "none"
        answer = await deployment.send(PATH + version, body, method="PUT")
        assert answer.status == 400 and member in answer.json["error"]["message"]


async def test_a_version_without_the_kind_shows_the_source_without_what_it_cannot_say(deployment: Deployment) -> None:
    await deployment.send(PATH + VERSIONS[1], whole(VERSIONS[1]), method="PUT")
    for version in ("2025-08-01-preview", "2025-11-01-preview", "2026-04-01", "2026-10-01"):
        shown = (await deployment.send(PATH + version, method="GET")).json
        assert shown["name"] == "docs"
        status = (await deployment.send(f"/knowledgesources('docs')/status?api-version={version}", method="GET")).json
        assert "mcp" not in json.dumps([shown, status]).lower()
        refused = await deployment.send(PATH + version, {**whole(VERSIONS[1])}, method="PUT")
        assert refused.status == 400


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"serverURL": "https://evil.example/mcp"}, "MCP_HOSTS"),
        ({"serverURL": "http://tools.example.com/mcp"}, "https"),
        ({"tools": []}, "tools"),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "twice"),
        ({"tools": [{"name": "a", "outputParsing": {"kind": "json"}}]}, "jsonParameters"),
        ({"authentication": stored("Bearer eyJhbGciOi.secret")}, "keeps no secrets"),
        ({"authentication": stored("secretvalue")}, "keeps no secrets"),
        ({"serverURL": "https://tools.corp/mcp"}, "for this host"),
        ({"authentication": stored("docs", "Host")}, "protocol"),
        ({"authentication": stored("docs", "Mcp-Session-Id")}, "protocol"),
        ({"authentication": stored("docs", "a b")}, "name of a header"),
        ({"more": 1}, "more"),
    ],
)
async def test_a_definition_is_refused_with_a_sentence(
    deployment: Deployment, change: Mapping[str, Any], words: str
) -> None:
    body = whole(VERSIONS[1])
    body["mcpServerParameters"] |= change
    answer = await deployment.send(PATH + VERSIONS[1], body, method="PUT")
    assert answer.status == 400
    assert words in answer.json["error"]["message"]
    assert "secret." not in json.dumps(answer.json) and "secretvalue" not in json.dumps(answer.json)
    assert (await deployment.send(PATH + VERSIONS[1], method="GET")).status == 404


@pytest.mark.parametrize(
    "path", ["$..results", "$[?(@.a)]", "$[0:5]", "a b", "$.a[", "$." + "a." * 40 + "a", "$[*]" * 40]
)
async def test_a_path_that_could_cost_anything_is_refused(deployment: Deployment, path: str) -> None:
    body = whole(VERSIONS[1])
    parsing = body["mcpServerParameters"]["tools"][0]["outputParsing"]
    parsing["jsonParameters"]["documentsPath"] = path
    answer = await deployment.send(PATH + VERSIONS[1], body, method="PUT")
    assert answer.status == 400 and "documentsPath" in answer.json["error"]["target"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("workIQ", "https://workiq.svc.cloud.microsoft/mcp"),
        ("fabricDataAgent", "mcpServer"),
        ("fabricOntology", "mcpServer"),
        ("remoteSharePoint", "indexedSharePoint"),
        ("web", "mcpServer"),
    ],
)
@pytest.mark.parametrize("version", ["2026-04-01", *VERSIONS])
async def test_another_kind_is_refused_by_its_name_with_the_way_out(
    deployment: Deployment, kind: str, words: str, version: str
) -> None:
    answer = await deployment.send(PATH + version, {"name": "docs", "kind": kind}, method="PUT")
    assert answer.status == 400
    assert kind in answer.json["error"]["message"] and words in answer.json["error"]["message"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_connection_of_foundrys_is_refused_with_the_form_that_is_served(
    deployment: Deployment, version: str
) -> None:
    foundry = {"kind": "foundryConnection", "foundryConnectionParameters": {"connectionId": "c"}}
    answer = await deployment.source("docs", SERVED, authentication=foundry, version=version)
    error = answer.json["error"]
    assert (answer.status, error["target"]) == (400, "mcpServerParameters.authentication.kind")
    assert "'storedHeaders'" in error["message"] and "MCP_HEADERS" in error["message"]


HOSTS: Final = (
    "evil.example",
    "tools.example.com.evil.example",
    "eviltools.example.com",
    "tools.example.com@evil.example",
    "evil.example#tools.example.com",
    "evil.example?tools.example.com",
    "evil.example\\@tools.example.com",
    "tools.example.com:22",
    "tools.example.com:8443",
    "169.254.169.254",
    "168.63.129.16",
    "10.1.0.7",
    "[::1]",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "127.1",
    "localhost.evil.example",
    "metadata.google.internal",
    "tools。example.com",
    "tools.example.com\t.evil.example",
    "tools.example.com%2eevil.example",
    "evil.example/tools.example.com",
)
FORMS: Final = (
    "https://{}/mcp",
    "http://{}/mcp",
    "https://{}:443/mcp",
    "HTTPS://{}/mcp",
    "https:/{}/mcp",
    "//{}/mcp",
    "ftp://{}/mcp",
    "gopher://{}/_",
    "https://user:password@{}/mcp",
    " https://{}/mcp",
    "https://tools.example.com/../@{}/mcp\r\nHost: x",
    "file://{}/etc/passwd",
)


def attempts() -> Iterator[str]:
    return (form.format(host) for form, host in product(FORMS, HOSTS))


async def test_three_hundred_definitions_do_not_get_out(deployment: Deployment) -> None:
    """Each is refused, and nothing is connected to or looked up for any of them."""
    urls = list(attempts())
    assert len(urls) == 300
    await deployment.send(PATH + VERSIONS[1], method="GET")
    with watched() as seen:
        for url in urls:
            answer = await deployment.source("docs", url)
            assert answer.status == 400, url
            assert (await deployment.retrieve(name="docs")).status == 404
    assert seen == []


async def test_requests_cannot_name_a_server_a_tool_or_an_address(deployment: Deployment, listen: Servers) -> None:
    """What callers, models and servers write changes no address: of all that is connected to, nothing is new."""
    server = await listen()
    await deployment.source("docs", server)
    await deployment.base("docs")
    port = server.address.split(":")[2].split("/")[0]
    with watched() as seen:
        for url in [*attempts()][::6]:
            host = json.dumps(url)[1:-1]
            params = {"knowledgeSourceName": "docs", "kind": "mcpServer"}
            for body in (
                {"knowledgeSourceParams": [{**params, "serverURL": url}]},
                {"knowledgeSourceParams": [{**params, "mcpServerParameters": {"serverURL": url}}]},
                {"knowledgeSourceParams": [{**params, "knowledgeSourceName": url}]},
            ):
                assert (await deployment.retrieve(**body)).status == 400
            await deployment.retrieve(url)
            await deployment.retrieve(headers={"docs-header-name": "X-Target", "docs-header-value": host})
            await deployment.retrieve(headers={"docs-header-name": "Host", "docs-header-value": host})
            await deployment.retrieve(headers={"x-forwarded-host": host, "location": host})
    assert {where for what, where in seen if what == "connect"} <= {f"127.0.0.1:{port}"}
    assert [where for what, where in seen if what == "name" and where != "127.0.0.1"] == []
    assert {one["name"] for one in server.called} == {"search"}


async def test_the_definition_of_the_page_can_be_made_in_each_version(deployment: Deployment) -> None:
    [block] = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    definition = json.loads(block)
    for version in VERSIONS:
        assert version in PAGE
        made = await deployment.send(f"/knowledgesources('handbook')?api-version={version}", definition, method="PUT")
        assert made.status in {200, 201}
        assert said(made.json) == definition
