"""The resources of one kind by name: indexes, synonym maps or aliases, each with an ETag that changes with it."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from retrieval.local.search_service.bodies import Condition
from retrieval.local.search_service.engine.store import Kept, Store
from retrieval.local.search_service.errors import NotFound, SearchServiceError


class Resource(Protocol):
    """What has a name and an ETag; `wire` is its definition, as it is given back and kept."""

    @property
    def name(self) -> str: ...

    @property
    def etag(self) -> str: ...

    @property
    def wire(self) -> dict[str, Any]: ...


T = TypeVar("T", bound=Resource)


class Versions:
    """Gives out ETags, each once, also after a restart."""

    def __init__(self, last: int = 0) -> None:
        self.last = last
        self._lock = threading.Lock()

    def next(self) -> str:
        with self._lock:
            self.last += 1
            return f'"0x{self.last:016X}"'


class Shelf(Generic[T]):
    """Names are compared as they are: the service allows lower case only. With a store, changes are kept there first.

    `make` functions get the new ETag.
    """

    def __init__(self, kind: str, title: str, *, versions: Versions, store: Store | None) -> None:
        self._kind = kind
        self._title = title
        self._versions = versions
        self._store = store
        self._resources: dict[str, T] = {}

    def __iter__(self) -> Iterator[T]:
        """In the order of their names."""
        return iter([self._resources[name] for name in sorted(self._resources)])

    def __len__(self) -> int:
        return len(self._resources)

    def __contains__(self, name: object) -> bool:
        return name in self._resources

    def find(self, name: str) -> T | None:
        return self._resources.get(name)

    def get(self, name: str) -> T:
        """Raises NotFound."""
        found = self._resources.get(name)
        if found is None:
            raise NotFound(f"No {self._title} with the name {name[:128]!r} was found in the service.")
        return found

    def create(self, name: str, make: Callable[[str], T]) -> T:
        """Raises SearchServiceError 409 where there is one already."""
        if name in self._resources:
            raise SearchServiceError(
                409, "ResourceNameAlreadyInUse", f"The name {name!r} is that of another {self._title}."
            )
        return self._keep(make(self._versions.next()))

    def put(self, name: str, make: Callable[[T | None, str], T], condition: Condition) -> bool:
        """Creates or replaces; True when there was one. `make` gets the present one too. Raises for a condition."""
        existing = self._resources.get(name)
        condition.check(None if existing is None else existing.etag)
        self._keep(make(existing, self._versions.next()))
        return existing is not None

    def delete(self, name: str, condition: Condition) -> None:
        """Raises NotFound, and for a condition."""
        condition.check(self.get(name).etag)
        if self._store is not None:
            self._store.drop(self._kind, name)
        del self._resources[name]

    def restore(self, resource: T) -> None:
        """Puts back what the store holds."""
        self._resources[resource.name] = resource

    def _keep(self, resource: T) -> T:
        if self._store is not None:
            kept = Kept(kind=self._kind, name=resource.name, etag=resource.etag, wire=resource.wire)
            self._store.keep(kept, version=self._versions.last)
        self._resources[resource.name] = resource
        return resource
