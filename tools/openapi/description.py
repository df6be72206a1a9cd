"""The classes that describe a route for the document: its shapes, bodies, answers and errors."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from retrieval.errors import RetrievalError

JsonObject: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A type that pydantic can describe, and the name of its schema in the document.

    If `mode` is "serialization", the schema has the names with which members are written. `complete` means that a
    member is required unless an answer may leave it out, and that limits of values are left out.

    A shape may have one of these members instead of a type:

    - `variants`: a body has the shape of one of the variants
    - `items`: a body has a list of items of this shape. The list may be `paged`
    - `events`: a body is a stream of these events
    """

    name: str
    type: Any = None
    variants: tuple["Shape", ...] = ()
    items: "Shape | None" = None
    paged: bool = False
    events: Mapping[str, "Shape"] = field(default_factory=dict)
    mode: Literal["validation", "serialization"] = "validation"
    complete: bool = False


def answer_shape(name: str, type: Any) -> Shape:
    """The shape of an answer's body."""
    return Shape(name=name, type=type, mode="serialization", complete=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body with its examples, by name. `query` means that the members of the body may be in the query string instead.

    `events` is the shape of the stream of events that callers may ask for instead of this body.
    """

    shape: Shape
    examples: Mapping[str, Any] = field(default_factory=dict)
    media_types: tuple[str, ...] = ("application/json",)
    events: Shape | None = None
    query: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedResponse:
    """The answer of a route with one status."""

    description: str
    body: Body | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The form in which a contract answers errors of the classes `kinds`. The names of its responses begin with `name`.

    `statuses` returns the statuses of a class of errors. `headers` has the headers of an error, by its status. Some of
    these headers are not always sent. `beside` describes statuses that no class in `kinds` has. The examples of the
    body are for the status 400.
    """

    name: str
    body: Body
    kinds: tuple[type[RetrievalError], ...]
    statuses: Callable[[type[RetrievalError]], Collection[int]]
    headers: Mapping[int, tuple[str, ...]]
    beside: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The description of a route: its request and its answers. `answers` has the answers by their status. `failures`
    are the classes of errors that the route can answer.

    `beside` are further statuses of errors. The envelope describes them. `signed` means that callers may sign the call.
    """

    id: str
    tag: str
    summary: str
    parameters: tuple[JsonObject, ...] = ()
    request: Body | None = None
    answers: Mapping[int, DescribedResponse]
    envelope: Envelope
    failures: tuple[type[RetrievalError], ...]
    beside: frozenset[int] = frozenset()
    signed: bool = False


def odata(description: Description) -> Description:
    """The description of the same route for the OData form of its address, which SDK clients use."""
    return replace(
        description, id=f"{description.id}Odata", summary=f"{description.summary} OData form of the address."
    )
