"""Servers that others wrote, over streamable HTTP: a reference of the whole protocol, a search of
documents, a graph, files, an SQL database.

Each is asked by this service and by the client of the package `mcp`, which is the oracle.
"""

import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from retrieval.errors import BackendUnavailable
from retrieval.model.search import Page
from retrieval.model.tools import NOTHING_PASSED, ListedTool, OutputParsing
from retrieval.sources.mcp_server.search.servers import McpServers
from tests.environments import needs_node
from tests.running import free_port
from tests.sources.mcp_server.conftest import LOCAL, calling, target
from tests.third_parties import mcp_servers_for_node, mcp_servers_for_python

pytestmark = pytest.mark.slow

ENTITIES: Final = [
    {"name": "Coast road", "entityType": "road", "observations": ["It was opened in 1998.", "It has 12 bridges."]},
    {"name": "Ulm", "entityType": "town", "observations": ["It lies on the Danube."]},
]


@dataclass(frozen=True, kw_only=True)
class Real:
    """A server, the line that it says when it is ready, and a call with the text that comes of it."""

    command: Sequence[str]
    ready: str
    tool: str
    arguments: Mapping[str, Any]
    says: str
    reads_only: bool = True
    environ: Mapping[str, str] = field(default_factory=dict)


def everything(folder: Path, port: int) -> Real:
    return Real(
        command=[_program("mcp-server-everything"), "streamableHttp"],
        environ={"PORT": str(port)},
        ready="listening on port",
        tool="echo",
        arguments={"message": "Coast roads"},
        says="Coast roads",
    )


def documents(folder: Path, port: int) -> Real:
    notes = [{"id": "1", "title": "Coast road", "text": "It has 12 bridges."}, {"id": "2", "title": "Ulm", "text": "A"}]
    (folder / "notes.jsonl").write_text("\n".join(map(json.dumps, notes)), encoding="utf-8")
    about = {"name": "notes", "description": "Notes on roads"}
    columns = {"id_column": "id", "text_column": "text", "searchable_columns": ["title", "text"]}
    index = {**about, "data_file": str(folder / "notes.jsonl"), **columns}
    config = {"server": {**about, "host": "127.0.0.1", "port": port}, "indices": [index]}
    (folder / "notes.yaml").write_text(json.dumps(config), encoding="utf-8")
    return Real(
        command=[str(mcp_servers_for_python().parent / "fts-mcp"), "--config", str(folder / "notes.yaml")],
        environ={"FASTMCP_CHECK_FOR_UPDATES": "off"},
        ready="Uvicorn running on",
        tool="search",
        arguments={"index": "notes", "queries": ["bridges"]},
        says="It has 12 bridges.",
        reads_only=False,
    )


def graph(folder: Path, port: int) -> Real:
    lines = [json.dumps({"type": "entity", **entity}) for entity in ENTITIES]
    (folder / "graph.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Real(
        command=_gateway(_program("mcp-server-memory"), port),
        environ={"MEMORY_FILE_PATH": str(folder / "graph.jsonl")},
        ready="Listening on port",
        tool="search_nodes",
        arguments={"query": "road"},
        says="It was opened in 1998.",
    )


def files(folder: Path, port: int) -> Real:
    (folder / "roads.txt").write_text("The coast road was opened in 1998.\n", encoding="utf-8")
    return Real(
        command=_gateway(f"{_program('mcp-server-filesystem')} {folder}", port, "--stateful"),
        ready="Listening on port",
        tool="read_text_file",
        arguments={"path": str(folder / "roads.txt")},
        says="The coast road was opened in 1998.",
    )


def database(folder: Path, port: int) -> Real:
    with closing(sqlite3.connect(folder / "roads.db")) as connection, connection:
        connection.execute("create table roads (name text, opened integer)")
        connection.executemany("insert into roads values (?, ?)", [("Coast road", 1998), ("Pass road", 1954)])
    programs = mcp_servers_for_python().parent
    server = [str(programs / "mcp-server-sqlite"), "--db-path", str(folder / "roads.db")]
    return Real(
        command=[str(programs / "mcp-proxy"), "--port", str(port), "--", *server],
        ready="Uvicorn running on",
        tool="read_query",
        arguments={"query": "select name, opened from roads order by opened"},
        says="Coast road",
        reads_only=False,
    )


SERVERS: Final = (everything, documents, graph, files, database)


TEXTS: Final = """
import json, sys
from mcp.server.fastmcp import FastMCP

server = FastMCP("texts", host="127.0.0.1", port=int(sys.argv[1]))
HITS = [{"title": "Coast road", "text": "It has 12 bridges."}, {"title": "Ulm", "text": "It lies on the Danube."}]

@server.tool()
def one_text(query: str) -> str:
    return json.dumps({"total": 2, "hits": HITS})

@server.tool()
def texts(query: str) -> list[str]:
    return [json.dumps(hit) for hit in HITS]

@server.tool()
def values(query: str) -> dict[str, object]:
    return {"total": 2, "hits": HITS}

server.run(transport="streamable-http")
"""
"""A server of the official package. The package wraps what is no object: `{"result": "<the text>"}`."""


