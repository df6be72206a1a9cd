"""JSON-RPC errors that this service writes itself, because no tool and not the `mcp` package writes them. `tools`
writes the error of a tool, which is a result with `isError`.

The HTTP status is the same as on the other routes. But NotFound and Fault get the status 200 if the message has an id.
The body is a JSON-RPC error, because clients show the message of such an error. If the body is anything else, clients
show at most the status.
"""

from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from retrieval import errors
from retrieval.contracts.azure.errors import ErrorDetail, detail
from retrieval.contracts.azure.errors import render_error as render_azure_error
from retrieval.contracts.rendered import Rendered
from retrieval.errors import RetrievalError
from retrieval.text import strict_json

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INTERNAL_ERROR: Final = -32603
OK: Final = 200

Id: TypeAlias = str | int | None


class Message(BaseModel):
    """The base class of messages of JSON-RPC and their parts."""

    model_config = ConfigDict(defer_build=True)


class Versions(Message):
    """The data of the error for an unknown protocol version."""

    supported: tuple[str, ...]
    requested: str


class RpcError(Message):
    """The error. If this service writes the error, `data` is the error detail of the other routes, the supported
    versions, or absent. If the `mcp` package writes the error, `data` may be a string or another object."""

    code: int
    message: str
    data: ErrorDetail | Versions | str | dict[str, Any] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )


class Refusal(Message):
    """A JSON-RPC error. `id` is null if the message has no valid id, and in most errors of this service."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: Id = None
    error: RpcError


class Result(Message):
    """The answer of the `mcp` package to a request that succeeds."""

    jsonrpc: Literal["2.0"]
    id: str | int
    result: dict[str, Any]


Answer: TypeAlias = Result | Refusal | list[Result | Refusal]
"""The answer to one message, or to a batch of messages."""


def refuse(
    message: str, *, code: int = INVALID_REQUEST, id: Id = None, data: ErrorDetail | Versions | None = None
) -> bytes:
    """The JSON of an error with this message."""
    error = RpcError(code=code, message=message, data=data)
    return Refusal(id=id, error=error).model_dump_json().encode("utf-8", "replace")


def render_error(error: RetrievalError, body: bytes) -> Rendered:
    """The error answer to a whole call. If the error is NotFound or Fault and the message has an id, the answer has
    that id and the status 200. Clients would take a 404 as the end of their session, and would not show the error."""
    response = render_azure_error(error)
    id = _id(body) if isinstance(error, errors.NotFound | errors.Fault) else None
    error_detail = detail(error)
    code = INVALID_REQUEST if response.status < 500 else INTERNAL_ERROR
    body = refuse(error_detail.message, code=code, id=id, data=error_detail)
    return Rendered(status=response.status if id is None else OK, headers=response.headers, body=body)


def _id(body: bytes) -> Id:
    try:
        return id_of(strict_json.read_body(body))
    except ValueError:
        return None


def id_of(value: object) -> Id:
    """The id of a message. None if the message has no valid id."""
    id = value.get("id") if isinstance(value, dict) else None
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None
