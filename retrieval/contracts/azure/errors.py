"""Azure's error envelope, `{"error": {"code", "message", "target"?, "details"?}}`, and the status of each error."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import is_
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from retrieval import errors
from retrieval.contracts.rendered import Rendered, retry_after
from retrieval.errors import RetrievalError

is_none: Final[Callable[[object], bool]] = partial(is_, None)
"""Whether a member is None. Such a member is left out."""

Value = TypeVar("Value")
OptionalMember: TypeAlias = Annotated[Value | None, Field(default=None, exclude_if=is_none)]
"""A member that is left out if it is None. For example, `azureBlobParameters` is left out of sources of other kinds."""


class ErrorDetail(BaseModel):
    """One error. `details` has further errors of the same shape."""

    model_config = ConfigDict(defer_build=True)

    code: str
    message: str
    target: str | None = Field(default=None, exclude_if=is_none)
    details: list["ErrorDetail"] | None = Field(default=None, exclude_if=is_none)


class ErrorResponse(BaseModel):
    """The body of an error answer in Azure's format."""

    model_config = ConfigDict(defer_build=True)

    error: ErrorDetail


STATUSES: Final[Mapping[type[Exception], tuple[int, str]]] = {
    errors.BadRequest: (400, "InvalidRequest"),
    errors.OtherVersion: (400, "InvalidRequestParameter"),
    errors.BadFilter: (400, "InvalidFilter"),
    errors.UnsupportedVersion: (400, "UnsupportedApiVersion"),
    errors.NoEvents: (406, "NotAcceptable"),
    errors.NotAuthenticated: (401, "Unauthenticated"),
    errors.AccessError: (403, "Forbidden"),
    errors.NotFound: (404, "ResourceNotFound"),
    errors.MethodNotAllowed: (405, "MethodNotAllowed"),
    errors.AlreadyExists: (409, "ResourceNameAlreadyInUse"),
    errors.InUse: (409, "ResourceInUse"),
    errors.PreconditionFailed: (412, "PreconditionFailed"),
    errors.NothingIsKept: (501, "AgentStoreMissing"),
    errors.BodyTooLarge: (413, "RequestBodyTooLarge"),
    errors.Overloaded: (429, "TooManyRequests"),
    errors.NotConfigured: (503, "ServiceNotConfigured"),
    errors.Fault: (500, "InternalError"),
    errors.BadModelReply: (502, "UnusableModelReply"),
    errors.BackendThrottled: (429, "BackendThrottled"),
    errors.BackendTimeout: (504, "BackendTimeout"),
    errors.BackendRefused: (400, "BackendRefused"),
    errors.RankerAway: (503, "SemanticRankingUnavailable"),
    errors.BackendForbidden: (502, "BackendForbidden"),
    errors.BackendMisconfigured: (502, "BackendMisconfigured"),
    errors.BackendError: (502, "BackendUnavailable"),
}


OTHER_VERSION: Final = "InvalidAgentRetrievalRequest"
"""The code in the details of an `OtherVersion`, as in Azure's real answers."""


def status_and_code(error: Exception) -> tuple[int, str]:
    """The HTTP status and the code of an error. STATUSES has them by class. For a class that is not listed, the nearest
    base class in STATUSES counts.

    A RetrievalFailed gets the status and code that all its errors have. If these differ, it gets 502 and
    `RetrievalFailed`.
    """
    if isinstance(error, errors.RetrievalFailed):
        kinds = {status_and_code(failure) for failure in error.errors}
        return kinds.pop() if len(kinds) == 1 else (502, "RetrievalFailed")
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def detail(error: RetrievalError) -> ErrorDetail:
    """The shape of an error on the wire. The message of a NotConfigured is its `public_sentence`."""
    _, code = status_and_code(error)
    if isinstance(error, errors.NotConfigured):
        return ErrorDetail(code=code, message=error.public_sentence)
    target = error.target if isinstance(error, errors.BadRequest) else None
    return ErrorDetail(code=code, message=str(error), target=target, details=_details(error))


def render_error(error: RetrievalError) -> Rendered:
    """The answer for an error."""
    status, _ = status_and_code(error)
    body = ErrorResponse(error=detail(error)).model_dump_json()
    wait = retry_after(error)
    headers = {} if wait is None or status != 429 else {"Retry-After": str(math.ceil(wait))}
    if isinstance(error, errors.NotAuthenticated) and error.authority is not None:
        headers["WWW-Authenticate"] = _challenge(error, error.authority)
    if isinstance(error, errors.MethodNotAllowed):
        headers["Allow"] = ", ".join(error.allowed)
    return Rendered(status=status, body=body.encode("utf-8", "replace"), headers=headers)


def _challenge(error: errors.NotAuthenticated, authority: str) -> str:
    """The value of the header `WWW-Authenticate` in a 401 answer (RFC 6750, section 3, and RFC 9728). Azure's services
    name the authority in `authorization_uri`."""
    metadata = "" if error.metadata is None else f', resource_metadata="{error.metadata}"'
    error_part = "" if error.reason is None else ', error="invalid_token"'
    return f'Bearer authorization_uri="{authority}"{metadata}{error_part}'


def _details(error: RetrievalError) -> list[ErrorDetail] | None:
    inner: Sequence[RetrievalError] = error.details if isinstance(error, errors.BadRequest) else ()
    if isinstance(error, errors.RetrievalFailed):
        inner = error.errors
    details = [detail(fault) for fault in inner]
    if isinstance(error, errors.OtherVersion):
        details.insert(0, ErrorDetail(code=OTHER_VERSION, message=error.message, target=error.target))
    return details or None
