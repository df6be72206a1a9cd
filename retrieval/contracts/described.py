"""What a contract says of its routes for the OpenAPI document: shapes, bodies, answers, parameters and errors.

`description.py` of a contract's folder describes its routes, and `tools.openapi` builds the document from them. These
modules are not deployed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias

from retrieval import errors
from retrieval.contracts.azure import errors as azure_errors
from retrieval.errors import RetrievalError

JsonObject: TypeAlias = Mapping[str, Any]
Kinds: TypeAlias = tuple[type[RetrievalError], ...]


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


def stream(name: str, events: Mapping[str, Any]) -> Shape:
    """The shape of a stream of events. `events` has the type of the data of each event, by the event's name."""
    return Shape(name=name, events={event: answer_shape(f"{name}.{event}", type) for event, type in events.items()})


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


def answered(description: str, shape: Shape, **examples: Any) -> Mapping[int, DescribedResponse]:
    """The answers of a route that has no status but 200 and those of errors. `examples` are of the body, by name."""
    return {200: DescribedResponse(description=description, body=Body(shape=shape, examples=examples))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The form in which a contract answers errors of the classes `kinds`. The names of its responses begin with `name`.

    `statuses` returns the statuses of a class of errors. `headers` has the headers of an error, by its status. Some of
    these headers are not always sent. `beside` describes statuses that no class in `kinds` has. `own_sentences`
    describes errors and `own_headers` describes headers that only this envelope has. The examples of the body are for
    the status 400.
    """

    name: str
    body: Body
    kinds: Kinds
    statuses: Callable[[type[RetrievalError]], Collection[int]]
    headers: Mapping[int, tuple[str, ...]]
    beside: Mapping[int, str] = field(default_factory=dict)
    own_sentences: Mapping[type[RetrievalError], str] = field(default_factory=dict)
    own_headers: Mapping[str, JsonObject] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The description of a route: its request and its answers. `answers` has the answers by their status. `failures`
    are the classes of errors that the route can answer.

    `beside` are further statuses of errors. The envelope describes them. `credentials` are those that only this route
    takes, by name. `spellings` has the paths of a route whose template OpenAPI cannot express, each with its
    description.
    """

    id: str
    tag: str
    summary: str
    parameters: tuple[JsonObject, ...] = ()
    request: Body | None = None
    answers: Mapping[int, DescribedResponse]
    envelope: Envelope
    failures: Kinds
    beside: frozenset[int] = frozenset()
    credentials: Mapping[str, JsonObject] = field(default_factory=dict)
    spellings: Mapping[str, "Description"] = field(default_factory=dict)


def odata(description: Description) -> Description:
    """The description of the same route for the OData form of its address, which SDK clients use."""
    return replace(
        description, id=f"{description.id}Odata", summary=f"{description.summary} OData form of the address."
    )


def header(name: str, description: str) -> JsonObject:
    """A parameter in a header."""
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}


def in_path(name: str, description: str) -> JsonObject:
    """A parameter in the path."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }


NAME: Final = in_path("name", "Name of the agent.")
BASE_NAME: Final = in_path("name", "Name of the knowledge base.")
USER_TOKEN: Final = header(
    "x-ms-query-source-authorization", "The user's token, for document permissions; some agents require it."
)
REQUEST_ID: Final = header("x-ms-client-request-id", "An id that the caller chooses and the answer repeats.")

EVERY_ROUTE: Final[Kinds] = (errors.Fault, errors.NotAuthorized)
"""The errors that every route can answer. NotAuthorized is among them, because the host of a call may be refused. If
the deployment accepts the built-in API keys, only local hosts and the hosts in PUBLIC_HOSTS are accepted."""

PAGE: Final[Kinds] = (*EVERY_ROUTE, errors.NotFound)
ADMISSION: Final[Kinds] = (
    *EVERY_ROUTE,
    errors.NotConfigured,
    errors.NotAuthenticated,
    errors.BackendUnavailable,
    errors.BackendTimeout,
)
"""The errors of every route that needs a credential. The authority that issues tokens may be unavailable."""

LISTING: Final[Kinds] = (
    *ADMISSION,
    errors.BadRequest,
    errors.Overloaded,
    errors.BackendRefused,
    errors.BackendThrottled,
    errors.BackendForbidden,
    errors.BackendMisconfigured,
)
READING: Final[Kinds] = (*LISTING, errors.NotFound)
CREATION: Final[Kinds] = (*LISTING, errors.BodyTooLarge, errors.NothingIsKept, errors.AlreadyExists)
WRITING: Final[Kinds] = (*LISTING, errors.BodyTooLarge, errors.NothingIsKept, errors.PreconditionFailed)
DELETION: Final[Kinds] = (*READING, errors.NothingIsKept, errors.PreconditionFailed)
SOURCE_DELETION: Final[Kinds] = (*DELETION, errors.InUse)
RETRIEVAL: Final[Kinds] = (*READING, errors.BodyTooLarge)
RETRIEVAL_WITH_EVENTS: Final[Kinds] = (*RETRIEVAL, errors.NoEvents)


def status_of(kind: type[RetrievalError], table: Mapping[type[Exception], tuple[int, str]]) -> int:
    """The status of a class of errors in the table of a contract."""
    return next(table[ancestor][0] for ancestor in kind.__mro__ if ancestor in table)


def azure_statuses(kind: type[RetrievalError]) -> frozenset[int]:
    """The statuses of a class of errors in the contracts of Azure."""
    return frozenset({status_of(kind, azure_errors.STATUSES)})


REFUSAL: Final[JsonObject] = {
    "error": {
        "code": "InvalidRequest",
        "message": "The property 'messages' is required.",
        "target": "messages",
    }
}

AZURE: Final = Envelope(
    name="Error",
    body=Body(
        shape=answer_shape("Error", azure_errors.ErrorResponse),
        examples={"refused": REFUSAL},
    ),
    statuses=azure_statuses,
    kinds=tuple(dict.fromkeys((*CREATION, *WRITING, *SOURCE_DELETION, *RETRIEVAL_WITH_EVENTS))),
    headers={HTTPStatus.UNAUTHORIZED: ("WWW-Authenticate",), HTTPStatus.TOO_MANY_REQUESTS: ("Retry-After",)},
)
