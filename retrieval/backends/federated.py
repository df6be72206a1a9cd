"""Several search services as one SearchIndex: the name of its target decides where a sub-query goes."""

from collections.abc import Mapping
from typing import Protocol

from retrieval.errors import BackendUnavailable
from retrieval.filters.schema import Schema
from retrieval.model.mcp_hosts import is_address
from retrieval.model.search import Facets, Page, Subquery
from retrieval.ports import IndexCounts, IndexFacets, IndexNames, IndexSchemas, SearchIndex


class KnownIndex(SearchIndex, IndexNames, IndexCounts, IndexSchemas, IndexFacets, Protocol):
    """A service that can search its indexes, and tell their existence, their number of documents, their fields and the
    values of their facets."""


class FederatedIndex:
    """`services` maps the name of an index to its service; any other name is an index of `otherwise`, if there is such
    a service. Targets with an MCP server go to `servers`; their name is the address of the server."""

    def __init__(
        self, services: Mapping[str, SearchIndex], *, otherwise: KnownIndex | None, servers: SearchIndex | None = None
    ) -> None:
        self._services = dict(services)
        self._otherwise = otherwise
        self._servers = servers

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendError, and UnsupportedFilter."""
        name = subquery.target.index
        index = self._services.get(name, self._otherwise) if subquery.target.server is None else self._servers
        if index is None:
            raise BackendUnavailable("This deployment", f"has no index named {name[:128]!r}.")
        return await index.search(subquery)

    async def exists(self, index: str) -> bool | None:
        """Whether a name is an index; None where this service may not check. Raises BackendError."""
        if index in self._services:
            return True
        return False if self._otherwise is None else await self._otherwise.exists(index)

    async def documents(self, index: str) -> int | None:
        """The number of documents in an index; None where it cannot be known. Raises BackendMissing, BackendError."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.documents(index)

    async def schema(self, index: str) -> Schema | None:
        """The fields of an index; None if it does not exist or may not be read. Raises BackendError."""
        if index in self._services or self._otherwise is None or is_address(index):
            return None
        return await self._otherwise.schema(index)

    async def facets(self, index: str) -> Facets | None:
        """The facets of an index; None if it has none that can be read."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.facets(index)
