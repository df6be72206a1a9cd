"""The operations on synonym maps and aliases, which are the same but for what they hold."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

from retrieval.local.search_service import answers, bodies
from retrieval.local.search_service.aliases import Alias
from retrieval.local.search_service.catalog import Catalog
from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.routes import Route
from retrieval.local.search_service.shelf import Shelf
from retrieval.local.search_service.synonyms import SynonymMap
from retrieval.local.wire import WireRequest, WireResponse

Operation: TypeAlias = Callable[[Route, WireRequest], WireResponse]

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

    def _list(self, wanted: Route, request: WireRequest) -> WireResponse:
        select = wanted.query.get("$select", "*").split(",")
        return answers.success({"value": [answers.described(one, select) for one in self._shelf]})

    def _create(self, wanted: Route, request: WireRequest) -> WireResponse:
        parsed = self._parse(bodies.read_object(request))
        created = self._shelf.create(parsed.name, lambda etag: replace(parsed, etag=etag))
        return answers.success(answers.described(created), 201)

    def _put(self, wanted: Route, request: WireRequest) -> WireResponse:
        parsed, name = self._parse(bodies.read_object(request)), wanted.names[0]
        if parsed.name != name:
            raise InvalidArgument(f"The name {parsed.name!r} is not the one in the path, {name[:128]!r}.")
        existed = self._shelf.put(name, lambda _, etag: replace(parsed, etag=etag), bodies.condition(request))
        return answers.put(self._shelf.get(name), request, existed=existed)

    def _get(self, wanted: Route, request: WireRequest) -> WireResponse:
        return answers.success(answers.described(self._shelf.get(wanted.names[0])))

    def _delete(self, wanted: Route, request: WireRequest) -> WireResponse:
        self._shelf.delete(wanted.names[0], bodies.condition(request))
        return WireResponse(status=204)