@pytest.mark.parametrize(("tool", "path"), [("one_text", "$.hits[*]"), ("texts", "$[*]"), ("values", "$.hits[*]")])
async def test_the_json_that_a_tool_of_the_official_package_returns_is_read_at_its_path(
    tool: str, path: str, unmarked: McpServers, tmp_path: Path
) -> None:
    (tmp_path / "server.py").write_text(TEXTS, encoding="utf-8")
    port = free_port()
    real = Real(
        command=[str(mcp_servers_for_python()), str(tmp_path / "server.py"), str(port)],
        ready="Uvicorn running on",
        tool=tool,
        arguments={"query": "roads"},
        says="It has 12 bridges.",
    )
    with running(real):
        url = f"http://127.0.0.1:{port}/mcp"
        page = await asked(unmarked, url, real, parsing=OutputParsing(kind="json", path=path))
        assert [(hit.title, hit.content) for hit in page.hits] == [
            ("Coast road", "It has 12 bridges."),
            ("Ulm", "It lies on the Danube."),
        ]
        none = await asked(unmarked, url, real, parsing=OutputParsing(kind="json", path="$.documents[*]"))
        assert (none.hits, none.missed) == ((), "$.documents[*]")


def _program(name: str) -> str:
    return str(mcp_servers_for_node() / "node_modules" / ".bin" / name)


def _gateway(command: str, port: int, *options: str) -> list[str]:
    gateway = [_program("supergateway"), "--outputTransport", "streamableHttp", "--port", str(port)]
    return [*gateway, "--stdio", command, *options]


@contextmanager
def running(real: Real) -> Iterator[None]:
    """The server, until the block ends."""
    with subprocess.Popen(
        real.command,
        env={**os.environ, **real.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if real.ready in line:
                    break
            else:
                raise AssertionError("".join(said))
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(params=SERVERS, ids=lambda make: make.__name__)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Real, str]]:
    needs_node()
    port = free_port()
    real: Real = request.param(tmp_path, port)
    with running(real):
        yield real, f"http://127.0.0.1:{port}/mcp"


@pytest.fixture
async def unmarked() -> AsyncIterator[McpServers]:
    servers = McpServers(LOCAL, values={}, unmarked={"*"})
    yield servers
    await servers.close()


async def asked_by_the_package(url: str, real: Real) -> tuple[set[tuple[str, str]], str]:
    """The tools, and the texts of the call, as the package's client has them."""
    async with AsyncExitStack() as stack:
        read, write = await stack.enter_async_context(streamable_http_client(url))
        session = await stack.enter_async_context(ClientSession(read, write))
        await session.initialize()
        tools = (await session.list_tools()).tools
        result = await session.call_tool(real.tool, dict(real.arguments))
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        return {(tool.name, tool.description or "") for tool in tools}, "\n\n".join(texts)


async def asked(servers: McpServers, url: str, real: Real, **parsing: Any) -> Page:
    listed = target(url, ListedTool(name=real.tool, **parsing))
    return await servers.search(calling(listed, json.dumps(real.arguments), tool=real.tool))


async def test_a_server_that_others_wrote_answers_as_it_answers_the_package(
    served: tuple[Real, str], unmarked: McpServers
) -> None:
    real, url = served
    tools, text = await asked_by_the_package(url, real)
    listed = target(url, *(ListedTool(name=name) for name, _ in tools))
    assert {(tool.name, tool.description) for tool in await unmarked.tools(listed, NOTHING_PASSED)} == tools
    whole = await asked(unmarked, url, real, parsing=OutputParsing(kind="none"))
    assert [hit.content for hit in whole.hits] == [text]
    page = await asked(unmarked, url, real)
    assert page.hits and real.says in " ".join(hit.content or "" for hit in page.hits)


async def test_a_tool_that_does_not_say_that_it_only_reads_is_not_called(
    served: tuple[Real, str], servers: McpServers
) -> None:
    real, url = served
    if real.reads_only:
        assert (await asked(servers, url, real)).hits
    else:
        with pytest.raises(BackendUnavailable, match="MCP_UNMARKED_TOOLS"):
            await asked(servers, url, real)


async def test_a_tool_that_fails_says_why(served: tuple[Real, str], unmarked: McpServers) -> None:
    real, url = served
    with pytest.raises(BackendUnavailable, match=real.tool):
        await unmarked.search(calling(target(url, ListedTool(name=real.tool)), '{"wrong": 7}', tool=real.tool))
