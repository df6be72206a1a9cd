"""What routes take and answer in each api-version: the shapes that the contracts of the tables have themselves."""

import json
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final, TypeAlias

from retrieval.contracts import CONTRACTS, EVENTS, definition_contracts
from retrieval.contracts.azure.definitions import AzureDefinitions
from retrieval.model.etags import Stored
from retrieval.openapi.description import JsonObject, Shape, answered
from retrieval.openapi.event_streams import stream
from retrieval.openapi.parameters import api_version

ETAG: Final = "0x8D9F1C2B3A4E5D60"
Make: TypeAlias = Callable[[str, Any], Shape]
"""A shape of a name and a type."""


def retrieve_version(route: str) -> JsonObject:
    """The parameter of the versions of retrieve."""
    return api_version(_modules(CONTRACTS, route))


def retrieve_request(route: str, name: str) -> Shape:
    """The body of retrieve in each version."""
    found = _modules(CONTRACTS, route)
    return versioned(
        name, {one: _member(f"{module}.request", "RetrieveRequest") for one, module in found.items()}, sent
    )


def retrieve_response(route: str, name: str) -> Shape:
    """The answer of retrieve in each version."""
    found = _modules(CONTRACTS, route)
    shapes = {one: _member(f"{module}.response", "RetrieveResponse") for one, module in found.items()}
    return versioned(name, shapes, answered)


def retrieve_events(route: str, name: str) -> Shape | None:
    """The answer of retrieve as events, in the versions that have them; None where none has."""
    found = _modules(EVENTS, route)
    shapes = {
        version: import_module(f"retrieval.contracts.{module}").EVENTS.shapes for version, module in found.items()
    }
    return versioned(name, shapes, stream) if shapes else None


def definition_version(route: str) -> JsonObject:
    """The parameter of the versions of a kind of definitions."""
    return api_version(dict(_definitions(route)))


def definition(route: str, name: str) -> Shape:
    """A definition in each version, as it is sent."""
    return versioned(name, {version: found.shape for version, found in _definitions(route)}, sent)


def stored_definition(route: str, name: str) -> Shape:
    """A definition in each version, as it is answered."""
    return versioned(name, {version: found.shape for version, found in _definitions(route)}, answered)


def listed_definitions(route: str, name: str, stored: Shape) -> Shape:
    """The list of what is stored, in each version; `stored` is the shape of one."""
    paged = {_of_version(name, version): found.paged for version, found in _definitions(route)}
    variants = (Shape(name=one, items=item, paged=paged[one]) for one, item in zip(paged, stored.variants, strict=True))
    return Shape(name=name, variants=tuple(variants))


def is_paged(route: str) -> bool:
    """Whether a version has the list in pages."""
    return any(found.paged for _, found in _definitions(route))


def answered_definition(route: str, version: str, sent: JsonObject) -> JsonObject:
    """What is answered where that definition is sent in that version."""
    found = dict(_definitions(route))[version]
    value = found.parse(json.dumps(sent).encode(), name=None, has_key=lambda model: False)(None)
    rendered = found.render(Stored(value=value, etag=ETAG), status=200, has_key=lambda model: False)
    answer: JsonObject = json.loads(rendered.content)
    return answer


def source_status(name: str) -> Shape:
    """The status of a knowledge source in each version that has one."""
    found = {version: one.status for version, one in _definitions("knowledgesources/status")}
    return versioned(name, found, answered)


def versioned(name: str, types: Mapping[str, Any], make: Make) -> Shape:
    """One shape of several versions: `name` with the version."""
    variants = (make(_of_version(name, version), type) for version, type in types.items())
    return Shape(name=name, variants=tuple(variants))


def sent(name: str, type: Any) -> Shape:
    """That of a body that is sent."""
    return Shape(name=name, type=type)


def _of_version(name: str, version: str) -> str:
    return f"{name}_{version.replace('-', '_')}"


def _modules(table: Mapping[tuple[str, str], str], route: str) -> dict[str, str]:
    return {version: module for (known, version), module in sorted(table.items()) if known == route}


def _member(module: str, name: str) -> Any:
    return getattr(import_module(f"retrieval.contracts.{module}"), name)


def _definitions(route: str) -> Iterator[tuple[str, AzureDefinitions[Any]]]:
    for known, version, found in definition_contracts():
        if known == route and isinstance(found, AzureDefinitions):
            yield version, found
