"""The shapes of requests and answers in each api-version. They come from the contracts in the tables of
`retrieval.contracts.served_versions`."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.contracts.described import JsonObject, Shape, answer_shape, stream
from retrieval.contracts.served_versions import CONTRACTS, Version, definition_contracts, version_of
from retrieval.model.definitions import Stored
from tools.openapi.parameters import api_version

ETAG: Final = "0x8D9F1C2B3A4E5D60"
Make: TypeAlias = Callable[[str, Any], Shape]
"""The type of a function that makes a shape from a name and a type."""


def retrieve_version(route: str) -> JsonObject:
    """The parameter `api-version` of a route of retrieve."""
    return api_version(version for table_route, version in CONTRACTS if table_route == route)


def retrieve_request(route: str, name: str) -> Shape:
    """The shape of a retrieve request, with a variant for each version."""
    return version_shapes(name, {version.name: version.request for version in _versions(route)}, request_shape)


def retrieve_response(route: str, name: str) -> Shape:
    """The shape of a retrieve answer, with a variant for each version."""
    return version_shapes(name, {version.name: version.response for version in _versions(route)}, answer_shape)


def retrieve_events(route: str, name: str) -> Shape:
    """The shape of a retrieve answer as events, with a variant for each version that has events."""
    events = {version.name: version.events for version in _versions(route)}
    shapes = {version: contract.shapes for version, contract in events.items() if contract is not None}
    return version_shapes(name, shapes, stream)


def definition_version(route: str) -> JsonObject:
    """The parameter `api-version` of the routes of a kind of definitions."""
    return api_version(dict(_definitions(route)))


def definition(route: str, name: str) -> Shape:
    """The shape of a definition in a request, with a variant for each version."""
    return version_shapes(name, {version: contract.shape for version, contract in _definitions(route)}, request_shape)


def stored_definition(route: str, name: str) -> Shape:
    """The shape of a definition in an answer, with a variant for each version."""
    return version_shapes(name, {version: contract.shape for version, contract in _definitions(route)}, answer_shape)


def listed_definitions(route: str, name: str, definition: Shape) -> Shape:
    """The shape of a list of definitions, with a variant for each version. `definition` is the shape of one
    definition."""
    lists = {_of_version(name, version): contract.paged for version, contract in _definitions(route)}
    pairs = zip(lists.items(), definition.variants, strict=True)
    variants = (Shape(name=list_name, items=item, paged=in_pages) for (list_name, in_pages), item in pairs)
    return Shape(name=name, variants=tuple(variants))


def is_paged(route: str) -> bool:
    """Whether any version returns the list of definitions in pages."""
    return any(contract.paged for _, contract in _definitions(route))


def answered_definition(route: str, version: str, body: JsonObject) -> JsonObject:
    """The answer of this service to a client that sends this definition in this version."""
    contract = dict(_definitions(route))[version]
    value = contract.parse(json.dumps(body).encode(), name=None, has_key=lambda model: False)(None)
    response = contract.render(Stored(value=value, etag=ETAG), status=200, has_key=lambda model: False)
    answer: JsonObject = json.loads(response.content)
    return answer


def source_status(name: str) -> Shape:
    """The shape of a knowledge source's status, with a variant for each version that has the status."""
    shapes = {version: contract.status for version, contract in _definitions("knowledgesources/status")}
    return version_shapes(name, shapes, answer_shape)


def version_shapes(name: str, types: Mapping[str, Any], make: Make) -> Shape:
    """A shape with a variant for each version. The name of a variant is `name` with the version."""
    variants = (make(_of_version(name, version), type) for version, type in types.items())
    return Shape(name=name, variants=tuple(variants))


def request_shape(name: str, type: Any) -> Shape:
    """The shape of a request body."""
    return Shape(name=name, type=type)


def _of_version(name: str, version: str) -> str:
    return f"{name}_{version.replace('-', '_')}"


def _versions(route: str) -> Iterator[Version]:
    """The versions of retrieve, by name."""
    return (version_of(version) for table_route, version in sorted(CONTRACTS) if table_route == route)


def _definitions(route: str) -> Iterator[tuple[str, AzureDefinitions[Any]]]:
    for table_route, version, contract in definition_contracts():
        if table_route == route:
            yield version, contract
