"""The functions over a scripted Azure and scripted MCP servers, on a clock that jumps."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from tests.conftest import Post, Response
from tests.contracts.azure.versions import since
from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure
from tests.scripted_mcp import ScriptedMcp

__all__ = ["pytest_asyncio_loop_factories"]

ADMIN: Final = "admin-key-77aa"
MODEL: Final = "planner-model"
VERSIONS: Final = since("2026-05-01-preview")
"""The versions that have the kind."""

Servers = Callable[..., Awaitable[ScriptedMcp]]


@dataclass(kw_only=True)
class Deployment:
    """A deployment, and how it is asked."""

    post: Post
    settings: dict[str, str]
    monkeypatch: pytest.MonkeyPatch
    composed: bool = field(default=False)

    def with_model(self, azure: ScriptedAzure) -> None:
        """Give the deployment a model, before it is asked for the first time."""
        self.settings |= {
            "AZURE_OPENAI_ENDPOINT": azure.address,
            "AZURE_OPENAI_DEPLOYMENT": MODEL,
            "AZURE_OPENAI_API_KEY": "model-key",
        }

    async def send(self, path: str, body: object = None, *, method: str = "POST", **headers: str) -> Response:
        """An answer, as its administrator gets it; the settings are as they are at the first call."""
        if not self.composed:
            for name, value in self.settings.items():
                self.monkeypatch.setenv(name, value)
            await compose.end()
            self.composed = True
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.post(body or {}, path, method=method, headers=named, key=ADMIN)

    async def put(
        self, name: str, body: Mapping[str, Any], *, version: str = VERSIONS[1], of: str = "sources"
    ) -> Response:
        path = f"/knowledge{of}('{name}')?api-version={version}"
        return await self.send(path, {"name": name, **body}, method="PUT")

    async def source(
        self, name: str, server: ScriptedMcp | str, *tools: Any, version: str = VERSIONS[1], **more: Any
    ) -> Response:
        """Define a source over a server, with one tool `search` where none is given."""
        url = server if isinstance(server, str) else server.address
        listed = [tool if isinstance(tool, dict) else {"name": tool} for tool in tools or ("search",)]
        parameters = {"serverURL": url, "tools": listed, **more}
        return await self.put(name, {"kind": "mcpServer", "mcpServerParameters": parameters}, version=version)

    async def base(self, *sources: str, name: str = "base", version: str = VERSIONS[1]) -> Response:
        """Define a base over sources; one without a definition is the index of its name."""
        for source in sources:
            if source == "atlas":
                index = {"kind": "searchIndex", "searchIndexParameters": {"searchIndexName": "atlas"}}
                assert (await self.put("atlas", index, version=version)).status in {200, 201}
        return await self.put(
            name,
            {"knowledgeSources": [{"name": one} for one in sources]},
            version=version,
            of="bases",
        )

    async def retrieve(
        self,
        question: str = "Roads",
        *,
        name: str = "base",
        version: str = VERSIONS[1],
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Response:
        messages = [{"role": "user", "content": [{"type": "text", "text": question}]}]
        path = f"/knowledgebases('{name}')/retrieve?api-version={version}"
        body = {"messages": messages, "includeActivity": True, **more}
        return await self.send(path, body, **(headers or {}))


@pytest.fixture
async def deployment(
    post: Post, azure: ScriptedAzure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Deployment]:
    file = tmp_path / "agents.json"
    file.write_text("[]")
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_STORE": "memory",
        "ADMIN_API_KEYS": ADMIN,
        "MCP_HOSTS": "127.0.0.1, localhost, tools.example.com, tools.corp=10.1.0.0/16",
        "MCP_HEADERS": json.dumps(
            {"127.0.0.1": {"docs": "Bearer of-the-deployment"}, "tools.example.com": {"docs": "Bearer of-tools"}}
        ),
        "LOCAL": "1",
    }
    yield Deployment(post=post, settings=settings, monkeypatch=monkeypatch)
    await compose.end()


@pytest.fixture
async def listen() -> AsyncIterator[Servers]:
    """Start a server that is there until the end of the test."""
    async with AsyncExitStack() as stack:

        async def start(server: ScriptedMcp | None = None) -> ScriptedMcp:
            server = server or ScriptedMcp()
            await stack.enter_async_context(server.listening())
            return server

        yield start
