"""Which versions of retrieve have a member: what one version lacks is refused with the versions that have it."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args

from pydantic import BaseModel

from retrieval.contracts import CONTRACTS
from retrieval.contracts.azure.parts import Location


def versions_with(location: Location) -> list[str]:
    """The versions whose request has the member, its name compared without case. Loads all of them."""
    names = [part.lower() for part in location if isinstance(part, str)]
    return sorted(version for (_, version), module in CONTRACTS.items() if _has(_request(module), names))


def shapes_of(shape: type[BaseModel]) -> list[type[BaseModel]]:
    """A shape and those within it."""
    inner = [one for field in shape.model_fields.values() for one in _shapes_in(field.annotation)]
    return [shape, *(below for one in inner for below in shapes_of(one))]


def _request(module: str) -> type[BaseModel]:
    request: type[BaseModel] = import_module(f"retrieval.contracts.{module}.request").RetrieveRequest
    return request


def _has(shape: type[BaseModel], names: list[str]) -> bool:
    name, *below = names
    found = next((field for alias, field in _fields(shape) if alias.lower() == name), None)
    if found is None or not below:
        return found is not None
    return any(_has(one, below) for one in _shapes_in(found.annotation))


def _fields(shape: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    return ((field.alias or name, field) for name, field in shape.model_fields.items())


def _shapes_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The shapes that a type names, e.g. that of the items of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _shapes_in(argument)
