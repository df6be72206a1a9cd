"""A stored definition that cannot be read is its own error: over HTTP, in the file and in a table of Azurite."""

import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest
from azure.data.tables.aio import TableClient

from retrieval import compose
from retrieval.definitions.table_store import TABLE, development_key
from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.conftest import Post, Response, ask
from tests.mcp_messages import ACCEPT, calling, request
from tests.rooms import NEEDS_MCP
from tests.scripted_azure import ScriptedAzure, document, found

VERSION: Final = "api-version=2025-05-01-preview"
ADMIN: Final = "admin-key-2b41"

Send = Callable[..., Coroutine[Any, Any, Response]]
Damage = Callable[[str, str | None], Coroutine[Any, Any, None]]
"""Put a text into the place of the definition that is kept under a name; None takes even its etag away."""

TEXTS: Final = [
    "",
    "{",
    "{}",
    "null",
    '{"name": "another", "targets": [{"index": "atlas"}]}',
    '{"name": "broken", "targets": []}',
    '{"name": "broken", "targets": [{"index": "atlas"}], "max_runtime": Infinity}',
    '{"name": "broken", "targets": [{"index": "atlas", "reranker_threshold": NaN}]}',
    '{"name": "broken", "targets": "\\ud800"}',
    "[" * 20_000,
    None,
]


@pytest.fixture
async def azure() -> AsyncIterator[ScriptedAzure]:
    azure = ScriptedAzure(search=found(document("road", 3.1)))
    async with azure.listening():
        yield azure


@pytest.fixture(params=["file", "table"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "store.json") if request.param == "file" else request.getfixturevalue("table_endpoint")


@pytest.fixture
async def send(
    post: Post, azure: ScriptedAzure, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Send]:
    seeds = tmp_path / "agents.json"
    seeds.write_text(json.dumps([definition("seed"), definition("broken")]))
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(seeds),
        "AGENTS_STORE": place,
        "ADMIN_API_KEYS": ADMIN,
        "LOCAL": "0",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    async def send(method: str, path: str, body: object = b"", *, headers: dict[str, str] | None = None) -> Response:
        return await post(body, f"{path}?{VERSION}", method=method, headers=headers, key=ADMIN)

    await compose.end()
    yield send
    await compose.end()


@pytest.fixture
def damage(place: str) -> Damage:
    async def in_file(name: str, text: str | None) -> None:
        file = Path(place)
        entries = json.loads(file.read_text())
        entries["agents"][name] = 7 if text is None else {**entries["agents"][name], "agent": text}
        file.write_text(json.dumps(entries))

    async def in_table(name: str, text: str | None) -> None:
        etag = {} if text is None else {"Etag": "0x1"}
        async with TableClient(place, TABLE, credential=development_key(place)) as client:
            await client.upsert_entity(
                {"PartitionKey": "agents", "RowKey": name, "Agent": text or "", **etag}, "replace"
            )

    return in_table if "://" in place else in_file


def definition(name: str) -> dict[str, object]:
    return {"name": name, "models": [], "targetIndexes": [{"indexName": "atlas"}]}


async def ready(host: Host) -> tuple[int, str, str]:
    """With a fresh cache, as in a new process."""
    compose.readiness.cache_clear()
    answer = await host(WireRequest(method="GET", target="/ready"))
    told = json.loads(answer.body)
    return answer.status, told["status"], told["agentStore"]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: "no entry" if text is None else text[:70] or "nothing")
