"""The indexes of one service, by name, each with an ETag that changes with its definition."""

from collections.abc import Iterator

from retrieval.local.search_service.bodies import Condition
from retrieval.local.search_service.definition import IndexDefinition
from retrieval.local.search_service.errors import InvalidArgument, NotFound, SearchServiceError
from retrieval.local.search_service.index import LocalIndex


class Catalog:
    """Names are compared as they are: the service allows lower case only."""

    def __init__(self) -> None:
        self._indexes: dict[str, LocalIndex] = {}
        self._versions = 0

    def __iter__(self) -> Iterator[LocalIndex]:
        """In the order of their names."""
        return iter([self._indexes[name] for name in sorted(self._indexes)])

    def get(self, name: str) -> LocalIndex:
        index = self._indexes.get(name)
        if index is None:
            raise NotFound(f"No index with the name {name[:128]!r} was found in the service.")
        return index

    def create(self, definition: IndexDefinition) -> LocalIndex:
        if definition.name in self._indexes:
            raise SearchServiceError(
                409, "ResourceNameAlreadyInUse", f"An index with the name {definition.name!r} already exists."
            )
        return self._keep(LocalIndex(definition, self._etag()))

    def put(self, name: str, definition: IndexDefinition, condition: Condition) -> bool:
        """Creates the index, or gives it another definition and keeps its documents; True when it existed."""
        if name != definition.name:
            raise InvalidArgument(f"The index name {definition.name!r} is not the one in the path, {name[:128]!r}.")
        existing = self._indexes.get(name)
        condition.check(None if existing is None else existing.etag)
        if existing is None:
            self._keep(LocalIndex(definition, self._etag()))
            return False
        self._keep(existing.redefined(definition, self._etag()))
        return True

    def delete(self, name: str, condition: Condition) -> None:
        index = self.get(name)
        condition.check(index.etag)
        del self._indexes[name]

    def _keep(self, index: LocalIndex) -> LocalIndex:
        self._indexes[index.definition.name] = index
        return index

    def _etag(self) -> str:
        self._versions += 1
        return f'"0x{self._versions:016X}"'
