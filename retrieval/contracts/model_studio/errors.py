"""The error envelope of Model Studio, and the documented status and code of each error.

The SDK chooses the exception by the status, and shows `Code`, `Message` and `RequestId`. If an answer has the header
`x-acs-retry-after`, the SDK reports throttling. The value is in milliseconds. The SDK reads only JSON.
"""

import math
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_pascal

from retrieval import errors
from retrieval.contracts.model_studio.refusals import BadSignature, NoSuchCall, NoWorkspace, SignatureFault
from retrieval.contracts.rendered import Rendered, retry_after
from retrieval.errors import RetrievalError

MISSING_OR_INVALID: Final = "Required parameter({}) missing or invalid, please check the request parameters. {}"
THROTTLED: Final = 429


class ErrorResponse(BaseModel):
    """The body of an error answer."""

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True)

    code: str
    message: str
    request_id: str
    status: str
    success: bool = False


STATUSES: Final[Mapping[type[Exception], tuple[int, str]]] = {
    errors.BadRequest: (400, "Index.InvalidParameter"),
    errors.BodyTooLarge: (413, "Index.InvalidParameter"),
    errors.NotAuthenticated: (400, "IncompleteSignature"),
    errors.AccessError: (403, "AccessDenied"),
    errors.NotFound: (404, "Index.NotExist"),
    NoWorkspace: (403, "Index.NoWorkspacePermissions"),
    NoSuchCall: (404, "InvalidApi.NotFound"),
    errors.MethodNotAllowed: (405, "UnsupportedHTTPMethod"),
    errors.Overloaded: (THROTTLED, "Throttling.User"),
    errors.NotConfigured: (503, "ServiceUnavailable"),
    errors.BackendThrottled: (THROTTLED, "Throttling.User"),
    errors.BackendRefused: (400, "Index.InvalidParameter"),
    errors.BackendError: (503, "ServiceUnavailable"),
    errors.RetrievalError: (500, "InternalError"),
}

SIGNATURE_FAULTS: Final[Mapping[SignatureFault, tuple[int, str]]] = {
    "incomplete": (400, "IncompleteSignature"),
    "key": (404, "InvalidAccessKeyId.NotFound"),
    "mismatch": (400, "SignatureDoesNotMatch"),
    "date": (400, "InvalidTimeStamp.Format"),
    "expired": (400, "InvalidTimeStamp.Expired"),
    "replayed": (400, "SignatureNonceUsed"),
}


def render_error(error: RetrievalError, *, request_id: str) -> Rendered:
    """Renders the answer to an error."""
    status, code = status_and_code(error)
    body = ErrorResponse(code=code, message=_message(error), request_id=request_id, status=str(status))
    seconds = retry_after(error)
    wait = {"x-acs-retry-after": str(math.ceil((1.0 if seconds is None else seconds) * 1000))}
    content = body.model_dump_json(by_alias=True)
    allow = {"Allow": ", ".join(error.allowed)} if isinstance(error, errors.MethodNotAllowed) else {}
    headers = {"x-acs-request-id": request_id, **(wait if status == THROTTLED else {}), **allow}
    return Rendered(status=status, body=content.encode("utf-8", "replace"), headers=headers)


def status_and_code(error: Exception) -> tuple[int, str]:
    """The HTTP status and the code of an error, by its class or its nearest base class in the table. A RetrievalFailed
    gets the status and code of its errors, or 503 `ServiceUnavailable` if they differ. A BadSignature gets those of its
    fault."""
    if isinstance(error, errors.RetrievalFailed):
        kinds = {status_and_code(failure) for failure in error.errors}
        return kinds.pop() if len(kinds) == 1 else (503, "ServiceUnavailable")
    if isinstance(error, BadSignature):
        return SIGNATURE_FAULTS[error.fault]
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def _message(error: RetrievalError) -> str:
    """The message of an error. For NotConfigured, it is the sentence for callers."""
    if isinstance(error, errors.NotConfigured):
        return error.public_sentence
    if isinstance(error, errors.BadRequest):
        return MISSING_OR_INVALID.format(error.target or "SearchFilters", error.message)
    if isinstance(error, errors.RetrievalFailed):
        return " ".join(dict.fromkeys(map(_message, error.errors)))
    return str(error)
