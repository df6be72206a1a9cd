"""Loads a client at the first call of it, so that it does not slow down other calls and cold starts."""

from collections.abc import Callable
from typing import Protocol

from retrieval import threads
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.model.tools import Passed, Tool
from retrieval.ports import SearchIndex


class ToolClient(SearchIndex, Protocol):
    """A client that lists tools and calls them."""

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools of a target that may be called. Raises BackendError."""

    async def close(self) -> None:
        """Close the connections."""


class LoadedIndex:
    """The client that `make` gives after the module was loaded. Errors call its servers by the noun."""

    def __init__(self, noun: str, module: str, make: Callable[[], ToolClient]) -> None:
        self._noun = noun
        self._module = module
        self._make = make
        self._loaded_client: ToolClient | None = None

    def service(self, source: str) -> str:
        """How errors call the server of a knowledge source."""
        return f"{self._noun} of {source!r}"

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

    async def _loaded(self) -> ToolClient:
        await threads.imported(self._module)
        if self._loaded_client is None:
            self._loaded_client = self._make()
        return self._loaded_client
