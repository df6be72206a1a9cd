"""Combines several search services into one SearchIndex. The target of a sub-query decides which service is
searched."""

from collections.abc import Mapping
from typing import Protocol

from retrieval.errors import BackendUnavailable
from retrieval.filters.schema import Schema
from retrieval.model.definitions import SourceKind, is_address
from retrieval.model.search import Facets, Page, Subquery
from retrieval.ports import IndexFacets, IndexNames, IndexSchemas, SearchIndex


class KnownIndex(SearchIndex, IndexNames, IndexSchemas, IndexFacets, Protocol):
    """A service that can search its indexes. It also tells whether an index exists, its number of documents, its fields
    and the values of its facets."""


class FederatedIndex:
    """`services` maps the name of an index to its service, and `of_kinds` a kind of knowledge source to the service of
    every target of the kind. Any other name is an index of the service `otherwise`, if that is not None."""

    def __init__(
        self,
        services: Mapping[str, SearchIndex],
        *,
        otherwise: KnownIndex | None,
        of_kinds: Mapping[SourceKind, SearchIndex | None],
    ) -> None:
        self._services = dict(services)
        self._otherwise = otherwise
        self._of_kinds = of_kinds

    async def search(self, subquery: Subquery) -> Page:
        """Raises BackendError, and UnsupportedFilter."""
        name, kind = subquery.target.index, subquery.target.kind
        index = self._services.get(name) or self._of_kinds.get(kind, self._otherwise)
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
        """The fields of an index; None if they may not be read, if the index is in `services` or is an address, or if
        `otherwise` is None. Raises BackendError."""
        if index in self._services or self._otherwise is None or is_address(index):
            return None
        return await self._otherwise.schema(index)

    async def facets(self, index: str) -> Facets | None:
        """The facets of an index; None if they are not available."""
        if index in self._services or self._otherwise is None:
            return None
        return await self._otherwise.facets(index)
