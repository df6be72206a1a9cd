"""The marks of a member: the versions in which it is there; and the shape of one version.

A shape declares its members for all versions. A mark in the annotation of a member says in which versions the member is
there; a member without a mark is in every version. `shape_in` makes the shape of one version. A word of a `Literal` and
a type of a union may have marks too.
"""

import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, Never, Protocol, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, Field, create_model

from retrieval.contracts.azure.errors import is_none
from retrieval.contracts.later_versions import is_within
from retrieval.model.definitions import SourceKind


class Marked(Hashable, Protocol):
    """The facts about a version that marks read."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> tuple[SourceKind, ...]:
        """The kinds of knowledge sources that the version has."""

    @property
    def changes(self) -> Mapping[str, bool]:
        """The members, as `Shape.member`, that the version has or lacks whatever their marks say."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The versions that have a member."""

    has: Callable[[Marked], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The marks of the words of a `Literal`. A word without a mark is in every version."""

    mark_of: Callable[[str], Mark | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A validator that holds in the versions that the mark names, of a type within a list or a union."""

    validator: Any
    mark: Mark


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A required member without limits that the versions of the mark leave out if it is None."""

    mark: Mark


def since(*versions: str, until: tuple[str, ...] = ()) -> Mark:
    """The versions from the first preview and from the first GA version on, up to the last ones in `until`. If
    `versions` has no preview, no preview has the member; the same applies to GA versions."""
    return Mark(lambda version: is_within(version.name, since=versions, until=until))


def of_kind(kind: str) -> Mark:
    """The versions with a kind of knowledge source."""
    return Mark(lambda version: kind in version.kinds)


KIND: Final = Words(of_kind)
"""The words of a `Literal` of kinds. A shape whose `Literal` has no word left is in no union of the version. A `str`
becomes the `Literal` of all kinds of the version."""

Shape: TypeAlias = type[BaseModel]


@cache
def shape_in(shape: Shape, version: Marked, *, base: Shape | None = None) -> Any:
    """The shape of one version, under the name of the shape, with the configuration and the validators of `base`.
    Returns the shape itself if all of it is in the version, and Never if a `Literal` has no word left.

    A shape directly under BaseModel has no marks."""
    parents = (parent for parent in shape.__mro__[1:] if issubclass(parent, BaseModel))
    config = next(parent for parent in parents if not parent.model_fields)
    if config is BaseModel:
        return shape
    fields: dict[str, Any] = {}
    for name, field in shape.model_fields.items():
        is_there = all(mark.has(version) for mark in field.metadata if isinstance(mark, Mark))
        if version.changes.get(f"{shape.__name__}.{name}", is_there):
            annotation = _annotated(field.annotation, field.metadata, version)
            if annotation is Never:
                return Never
            leaves_out = any(rule.mark.has(version) for rule in field.metadata if isinstance(rule, LeftOut))
            fields[name] = (annotation, Field(exclude_if=is_none) if leaves_out else field)
    is_whole = fields.keys() == shape.model_fields.keys() and all(
        annotation is shape.model_fields[name].annotation for name, (annotation, _) in fields.items()
    )
    if is_whole and base is None:
        return shape
    return create_model(shape.__name__, __base__=base or config, __doc__=shape.__doc__, **fields)


def annotation_in(annotation: Any, version: Marked) -> Any:
    """The annotation with the parts that are in the version; Never if none is."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return shape_in(annotation, version)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _part(annotation, *arguments, version=version)
    if origin in (None, Literal):
        return annotation
    parts = [annotation_in(argument, version) for argument in arguments]
    if all(part is argument for part, argument in zip(parts, arguments, strict=True)):
        return annotation
    if origin in (Union, types.UnionType):
        return _union(part for part in parts if part is not Never)
    return origin[tuple(parts)]


def _part(annotation: Any, inner: Any, *metadata: Any, version: Marked) -> Any:
    """The type within an `Annotated`, with the metadata that is no mark; Never if a mark leaves the version out."""
    if not all(mark.has(version) for mark in metadata if isinstance(mark, Mark)):
        return Never
    part = _annotated(inner, metadata, version)
    kept = [rule.validator if isinstance(rule, Rule) else rule for rule in metadata if _is_kept(rule, version)]
    if part is inner and kept == list(metadata):
        return annotation
    return Annotated[part, *kept] if kept and part is not Never else part


def _is_kept(metadata: Any, version: Marked) -> bool:
    return metadata.mark.has(version) if isinstance(metadata, Rule) else not isinstance(metadata, Mark | Words)


def _annotated(annotation: Any, metadata: Iterable[Any], version: Marked) -> Any:
    """The annotation in the version, with the words of the `Literal` that the metadata leaves; Never for none."""
    for words in metadata:
        if isinstance(words, Words):
            return _with_words(annotation, words, version)
    return annotation_in(annotation, version)


def _with_words(annotation: Any, words: Words, version: Marked) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return _union(_with_words(part, words, version) for part in get_args(annotation))
    if annotation is str:
        return Literal[version.kinds]
    if get_origin(annotation) is not Literal:
        return annotation
    known = get_args(annotation)
    marks = ((word, words.mark_of(word)) for word in known)
    kept = tuple(word for word, mark in marks if mark is None or mark.has(version))
    return annotation if kept == known else Literal[kept] if kept else Never


def _union(parts: Iterable[Any]) -> Any:
    return reduce(or_, parts)
