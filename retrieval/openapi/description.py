"""A route as the document describes it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from retrieval.errors import RetrievalError

JsonObject: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A type that pydantic knows, and the name of its schema in the document.

    With the `mode` "serialization" the members have the names with which they are written. `complete` means that a
    member is required even if it has a default, and that limits of values are left out. Instead of a type, a shape may
    have `variants`, of which a body has one; `items`, which are the values of a list that may be `paged`; or the
    `events` of a stream.
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
    """The shape of the body of an answer."""
    return Shape(name=name, type=type, mode="serialization", complete=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body with examples by name. `query` means that its members may be in the query string instead.

    `events` is the shape of the same body as a stream of events, for callers who ask for one.
    """

    shape: Shape
    examples: Mapping[str, Any] = field(default_factory=dict)
    media_types: tuple[str, ...] = ("application/json",)
    events: Shape | None = None
    query: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedResponse:
    """An answer of one status."""

    description: str
    body: Body | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The form in which a contract answers errors of `kinds`. The names of its responses begin with `name`.

    `statuses` gives the statuses of a class of errors. `headers` has the headers of an error by its status; some of
    them are not always sent. `beside` describes statuses without a class of errors. The body's examples are of the
    status 400.
    """

    name: str
    body: Body
    kinds: tuple[type[RetrievalError], ...]
    statuses: Callable[[type[RetrievalError]], Collection[int]]
    headers: Mapping[int, tuple[str, ...]]
    beside: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A route's request and answers. `answers` are by status; `failures` are the classes of errors that it can answer.

    `beside` are further statuses of its errors, which the envelope describes.
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
    """The description of the same route at the other form of its address, which SDK clients send."""
    return replace(
        description, id=f"{description.id}Odata", summary=f"{description.summary} OData form of the address."
    )
