"""One rule for the name of an agent: what a definition may be called is found, kept and logged under that name."""

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retrieval import compose
from retrieval.model.definitions import is_name
from tests.conftest import Post, ask
from tests.scripted_azure import ScriptedAzure, found

VERSION = "api-version=2025-05-01-preview"
NAMES = ["a", "0", "my_own", "my-own", "_mine", "-mine-", "a" * 128]
NO_NAMES = ["", "a" * 129, "Mine", "my own", "my.own", "münze", "mine\n", "Å", "٣"]


@pytest.fixture
async def azure() -> AsyncIterator[ScriptedAzure]:
    azure = ScriptedAzure()
    azure.search = found()
    async with azure.listening():
        yield azure
    await compose.end()


@pytest.fixture
def deployed(azure: ScriptedAzure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compose.service.cache_clear()
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_STORE": str(tmp_path / "store.json"),
        "API_KEYS": "query-key",
        "ADMIN_API_KEYS": "admin-key",
        "LOCAL": "0",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_is_the_same_in_the_definition_the_route_the_store_and_the_log(
    name: str, deployed: None, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    definition = {"name": name, "models": [], "targetIndexes": [{"indexName": "atlas"}]}
    for address in (f"/agents('{name}')", f"/agents/{name}"):
        assert (await post(definition, f"{address}?{VERSION}", method="PUT", key="admin-key")).status in {200, 201}
        stored = await post(b"", f"{address}?{VERSION}", method="GET", key="admin-key")
        assert json.loads(stored.body)["name"] == name
        assert (await post(ask("roads"), f"{address}/retrieve?{VERSION}", key="query-key")).status == 200
    logged = [record.getMessage() for record in caplog.records]
    for operation in ("put agent", "get agent", "retrieve"):
        assert sum(line.startswith(f"{operation} agent={name} caller=") for line in logged) == 2


@pytest.mark.parametrize("name", NO_NAMES)
async def test_what_no_agent_can_be_called_is_refused(name: str, deployed: None, post: Post) -> None:
    assert not is_name(name)
    definition = {"name": name, "models": [], "targetIndexes": [{"indexName": "atlas"}]}
    answer = await post(definition, f"/agents?{VERSION}", key="admin-key")
    assert (answer.status, answer.json["error"]["target"]) == (400, "name")


async def test_what_no_agent_can_be_called_is_not_repeated_in_the_log(
    deployed: None, post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert (await post(ask("roads"), f"/agents('Mine')/retrieve?{VERSION}", key="query-key")).status == 404
    logged = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("retrieve agent=- caller=") for line in logged)
    assert not any("Mine" in line for line in logged)
