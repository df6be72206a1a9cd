"""The marks of a member: the versions in which it is there; and the shape of one version.

A shape declares its members for all versions. A mark in the annotation of a member says in which versions the member is
there; a member without a mark is in every version. `shape_in` makes the shape of one version. A word of a `Literal` and
a type of a union may have marks too. If a version refuses a member that it lacks, the error names the versions that
have the member (`versions_with`).
"""

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, Never, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, create_model

from retrieval.contracts.azure.request_body import Location
from retrieval.contracts.served_versions import CONTRACTS, Version, version_of, versions_of

Shape: TypeAlias = type[BaseModel]


@dataclass(frozen=True, slots=True)
class Mark:
    """The versions that have a member."""

    has: Callable[[Version], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The marks of the words of a `Literal`. A word without a mark is in every version."""

    mark_of: Callable[[str], Mark | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A validator or a `Field` that holds in the versions that the mark names. A member with a rule of its own is
    required and has no limits."""

    rule: Any
    mark: Mark


def since(*versions: str, until: tuple[str, ...] = ()) -> Mark:
    """The versions from the first preview and from the first GA version on, up to the last ones in `until`. If
    `versions` has no preview, no preview has the member; the same applies to GA versions. No other module compares the
    dates of versions."""

    def has(version: Version) -> bool:
        name = version.name
        first, last = ([other for other in others if len(other) == len(name)] for others in (versions, until))
        return any(other <= name for other in first) and all(name <= other for other in last)

    return Mark(has)


def of_kind(kind: str) -> Mark:
    """The versions with a kind of knowledge source."""
    return Mark(lambda version: kind in version.kinds)


KIND: Final = Words(of_kind)
"""The words of a `Literal` of kinds. A shape whose `Literal` has no word left is in no union of the version. A `str`
becomes the `Literal` of all kinds of the version."""


@cache
def shape_in(shape: Shape, version: Version, *, base: Shape | None = None) -> Any:
    """The shape of one version, under the name of the shape, with the configuration and the validators of `base`.
    Returns the shape itself if all of it is in the version, and Never if a `Literal` has no word left.

    A shape directly under BaseModel has no marks."""
    config = next(parent for parent in shape.__mro__[1:] if issubclass(parent, BaseModel) and not parent.model_fields)
    if config is BaseModel:
        return shape
    fields: dict[str, Any] = {}
    for name, field in shape.model_fields.items():
        if version.changes.get(f"{shape.__name__}.{name}", _is_there(field.metadata, version)):
            annotation = _annotated(field.annotation, field.metadata, version)
            if annotation is Never:
                return Never
            rules = [rule.rule for rule in field.metadata if isinstance(rule, Rule) and rule.mark.has(version)]
            fields[name] = (Annotated[annotation, *rules], ...) if rules else (annotation, field)
    whole = {name: (field.annotation, field) for name, field in shape.model_fields.items()}
    if base is None and fields == whole:
        return shape
    return create_model(shape.__name__, __base__=base or config, __doc__=shape.__doc__, **fields)


def annotation_in(annotation: Any, version: Version) -> Any:
    """The annotation with the parts that are in the version; Never if none is."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return shape_in(annotation, version)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _part(*arguments, version=version)
    if origin in (None, Literal):
        return annotation
    parts = [annotation_in(argument, version) for argument in arguments]
    return _union(parts) if origin in (Union, types.UnionType) else origin[tuple(parts)]


def _part(inner: Any, *metadata: Any, version: Version) -> Any:
    """The type within an `Annotated`, with the metadata that is no mark; Never if a mark leaves the version out."""
    part = _annotated(inner, metadata, version) if _is_there(metadata, version) else Never
    rules = [entry.rule if isinstance(entry, Rule) else entry for entry in metadata if _is_kept(entry, version)]
    return Annotated[part, *rules] if rules and part is not Never else part


def _is_there(metadata: Iterable[Any], version: Version) -> bool:
    return all(mark.has(version) for mark in metadata if isinstance(mark, Mark))


def _is_kept(metadata: Any, version: Version) -> bool:
    return metadata.mark.has(version) if isinstance(metadata, Rule) else not isinstance(metadata, Mark | Words)


def _annotated(annotation: Any, metadata: Iterable[Any], version: Version) -> Any:
    """The annotation in the version, with the words of the `Literal` that the metadata leaves; Never for none."""
    for words in metadata:
        if isinstance(words, Words):
            return _with_words(annotation, words, version)
    return annotation_in(annotation, version)


def _with_words(annotation: Any, words: Words, version: Version) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return _union(_with_words(part, words, version) for part in get_args(annotation))
    if annotation is str:
        return Literal[version.kinds]
    if get_origin(annotation) is not Literal:
        return annotation
    marks = {word: words.mark_of(word) for word in get_args(annotation)}
    kept = tuple(word for word, mark in marks.items() if mark is None or mark.has(version))
    return Literal[kept] if kept else Never


def _union(parts: Iterable[Any]) -> Any:
    return reduce(or_, (part for part in parts if part is not Never))


def versions_with(location: Location, word: str | None = None) -> list[str]:
    """The versions whose retrieve request has a member at the location (see `request_body.Elsewhere`). The case of the
    member's name does not matter. The function loads all versions."""
    return accepting_versions(((version, version_of(version).request) for _, version in CONTRACTS), location, word)


def versions_with_kind(kind: str) -> list[str]:
    """The versions that have a kind of knowledge source, and definitions of it."""
    return sorted(version for version in versions_of("knowledgesources") if kind in version_of(version).kinds)


def accepting_versions(shapes: Iterable[tuple[str, Shape]], location: Location, word: str | None) -> list[str]:
    """The versions whose shape has a member at the location (see `request_body.Elsewhere`)."""
    names = [part.lower() for part in location if isinstance(part, str)]
    annotations = ((version, annotation) for version, shape in shapes for annotation in _annotations(shape, names))
    return sorted({version for version, annotation in annotations if word is None or _takes(annotation, word)})


@cache
def names_of(shape: Shape) -> Mapping[str, str]:
    """The property names on the wire of a shape and the shapes within it. The keys are the same names in lower case."""
    names: dict[str, str] = {}
    for name, field in shape.model_fields.items():
        alias = field.alias or name
        names[alias.lower()] = alias
        for inner_shape in shapes_in(field.annotation):
            names.update(names_of(inner_shape))
    return names


def _annotations(shape: Shape, names: list[str]) -> Iterator[Any]:
    """The types of the member to which the path of `names` leads. Yields nothing if the shape does not have this
    member."""
    name, *deeper = names
    for alias, field in shape.model_fields.items():
        if (field.alias or alias).lower() != name:
            continue
        if not deeper:
            yield field.annotation
        for inner_shape in shapes_in(field.annotation) if deeper else ():
            yield from _annotations(inner_shape, deeper)


def _takes(annotation: Any, word: str) -> bool:
    return any(argument == word or _takes(argument, word) for argument in get_args(annotation))


def shapes_in(annotation: Any) -> Iterator[Shape]:
    """The shapes inside a type annotation, e.g. the shape of the items of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from shapes_in(argument)
