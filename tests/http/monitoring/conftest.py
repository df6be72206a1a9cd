"""A deployment over a scripted Azure, with a model and a table of agents, on a clock that jumps."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.conftest import Response
from tests.scenarios.failures.conftest import CALLER_KEY, MODEL_KEY, SEARCH_KEY, pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure, failing

__all__ = ["CALLER_KEY", "MODEL_KEY", "SEARCH_KEY", "pytest_asyncio_loop_factories"]

Look = Callable[[str], Coroutine[Any, Any, Response]]


class Table:
    """A table service at `address`; without another script it has no such entity. `asked` holds every request."""

    def __init__(self) -> None:
        self.script: WireService = failing(404)
        self.asked: list[WireRequest] = []
        self.address = ""

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.asked.append(request)
        return await self.script(request)


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    table = Table()
    async with serving(table) as address:
        table.address = f"{address}/devstoreaccount1"
        yield table


@pytest.fixture
def settings(azure: ScriptedAzure, table: Table, tmp_path: Path) -> dict[str, str]:
    """The environment of the deployment; a test may change it before the first call."""
    parameters = {"resourceUri": azure.address, "deploymentId": "planner-model", "apiKey": MODEL_KEY}
    model = {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
    agents = [
        {"name": name, "models": [model], "targetIndexes": [{"indexName": index}]}
        for name, index in {"first": "atlas", "second": "rivers"}.items()
    ]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(agents))
    return {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SEARCH_KEY,
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": table.address,
        "API_KEYS": CALLER_KEY,
        "LOCAL": "0",
    }


@pytest.fixture
async def look(host: Host, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Look]:
    """GET a path, without any credential."""

    async def get(path: str) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        response = await host(WireRequest(method="GET", target=path))
        return Response(status=response.status, headers=dict(response.headers), body=response.body)

    await compose.end()
    yield get
    await compose.end()
