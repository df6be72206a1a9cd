"""MCP servers. Their client is loaded at the first call to a server, so that it does not slow down other calls and
cold starts."""

from typing import TYPE_CHECKING

from retrieval import threads
from retrieval.model.mcp_server import Passed, Tool
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.settings.settings import Settings

if TYPE_CHECKING:
    from retrieval.sources.mcp_server.servers import McpServers


class McpIndex:
    """The MCP servers that the settings allow."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._servers: McpServers | None = None

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools of a target that may be called. Raises BackendError."""
        return await (await self._loaded()).tools(target, passed)

    async def search(self, subquery: Subquery) -> Page:
        """The documents that a tool returns. Raises BackendError."""
        return await (await self._loaded()).search(subquery)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._servers is not None:
            await self._servers.close()

    async def _loaded(self) -> "McpServers":
        await threads.imported("retrieval.sources.mcp_server.servers")
        if self._servers is None:
            from retrieval.sources.mcp_server.servers import McpServers

            settings = self._settings
            self._servers = McpServers(
                settings.mcp_servers, values=settings.mcp_headers, unmarked=settings.mcp_unmarked_tools
            )
        return self._servers
