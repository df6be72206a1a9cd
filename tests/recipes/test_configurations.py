"""The configurations of docs/calling/recipes for programs that speak MCP, read as they read them, and used."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import httpx2
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import KEY, ROOT
from tests.environments import needs_node
from tests.running import served
from tests.third_parties import mcp_remote

FOLDER: Final = ROOT / "docs" / "calling" / "recipes"
PHOENIX: Final = "Bright Grid, Dark Interstate - earth_at_night_508_page_105_verbalized"

OF_VS_CODE: Final = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "inputs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "type", "description"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string"},
                    "type": {"const": "promptString"},
                    "description": {"type": "string"},
                    "password": {"type": "boolean"},
                },
            },
        },
        "servers": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["url"],
                "additionalProperties": False,
                "properties": {
                    "type": {"enum": ["http", "sse"]},
                    "url": {"type": "string", "pattern": "^https?://.+"},
                    "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
        },
    },
}
"""What of VS Code's schema of mcp.json a server over HTTP needs, after mcpConfiguration.ts in microsoft/vscode."""


def configuration(file: str, section: str) -> dict[str, Any]:
    """The one server of a file."""
    [server] = json.loads((FOLDER / file).read_text(encoding="utf-8"))[section].values()
    found: dict[str, Any] = server
    return found


def expanded(text: str, values: Mapping[str, str]) -> str:
    """`${NAME}` and `${NAME:-default}`, as Claude Code reads them, and `${input:name}`, as VS Code does."""

    def value(found: re.Match[str]) -> str:
        name, default = found["name"], found["default"]
        return values[name] if default is None else values.get(name, default)

    return re.sub(r"\$\{(?P<name>[^}]+?)(?::-(?P<default>[^}]*))?\}", value, text)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(environ={"AGENTS_STORE": "memory"}) as address:
        yield address


async def sources(client: Client) -> list[str]:
    found = await client.call_tool("rag_retrieve", {"query": "Phoenix street grid", "goal": "Why it is visible"})
    assert not found.is_error and found.structured_content, found
    listed: list[str] = found.structured_content["chunk_sources"]
    return listed


async def over_http(server: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    headers = {name: expanded(value, values) for name, value in server["headers"].items()}
    url = expanded(server["url"], values)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        return await sources(client)


def test_the_configuration_of_vs_code_has_its_schema() -> None:
    jsonschema.validate(json.loads((FOLDER / "vscode.json").read_text(encoding="utf-8")), OF_VS_CODE)


@pytest.mark.slow
async def test_the_configuration_of_vs_code_reaches_the_tools(address: str) -> None:
    server = configuration("vscode.json", "servers")
    here = {**server, "url": server["url"].replace("http://localhost:7071", address)}
    assert PHOENIX in await over_http(here, {"input:retrieval-key": KEY})


@pytest.mark.slow
async def test_the_configuration_of_claude_code_reaches_the_tools(address: str) -> None:
    server = configuration("claude_code.json", "mcpServers")
    assert PHOENIX in await over_http(server, {"RETRIEVAL_ENDPOINT": address, "RETRIEVAL_API_KEY": KEY})


def test_claude_code_finds_make_run_without_a_variable() -> None:
    url = configuration("claude_code.json", "mcpServers")["url"]
    assert expanded(url, {}) == "http://localhost:7071/agents/earth-at-night/mcp"


@pytest.mark.slow
async def test_the_configuration_of_claude_desktop_reaches_the_tools(address: str, tmp_path: Path) -> None:
    needs_node()
    folder = mcp_remote()
    server = configuration("claude_desktop.json", "mcpServers")
    parameters = StdioServerParameters(
        command=server["command"],
        args=[one.replace("http://localhost:7071", address) for one in server["args"]],
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], **server["env"]},
        cwd=folder,
    )
    async with Client(stdio_client(parameters)) as client:
        assert PHOENIX in await sources(client)
