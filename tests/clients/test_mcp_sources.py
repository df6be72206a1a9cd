"""Microsoft's own clients over a source that is an MCP server: those that have the kind, unmodified."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from tests.running import served_over_tls
from tests.scripted_mcp import ScriptedMcp, text
from tests.third_parties import KnowledgeClient, knowledge_client

SCRIPT: Final = Path(__file__).with_name("mcp_sources.py")
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
