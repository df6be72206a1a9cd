"""The operations on synonym maps and aliases, which differ only in their contents."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

from retrieval.local.search_service import bodies
from retrieval.local.search_service.api import listing, responses
from retrieval.local.search_service.definitions.aliases import Alias
from retrieval.local.search_service.engine.catalog import Catalog
from retrieval.local.search_service.engine.versioned import Shelf
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.request_line import RequestLine
from retrieval.local.search_service.text.synonyms import SynonymMap
from retrieval.local.wire import WireRequest, WireResponse

Operation: TypeAlias = Callable[[RequestLine, WireRequest], WireResponse]

T = TypeVar("T", SynonymMap, Alias)


def operations(catalog: Catalog) -> Mapping[str, Operation]:
    """By the names that routes give them."""
    maps: _Resources[SynonymMap] = _Resources(catalog.synonym_maps, lambda body: SynonymMap.parse(body, ""))
    aliases: _Resources[Alias] = _Resources(catalog.aliases, lambda body: catalog.checked_alias(Alias.parse(body, "")))
    return {**maps.operations("synonymmaps"), **aliases.operations("aliases")}


class _Resources(Generic[T]):
    """`parse` makes one of a body, without an ETag."""

    def __init__(self, shelf: Shelf[T], parse: Callable[[dict[str, Any]], T]) -> None:
        self._shelf: Shelf[T] = shelf
        self._parse: Callable[[dict[str, Any]], T] = parse

    def operations(self, kind: str) -> Mapping[str, Operation]:
        return {
            f"list_{kind}": self._list,
            f"create_{kind}": self._create,
            f"put_{kind}": self._put,
            f"get_{kind}": self._get,
            f"delete_{kind}": self._delete,
        }

    def _list(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return listing.listed(wanted, request, self._shelf)

    def _create(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        parsed = self._parse(bodies.read_object(request))
        created = self._shelf.create(parsed.name, lambda etag: replace(parsed, etag=etag))
        return responses.success(responses.described(created), 201)

    def _put(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        parsed, name = self._parse(bodies.read_object(request)), wanted.names[0]
        if parsed.name != name:
            raise InvalidArgument(f"The name {parsed.name!r} is not the one in the path, {name[:128]!r}.")
        existed = self._shelf.put(name, lambda _, etag: replace(parsed, etag=etag), bodies.condition(request))
        return responses.put(self._shelf.get(name), request, existed=existed)

    def _get(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        return responses.success(responses.described(self._shelf.get(wanted.names[0])))

    def _delete(self, wanted: RequestLine, request: WireRequest) -> WireResponse:
        self._shelf.delete(wanted.names[0], bodies.condition(request))
        return WireResponse(status=204)