async def test_one_definition_that_cannot_be_read_is_named_deletable_and_takes_nobody_down(
    text: str | None, send: Send, damage: Damage, host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await send("PUT", "/agents('broken')", definition("broken"))).status in {200, 201}
    assert await ready(host) == (200, "ready", "reachable")
    await damage("broken", text)
    await compose.end()

    listed = {one["name"]: one for one in (await send("GET", "/agents")).json["value"]}
    assert set(listed) == {"broken", "seed"}
    assert "cannot be read" in listed["broken"]["description"]
    assert (await send("GET", "/agents('seed')")).status == 200
    assert (await send("POST", "/agents('seed')/retrieve", ask("Which roads?"))).status == 200
    for method, path, body in (("GET", "", b""), ("POST", "/retrieve", ask("Which roads?"))):
        answer = await send(method, f"/agents('broken'){path}", body)
        assert (answer.status, "'broken'" in answer.json["error"]["message"]) == (502, True)
    caplog.clear()
    assert await ready(host) == (200, "ready", "partlyUnreadable")
    assert "'broken'" in caplog.text

    assert (await send("POST", "/agents", definition("other"))).status == 201
    assert (await send("POST", "/agents", definition("broken"))).status == 409
    assert (await send("DELETE", "/agents('other')")).status == 204
    stale = await send("DELETE", "/agents('broken')", headers={"if-match": '"0x0"'})
    assert stale.status == 412
    deleted = await send("DELETE", "/agents('broken')", headers={"if-match": listed["broken"]["@odata.etag"]})
    assert deleted.status == 204
    assert (await send("GET", "/agents('broken')")).status == 404
    assert await ready(host) == (200, "ready", "reachable")


@NEEDS_MCP
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: "no entry" if text is None else text[:70] or "nothing")
async def test_its_tool_is_listed_and_says_so(
    text: str | None, send: Send, damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    await send("PUT", "/agents('broken')", definition("broken"))
    await damage("broken", text)
    await compose.end()
    listed_tools = await send("POST", "/knowledgebases/broken/mcp", request("tools/list"), headers={"accept": ACCEPT})
    assert [tool["name"] for tool in listed_tools.json["result"]["tools"]] == ["knowledge_base_retrieve"]
    caplog.clear()
    call = calling("knowledge_base_retrieve", {"queries": ["Which roads?"]})
    called = (await send("POST", "/knowledgebases/broken/mcp", call, headers={"accept": ACCEPT})).json["result"]
    assert (called["isError"], "'broken'" in called["content"][0]["text"]) == (True, True)
    assert [one.levelname for one in caplog.records if "UnreadableDefinitions" in one.getMessage()] == ["ERROR"]


@pytest.mark.parametrize("headers", [{}, {"if-match": "*"}])
async def test_it_can_be_put_anew(headers: dict[str, str], send: Send, damage: Damage) -> None:
    await send("PUT", "/agents('broken')", definition("broken"))
    await damage("broken", "{")
    await compose.end()
    assert (await send("PUT", "/agents('broken')", definition("broken"), headers=headers)).status == 200
    assert (await send("POST", "/agents('broken')/retrieve", ask("Which roads?"))).status == 200


@pytest.mark.parametrize("etag", ["a\r\nX-Injected: 1", 'a"b', "*", "", "a" * 9_000])
async def test_an_etag_that_no_header_can_have_is_told_as_one_that_names_the_same(
    etag: str, send: Send, place: str
) -> None:
    await send("PUT", "/agents('edited')", definition("edited"))
    if "://" in place:
        async with TableClient(place, TABLE, credential=development_key(place)) as client:
            await client.update_entity({"PartitionKey": "agents", "RowKey": "edited", "Etag": etag})
    else:
        file = Path(place)
        entries = json.loads(file.read_text())
        entries["agents"]["edited"]["etag"] = etag
        file.write_text(json.dumps(entries))
    got = await send("GET", "/agents('edited')")
    assert (got.status, got.headers["ETag"]) == (200, got.json["@odata.etag"])
    assert re.fullmatch(r'"[!#-~]{1,64}"', got.headers["ETag"])
    stale, condition = {"if-match": '"0x0"'}, {"if-match": got.headers["ETag"]}
    assert (await send("PUT", "/agents('edited')", definition("edited"), headers=stale)).status == 412
    assert (await send("POST", "/agents('edited')/retrieve", ask("Which roads?"))).status == 200
    assert (await send("PUT", "/agents('edited')", definition("edited"), headers=condition)).status == 200
    assert (await send("DELETE", "/agents('edited')")).status == 204


@pytest.mark.parametrize("place", ["file"], indirect=True)
async def test_a_file_that_is_none_is_not_ready(send: Send, host: Host, place: str) -> None:
    assert await ready(host) == (200, "ready", "reachable")
    Path(place).write_text("{")
    assert await ready(host) == (503, "notReady", "unavailable")
    Path(place).unlink()
    assert await ready(host) == (200, "ready", "reachable")
