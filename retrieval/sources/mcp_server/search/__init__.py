"""Calls MCP servers. This package sends the protocol's messages itself, with aiohttp. It does not use the client of the
package `mcp`. That client follows redirects of the same origin, reads JSON answers of any size, and parses them on the
event loop. A custom transport for that client would have to enforce all the limits of this package.

- `servers`: sessions with servers, which are kept for some time, the tools of a server, and a call of a tool
- `exchange`: sends one message and reads its answer, within limits, and only to IP addresses that were checked
"""

from typing import TYPE_CHECKING

from retrieval import threads
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.model.tools import Passed, Tool
from retrieval.sources.mcp_server.hosts import McpHosts
from retrieval.sources.mcp_server.settings import McpServerSettings

if TYPE_CHECKING:
    from retrieval.sources.mcp_server.search.servers import McpServers


class LoadedServers:
    """The MCP servers that the settings allow. Their client is loaded at its first call, so that it does not slow down
    other calls and cold starts."""

    def __init__(self, hosts: McpHosts, own: McpServerSettings) -> None:
        self._hosts = hosts
        self._own = own
        self._loaded_client: McpServers | None = None

    def service(self, source: str) -> str:
        """How errors call the server of a knowledge source."""
        return f"The MCP server of {source!r}"

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools of a target that may be called. Raises BackendError."""
        return await (await self._loaded()).tools(target, passed)

    async def search(self, subquery: Subquery) -> Page:
        """The documents that a tool returns. Raises BackendError."""
        return await (await self._loaded()).search(subquery)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._loaded_client is not None:
            await self._loaded_client.close()

    async def _loaded(self) -> "McpServers":
        await threads.imported("retrieval.sources.mcp_server.search.servers")
        from retrieval.sources.mcp_server.search.servers import McpServers

        if self._loaded_client is None:
            own = self._own
            self._loaded_client = McpServers(self._hosts, values=own.values, unmarked=own.mcp_unmarked_tools)
        return self._loaded_client
