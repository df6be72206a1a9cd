"""What callers changed of the configuration is told by whatever call comes first, over a file and over Azurite."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from retrieval import compose
from retrieval.definitions.seeded_store import PATIENCE_SECONDS, FirstLook
from retrieval.errors import BackendUnavailable
from tests.conftest import Post, Response
from tests.scripted_azure import ScriptedAzure

Send = Callable[..., Coroutine[Any, Any, Response]]
CHANGED = "changed at run time, and no longer what the configuration says: {}"


def base(description: str) -> dict[str, object]:
    return {"name": "mine", "description": description, "knowledgeSources": [{"name": "roads"}]}


@pytest.fixture(params=["file", "table"])
async def send(
    request: pytest.FixtureRequest, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Send]:
    """Deployed over a store, with a file of definitions that a test may write anew before a start."""
    file, azure = tmp_path / "agents.json", ScriptedAzure()

    async def send(method: str, path: str, body: object = b"", *, key: str | None = "admin") -> Response:
        return await post(body, f"/{path}?api-version=2026-08-01-preview", method=method, key=key)

    store = str(tmp_path / "store.json") if request.param == "file" else request.getfixturevalue("table_endpoint")
    source = {"name": "roads", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "roads"}}
    monkeypatch.chdir(tmp_path)
    async with azure.listening():
        settings = {
            "AZURE_SEARCH_ENDPOINT": azure.address,
            "AZURE_SEARCH_API_KEY": "search-key",
            "AGENTS_FILE": str(file),
            "AGENTS_STORE": store,
            "API_KEYS": "key",
            "ADMIN_API_KEYS": "admin",
            "LOCAL": "0",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        file.write_text(json.dumps({"knowledgeSources": [source], "knowledgeBases": [base("the file's")]}))
        await compose.end()
        assert (await send("PUT", "knowledgebases/mine", base(uuid4().hex))).status == 200
        await compose.end()
        yield send
        await compose.end()


async def looked() -> None:
    """The end of the look that is going on."""
    await asyncio.gather(*(one for one in asyncio.all_tasks() if one.get_name() == "first look"))


@pytest.mark.parametrize(
    ("method", "path", "key", "status"),
    [
        ("POST", "knowledgebases/mine/retrieve", None, 401),
        ("POST", "knowledgebases/mine/retrieve", "key", 400),
        ("GET", "knowledgesources", "admin", 200),
        ("GET", "ready", None, 200),
    ],
)
async def test_any_first_call_has_the_log_say_what_differs_once(
    method: str, path: str, key: str | None, status: int, send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    assert (await send(method, path, {}, key=key)).status == status
    await looked()
    await send(method, path, {}, key=key)
    await looked()
    assert caplog.text.count(CHANGED.format("mine")) == 1


async def test_the_first_check_of_a_process_knows_what_differs(send: Send) -> None:
    assert (await send("GET", "ready", key=None)).json["agentStore"] == "differing"


async def test_health_looks_at_nothing(send: Send, caplog: pytest.LogCaptureFixture) -> None:
    caplog.clear()
    assert (await send("GET", "health", key=None)).status == 200
    await looked()
    assert "no longer" not in caplog.text


async def test_a_look_is_in_nobodys_way_and_ends_with_the_process() -> None:
    began, never = asyncio.Event(), asyncio.Event()

    async def look() -> None:
        began.set()
        await never.wait()

    first = FirstLook(look)
    first.begin()
    first.begin()
    assert not began.is_set()
    await began.wait()
    async with asyncio.timeout(PATIENCE_SECONDS + 5):
        await first.ended()
    await first.close()
    assert not any(one.get_name() == "first look" for one in asyncio.all_tasks())


async def test_a_store_that_is_away_leaves_the_others_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    seen = []

    async def away() -> None:
        raise BackendUnavailable("The table", "is away.")

    async def there() -> None:
        seen.append(True)

    await FirstLook(away, there).ended()
    assert seen == [True] and "were not looked at: BackendUnavailable" in caplog.text


async def test_where_nothing_is_kept_there_is_no_look() -> None:
    first = FirstLook()
    await first.ended()
    await first.close()
