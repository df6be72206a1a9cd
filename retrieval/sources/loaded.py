"""Loads a client at the first call of it, so that it does not slow down other calls and cold starts."""

from collections.abc import Callable
from typing import Protocol

from retrieval import threads
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.model.tools import Passed, Tool
from retrieval.ports import SearchIndex, ToolServers


class ToolClient(SearchIndex, ToolServers, Protocol):
    """A client that lists tools and calls them."""

    async def close(self) -> None:
        """Close the connections."""


class LoadedIndex:
    """The client that `make` gives after the module was loaded."""

    def __init__(self, module: str, make: Callable[[], ToolClient]) -> None:
        self._module = module
        self._make = make
        self._client: ToolClient | None = None

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools of a target that may be called. Raises BackendError."""
        return await (await self._loaded()).tools(target, passed)

    async def search(self, subquery: Subquery) -> Page:
        """The documents that a tool returns. Raises BackendError."""
        return await (await self._loaded()).search(subquery)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._client is not None:
            await self._client.close()

    async def _loaded(self) -> ToolClient:
        await threads.imported(self._module)
        if self._client is None:
            self._client = self._make()
        return self._client
