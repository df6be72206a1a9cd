"""MCP servers of this machine as a deployment calls them."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Final

import pytest

from retrieval.model.search import SearchTarget, Subquery
from retrieval.model.tools import ListedTool, Passed, ToolCall, ToolServer
from retrieval.sources.mcp_server.hosts import McpHost, McpHosts
from retrieval.sources.mcp_server.search.servers import McpServers
from tests.scripted_mcp.sockets import NamingLoop

SECRET: Final = "Bearer secret-of-the-deployment"
LOCAL: Final = McpHosts(hosts=(McpHost(name="127.0.0.1"), McpHost(name="localhost")), local=True)


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], NamingLoop]]:
    return {"naming": NamingLoop}


def target(url: str, *tools: ListedTool, headers: Mapping[str, str] | None = None) -> SearchTarget:
    """A target over a server, with one tool `search` where none is given."""
    server = ToolServer(url=url, tools=tools or (ListedTool(name="search"),), headers=tuple((headers or {}).items()))
    return SearchTarget(index=url, threshold=2.5, source="docs", kind="mcpServer", server=server)


def calling(target: SearchTarget, arguments: str = '{"query": "roads"}', *, tool: str = "search") -> Subquery:
    """A call of a tool."""
    return Subquery(search="roads", target=target, call=ToolCall(tool=tool, arguments=arguments))


def passing(subquery: Subquery, passed: Passed) -> Subquery:
    """The call with what its caller passes on."""
    return replace(subquery, passed=passed)


@pytest.fixture
async def servers() -> AsyncIterator[McpServers]:
    servers = McpServers(LOCAL, values={LOCAL.hosts[0]: {"docs": SECRET}}, unmarked=())
    yield servers
    await servers.close()
