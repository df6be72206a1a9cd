"""A route as the document describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A type that pydantic knows, and the name of its schema in the document.

    With `mode` "serialization" names are those that are written. `whole` means that every member is there, as in
    answers, whether or not it has a default.
    """

    name: str
    type: Any
    mode: Literal["validation", "serialization"] = "validation"
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body with examples by name. `query` means that its members may stand in the query string instead."""

    shape: Shape
    examples: Mapping[str, Any] = field(default_factory=dict)
    media_types: tuple[str, ...] = ("application/json",)
    query: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of one status."""

    description: str
    body: Body | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a route takes and gives. `answers` by status, `error` for every other status."""

    id: str
    tag: str
    summary: str
    parameters: tuple[JsonObject, ...] = ()
    request: Body | None = None
    answers: Mapping[int, Answer]
    error: Body
    signed: bool = False
