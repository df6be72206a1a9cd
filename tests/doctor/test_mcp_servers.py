"""Each fault of an MCP server of a knowledge source."""

import json
from collections.abc import AsyncIterator, Callable

import pytest

from retrieval.model.finding import Finding
from tests.doctor.conftest import Stage
from tests.rooms import NEEDS_MCP_SERVERS
from tests.scripted_mcp import ScriptedMcp, tool

pytestmark = NEEDS_MCP_SERVERS

SECRET = "Bearer mcp-secret-55d1"

Spoil = Callable[[ScriptedMcp, Stage], None]


@pytest.fixture
async def server(stage: Stage) -> AsyncIterator[ScriptedMcp]:
    """A deployment of which one base has a source over a server."""
    server = ScriptedMcp(tool(), tool("fetch"))
    async with server.listening() as address:
        headers = {"kind": "storedHeaders", "storedHeadersParameters": {"headers": {"Authorization": "docs"}}}
        parameters = {"serverURL": address, "tools": [{"name": "search"}, {"name": "fetch"}], "authentication": headers}
        source = {"name": "docs", "kind": "mcpServer", "mcpServerParameters": parameters}
        base = {"name": "handbook", "knowledgeSources": [{"name": "docs"}]}
        stage.define({"knowledgeSources": [source], "knowledgeBases": [base]})
        values = {"127.0.0.1": {"docs": SECRET}}
        stage.environ |= {"LOCAL": "1", "MCP_HOSTS": "127.0.0.1", "MCP_HEADERS": json.dumps(values)}
        yield server


async def found(stage: Stage) -> Finding:
    findings = await stage.examine()
    [finding] = [one for one in findings if one.subject == "mcp server"]
    assert "mcp-secret" not in str(findings)
    assert not [one for one in findings if one.subject == "index" and "://" in one.name]
    return finding


async def test_a_server_that_answers_is_well(server: ScriptedMcp, stage: Stage) -> None:
    finding = await found(stage)
    assert (finding.name, finding.state) == ("docs", "ok")
    assert finding.said == "It answers, and has 2 tools that may be called."
    assert server.called == []
    assert server.methods[-1] == "tools/list"


def without_host(server: ScriptedMcp, stage: Stage) -> None:
    stage.environ |= {"MCP_HOSTS": "tools.example.com", "MCP_HEADERS": ""}


def without_hosts(server: ScriptedMcp, stage: Stage) -> None:
    stage.environ |= {"MCP_HOSTS": "", "MCP_HEADERS": ""}


def without_value(server: ScriptedMcp, stage: Stage) -> None:
    stage.environ["MCP_HEADERS"] = ""


def of_another_host(server: ScriptedMcp, stage: Stage) -> None:
    values = {"tools.example.com": {"docs": SECRET}}
    stage.environ |= {"MCP_HOSTS": "127.0.0.1,tools.example.com", "MCP_HEADERS": json.dumps(values)}


def without_tool(server: ScriptedMcp, stage: Stage) -> None:
    server.tools = [tool()]


def without_tools(server: ScriptedMcp, stage: Stage) -> None:
    server.tools = [tool("other")]


def unmarked(server: ScriptedMcp, stage: Stage) -> None:
    server.tools = [tool(), tool("fetch", read_only=None)]


def of_another_version(server: ScriptedMcp, stage: Stage) -> None:
    server.version = "1999-01-01"


def repeating(server: ScriptedMcp, stage: Stage) -> None:
    server.version = SECRET


@pytest.mark.parametrize(
    ("spoil", "state", "said", "do"),
    [
        (without_host, "fault", "MCP_HOSTS", "MCP_HOSTS"),
        (without_hosts, "fault", "MCP_HOSTS", "MCP_HOSTS"),
        (without_value, "fault", "MCP_HEADERS", "serverURL"),
        (of_another_host, "fault", "MCP_HEADERS lacks for its host", "serverURL"),
        (without_tool, "warning", "'fetch'", "MCP_UNMARKED_TOOLS"),
        (without_tools, "fault", "no such tool", "tools"),
        (unmarked, "warning", "'fetch'", "MCP_UNMARKED_TOOLS"),
        (of_another_version, "fault", "version of MCP", "streamable HTTP"),
        (repeating, "fault", "version of MCP", "streamable HTTP"),
    ],
)
async def test_a_fault_has_a_sentence_and_what_to_do(
    server: ScriptedMcp, stage: Stage, spoil: Spoil, state: str, said: str, do: str
) -> None:
    spoil(server, stage)
    finding = await found(stage)
    assert finding.state == state
    assert said in finding.said and do in finding.do
