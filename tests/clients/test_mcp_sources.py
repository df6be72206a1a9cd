"""Microsoft's own clients over a source that is an MCP server, unmodified: those that have the kind, and what one
without it leaves out."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from tests.environments import needs_node
from tests.rooms import NEEDS_MCP_SERVERS
from tests.running import served_over_tls
from tests.scripted_mcp import ScriptedMcp, text
from tests.third_parties import KnowledgeClient, knowledge_client, knowledge_client_for_node

pytestmark = NEEDS_MCP_SERVERS

SCRIPT: Final = Path(__file__).with_name("mcp_sources.py")
FOR_NODE: Final = SCRIPT.with_suffix(".mjs")
WAYS: Final[list[tuple[KnowledgeClient, str]]] = [
    ("12.1.0b1", ""),
    ("12.1.0b2", ""),
    ("12.1.0b2", "2026-11-01-preview"),
]
OFTEN: Final = WAYS[1]
DOCUMENT: Final = {"title": "A road", "text": "It is long."}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMcp]:
    """A server on a loop of its own, since the clients run beside."""
    server, listens, ended = ScriptedMcp(), Event(), Event()
    server.output = text(json.dumps({"total": 1, "results": [DOCUMENT]}))

    async def listen() -> None:
        async with server.listening():
            listens.set()
            await asyncio.to_thread(ended.wait)

    thread = Thread(target=asyncio.run, args=(listen(),))
    thread.start()
    assert listens.wait(20)
    yield server
    ended.set()
    thread.join()


@pytest.fixture(scope="module")
def service(server: ScriptedMcp) -> Iterator[tuple[str, str]]:
    with served_over_tls(environ={"AGENTS_STORE": "memory", "MCP_HOSTS": "127.0.0.1"}) as (address, certificate):
        yield address, str(certificate)


@pytest.mark.parametrize(
    ("version", "speaking"), [pytest.param(*way, marks=[] if way == OFTEN else [pytest.mark.slow]) for way in WAYS]
)
def test_a_client_defines_asks_and_deletes_an_mcp_server(
    version: KnowledgeClient, speaking: str, server: ScriptedMcp, service: tuple[str, str]
) -> None:
    server.recorded.clear()
    environ = {**os.environ, "SPEAKING": speaking}
    command = [str(knowledge_client(version)), str(SCRIPT), *service, server.address]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    (question,) = {one["arguments"]["query"] for one in server.called}
    for way in ("sync", "async"):
        assert seen[way] == {
            "got": ["McpServerKnowledgeSource", "second", server.address],
            "tool": ["search", 500, "McpServerJsonOutputParsing"],
            "path": "$.results[*]",
            "listed": True,
            "record": ["KnowledgeBaseMcpServerActivityRecord", "tools", 1],
            "called": ["search", {"query": question}],
            "reference": ["KnowledgeBaseMcpServerReference", "search", "A road", None],
            "data": {**DOCUMENT, "context": {"total": 1}},
            "left": False,
        }
    calls = [request for request, message in server.recorded if message.get("method") == "tools/call"]
    assert {request.header("x-team") for request in calls} == {"maps"}


@pytest.mark.slow
@pytest.mark.parametrize("speaking", ["2026-05-01-preview", "2026-08-01-preview", "2026-11-01-preview"])
def test_a_client_for_javascript_without_the_kind_leaves_out_what_is_the_kinds_alone(
    speaking: str, server: ScriptedMcp, service: tuple[str, str]
) -> None:
    """13.0.0 sends no parameters of a kind that it does not know, and gives no such source back. With a policy for the
    first it defines, updates, asks and deletes one; the raw answers have the rest."""
    needs_node()
    server.recorded.clear()
    address, certificate = service
    environ = {**os.environ, "NODE_EXTRA_CA_CERTS": certificate}
    packages = str(knowledge_client_for_node("13.0.0"))
    command = ["node", str(FOR_NODE), packages, address, server.address, speaking]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    status, message = seen["alone"]
    assert status == 400 and "'mcpServerParameters' is required" in message
    assert (seen["put"], seen["got"], seen["listed"], seen["left"]) == (
        None,
        None,
        ["earth_at_night", None],
        ["earth_at_night"],
    )
    got = seen["gotWhole"]
    assert (got["kind"], got["description"]) == ("mcpServer", "second")
    assert got["mcpServerParameters"]["serverURL"] == server.address
    assert seen["answer"] == {
        "record": ["id", "type"],
        "reference": ["activitySource", "id", "rerankerScore", "sourceData", "type"],
        "data": DOCUMENT,
    }
    (record,) = [record for record in seen["answerWhole"]["activity"] if record["type"] == "mcpServer"]
    assert record["mcpServerArguments"] == {"toolName": "search", "toolArguments": {"query": "roads"}}
    (reference,) = seen["answerWhole"]["references"]
    assert (reference["toolName"], reference["title"]) == ("search", "A road")
