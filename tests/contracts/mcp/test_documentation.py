"""The page about MCP tells the truth: its configurations work as pasted, its call is answered."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.compose.rooms import TABLE
from retrieval.contracts.mcp.exchange import TOOLS
from retrieval.contracts.mcp.rag_retrieve import TOOL
from tests.conftest import ROOT, Post
from tests.infra.outside import read_yaml
from tests.mcp_messages import PATH
from tests.running import served

PAGE: Final = (ROOT / "docs" / "calling" / "mcp.md").read_text(encoding="utf-8")
CLIENT: Final = Path(__file__).resolve().parents[2] / "clients" / "mcp_two.py"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What the official client saw with the url and the headers of each configuration."""
    with served() as address:
        jobs = {}
        for block in blocks("json"):
            ((kind, servers),) = json.loads(block).items()
            (server,) = servers.values()
            assert server.pop("type") == "http"
            url = server["url"].replace("http://localhost:7071", address)
            jobs[kind] = {**server, "url": url, "calls": {"one": ["rag_retrieve", {"query": "gas flares"}]}}
        done = subprocess.run(
            [sys.executable, CLIENT, json.dumps(jobs)], capture_output=True, text=True, check=False, timeout=120
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kind", ["servers", "mcpServers"])
def test_a_configuration_works_as_pasted(kind: str, seen: dict[str, Any]) -> None:
    assert "raised" not in seen[kind], seen[kind]
    assert {tool["name"] for tool in seen[kind]["tools"]} == set(TOOLS)
    assert seen[kind]["calls"]["one"]["structuredContent"]["chunk_ids"]


async def test_the_call_of_the_page_is_answered(post: Post) -> None:
    (call,) = blocks("bash")
    assert f"http://localhost:7071{PATH} " in call
    body = call.split("<<'JSON'\n")[1].split("\nJSON")[0]
    answer = await post(body.encode(), PATH, headers={"accept": "application/json"})
    assert answer.json["result"]["structuredContent"]["chunk_ids"] == ["earth_at_night_508_page_105_verbalized"]


def test_the_foundry_agent_asks_for_what_the_tool_gives() -> None:
    recipe = (ROOT / "docs" / "calling" / "recipes" / "foundry_agent.yaml").read_text(encoding="utf-8")
    definition = read_yaml(recipe)["definition"]
    (tool,) = definition["tools"]
    assert "POST " + tool["server_url"].split(".net/")[1].replace("YOUR-AGENT", "{name}") in TABLE.routes
    assert set(tool["allowed_tools"]) <= set(TOOLS)
    asked, given = definition["text"]["format"]["schema"]["properties"], TOOL.output["properties"]
    assert isinstance(given, dict)
    assert set(given) - set(asked) == {"chunk_ids"}
    assert all(asked[name].items() <= given[name].items() for name in asked)


def test_every_argument_and_every_tool_is_on_the_page() -> None:
    for name, tool in TOOLS.items():
        properties = [*_names(tool.input["properties"]), *_names(tool.output["properties"])]
        assert all(f"`{word}`" in PAGE for word in (name, *properties))


def _names(properties: object) -> list[str]:
    assert isinstance(properties, dict)
    return list(properties)
