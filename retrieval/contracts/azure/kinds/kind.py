"""A kind of knowledge source, and the names of its members: in snake_case, as pydantic has them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from pydantic.alias_generators import to_snake

from retrieval.model.definitions import Source, SourceKind

Members: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How the parameters of a kind are shown and read, with the members of every version.

    `members` gives the parameters of a source. `read` gives the source with its parameters; it knows the name already.
    `check` raises BadRequest for parameters that do not go together.
    """

    members: Callable[[Source], Members]
    read: Callable[[Source, Members], Source]
    check: Callable[[Members], None]


def check_served(kind: str) -> None:
    """Raises ValueError for a kind that is none of ours."""
    if kind not in get_args(SourceKind):
        kinds = ", ".join(get_args(SourceKind))
        raise ValueError(f"knowledge sources of the kind {kind[:100]!r} are not served here; {kinds} are")


def parameters_of(kind: str) -> str:
    """The member of a definition that has the parameters of a kind."""
    return f"{to_snake(kind)}_parameters"


def arguments_of(kind: str) -> str:
    """The member of a record of activity that has the arguments of a search of a kind."""
    return f"{to_snake(kind)}_arguments"


def check_nothing(parameters: Members) -> None:
    """Checks nothing: the shape has every rule."""


def respell(value: Any, spell: Callable[[str], str]) -> Any:
    """The members of an object, and of what is in it, in another spelling; without those that are null."""
    if isinstance(value, Mapping):
        return {spell(name): respell(item, spell) for name, item in value.items() if item is not None}
    return [respell(item, spell) for item in value] if isinstance(value, list | tuple) else value
