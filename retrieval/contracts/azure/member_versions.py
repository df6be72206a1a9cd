"""Finds the versions that have a member. If a version refuses a member that it lacks, the error names these
versions."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from retrieval.contracts.azure.request_body import Location, property_names
from retrieval.contracts.versions import CONTRACTS, DEFINITION_CONTRACTS, version_of


def versions_with(location: Location, word: str | None = None) -> list[str]:
    """The versions whose retrieve request has a member at the location (see `request_body.Elsewhere`). The case of the
    member's name does not matter. The function loads all versions."""
    return accepting_versions(((version, version_of(version).request) for _, version in CONTRACTS), location, word)


def versions_with_kind(kind: str) -> list[str]:
    """The versions that have a kind of knowledge source, and definitions of it."""
    routes = (version for route, version in DEFINITION_CONTRACTS if route == "knowledgesources")
    return sorted(version for version in routes if kind in version_of(version).kinds)


def accepting_versions(
    shapes: Iterable[tuple[str, type[BaseModel]]], location: Location, word: str | None
) -> list[str]:
    """The versions whose shape has a member at the location (see `request_body.Elsewhere`)."""
    names = [part.lower() for part in location if isinstance(part, str)]
    annotations = ((version, list(_annotations(shape, names))) for version, shape in shapes)
    takers = (
        version
        for version, types in annotations
        if types and (word is None or any(_takes(type, word) for type in types))
    )
    return sorted(set(takers))


def shapes_of(shape: type[BaseModel]) -> list[type[BaseModel]]:
    """A shape and the shapes within it."""
    inner = [inner_shape for field in shape.model_fields.values() for inner_shape in shapes_in(field.annotation)]
    return [shape, *(nested for inner_shape in inner for nested in shapes_of(inner_shape))]


@cache
def names_of(shape: type[BaseModel]) -> Mapping[str, str]:
    """The property names on the wire of a shape and the shapes within it. The keys are the same names in lower case."""
    return property_names(shapes_of(shape))


def _annotations(shape: type[BaseModel], names: list[str]) -> Iterator[Any]:
    """The types of the member to which the path of `names` leads. Yields nothing if the shape does not have this
    member."""
    name, *deeper = names
    for alias, field in shape.model_fields.items():
        if (field.alias or alias).lower() != name:
            continue
        if deeper:
            yield from (
                annotation
                for inner_shape in shapes_in(field.annotation)
                for annotation in _annotations(inner_shape, deeper)
            )
        else:
            yield field.annotation


def _takes(annotation: Any, word: str) -> bool:
    return any(argument == word or _takes(argument, word) for argument in get_args(annotation))


def shapes_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The shapes inside a type annotation, e.g. the shape of the items of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from shapes_in(argument)
