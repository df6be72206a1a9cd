"""A kind of knowledge source. Members have names in snake_case, like the fields of the pydantic shapes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_snake

from retrieval.contracts.azure.request_body import Wire
from retrieval.model.definitions import Source
from retrieval.model.search import Page, Searched

Members: TypeAlias = Mapping[str, Any]
ObjectName: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
"""The name of an index, a field, a semantic configuration, a knowledge source or a Model Studio base."""


class Named(Wire):
    """A reference to a knowledge source, or to a field of an index, by its name alone."""

    name: ObjectName


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """The shapes of a kind that is no index of the search service: `definition` has the member of a definition with the
    parameters, `record` is the record of a search, and `reference` that of a document. `origin` is the member of a
    reference with the origin of its document. With `is_own` Azure does not have the kind."""

    definition: type[Wire]
    record: type[BaseModel]
    reference: type[BaseModel]
    origin: str = "origin"
    is_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The functions that show, read and check the parameters of a kind. They handle the members of all api-versions
    together.

    `members` gives the parameters of a source. `read` adds the parameters to a source that already has a name. `check`
    raises BadRequest if the parameters are not valid; None if their shape has all rules.

    A kind that is no index of the search service has `shapes`. `arguments` are those of the record of a search; None
    for those of a search in an index. `warnings` are further sentences about a page. Parameters of a request may state
    the kind `sampled_as` for a source of this kind. `refused` has the members of such parameters that this kind does
    not have, each with the reason. `free` are the properties of its parameters with names of the caller's own.
    A source of a kind that ignores the options of an index is called `ignoring` in the note that says so.
    `ways_out` has Azure's kinds that are not served, each with advice about this kind.
    """

    members: Callable[[Source], Members]
    read: Callable[[Source, Members], Source]
    check: Callable[[Members], None] | None = None
    shapes: Shapes | None = None
    arguments: Callable[[Searched], Members | None] | None = None
    warnings: Callable[[Page], Iterable[str]] | None = None
    sampled_as: str | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    free: frozenset[str] = frozenset()
    ignoring: str | None = None
    ways_out: Mapping[str, str] = field(default_factory=dict)


def parameters_of(kind: str) -> str:
    """The name of the member of a definition that has the parameters of a kind."""
    return f"{to_snake(kind)}_parameters"


def respell(value: Any, spell: Callable[[str], str]) -> Any:
    """The value. `spell` changes the names of its members, and members with a null are left out. This also applies to
    objects inside the value."""
    if isinstance(value, Mapping):
        return {spell(name): respell(item, spell) for name, item in value.items() if item is not None}
    return [respell(item, spell) for item in value] if isinstance(value, list | tuple) else value
