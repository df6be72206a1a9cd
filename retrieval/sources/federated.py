"""Combines several search services into one SearchIndex. The target of a sub-query decides which service is
searched."""

from collections.abc import Mapping
from typing import Protocol

from retrieval.errors import BackendUnavailable
from retrieval.filters.schema import Schema
from retrieval.model.mcp_hosts import is_address
from retrieval.model.search import Facets, Page, Subquery
from retrieval.ports import IndexCounts, IndexFacets, IndexNames, IndexSchemas, SearchIndex


class KnownIndex(SearchIndex, IndexNames, IndexCounts, IndexSchemas, IndexFacets, Protocol):
    """A service that can search its indexes. It also tells whether an index exists, its number of documents, its fields
    and the values of its facets."""


class FederatedIndex:
    """`services` maps the name of an index to its service. Any other name is an index of the service `otherwise`, if
    that is not None. Sub-queries of targets with an MCP server go to `servers`. The index name of such a target is the
    address of the server."""

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
        """Whether an index with this name exists; None if this service has no right to check. Raises BackendError."""
        if index in self._services:
            return True
        return False if self._otherwise is None else await self._otherwise.exists(index)

    async def documents(self, index: str) -> int | None:
        """The number of documents in an index; None if the index is in `services`, if `otherwise` is None, or if the
        number is not known. Raises BackendMissing, BackendError."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.documents(index)

    async def schema(self, index: str) -> Schema | None:
        """The fields of an index; None if they may not be read, if the index is in `services` or is an MCP server, or
        if `otherwise` is None. Raises BackendError."""
        if index in self._services or self._otherwise is None or is_address(index):
            return None
        return await self._otherwise.schema(index)

    async def facets(self, index: str) -> Facets | None:
        """The facets of an index; None if they are not available."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.facets(index)
