"""The envelopes of errors, and the errors that each kind of route can answer. The statuses come from the contracts."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval import errors
from retrieval.contracts.azure import errors as azure_errors
from retrieval.contracts.mcp.rpc_errors import Refusal
from retrieval.contracts.model_studio import errors as studio_errors
from retrieval.errors import RetrievalError
from tools.openapi import examples
from tools.openapi.description import Body, Description, Envelope, answer_shape

Kinds: TypeAlias = tuple[type[RetrievalError], ...]

SENTENCES: Final[Mapping[type[RetrievalError], str]] = MappingProxyType(
    {
        errors.BadRequest: "The request breaks a rule of the contract; `target` names the member.",
        errors.BadSignature: "The signature of the call does not hold.",
        errors.NotAuthenticated: "No credential was sent, or the token is not valid.",
        errors.NotAuthorized: "The credential does not give the right to this operation, or the Host is not answered.",
        errors.NotFound: "The named resource does not exist.",
        errors.NoWorkspace: "No workspace of that name is served here.",
        errors.NoSuchCall: "That operation is not served here.",
        errors.AlreadyExists: "A resource of that name exists already.",
        errors.InUse: "Agents or knowledge bases use it; they are named.",
        errors.PreconditionFailed: "The stored version does not meet If-Match or If-None-Match. Nothing was changed.",
        errors.NoEvents: "The caller accepts events alone, and this api-version has none.",
        errors.BodyTooLarge: "The body has more bytes than this service reads.",
        errors.Overloaded: "This instance has so many requests in flight that it takes no more.",
        errors.Fault: "A fault occurred in this service; its log has the trace under the request-id.",
        errors.NothingIsKept: "This deployment has no store for agents made at run time.",
        errors.NotConfigured: "This service is not configured; its log names the settings it lacks.",
        errors.BackendRefused: "A service behind this one refused the request.",
        errors.BackendThrottled: "A service behind this one asks for fewer calls.",
        errors.BackendForbidden: "A service behind this one does not accept this service's identity.",
        errors.BackendMisconfigured: "A service behind this one lacks what this deployment needs of it.",
        errors.BackendUnavailable: "A service behind this one failed or could not be reached.",
        errors.BackendTimeout: "A service behind this one did not answer in time.",
    }
)

EVERY_ROUTE: Final[Kinds] = (errors.Fault, errors.NotAuthorized)
"""The errors that every route can answer. NotAuthorized is among them, because the host of a call may be refused. If
the deployment accepts the built-in API keys, only local hosts and the hosts in PUBLIC_HOSTS are accepted."""

PAGE: Final[Kinds] = (*EVERY_ROUTE, errors.NotFound)
SIGN_IN_METADATA: Final[Kinds] = (*PAGE, errors.NotConfigured)
ADMISSION: Final[Kinds] = (
    *EVERY_ROUTE,
    errors.NotConfigured,
    errors.NotAuthenticated,
    errors.BackendUnavailable,
    errors.BackendTimeout,
)
"""The errors of every route that needs a credential. The authority that issues tokens may be unavailable."""

EXAMINATION: Final[Kinds] = (*ADMISSION, errors.Overloaded)
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
SIGNED_RETRIEVAL: Final[Kinds] = (*RETRIEVAL, errors.BadSignature, errors.NoWorkspace, errors.NoSuchCall)
TOOL_CALLS: Final[Kinds] = RETRIEVAL
TOOL_REFUSALS: Final[Kinds] = ADMISSION


def _azure(kind: type[RetrievalError]) -> frozenset[int]:
    return frozenset({_status(kind, azure_errors.STATUSES)})


def _model_studio(kind: type[RetrievalError]) -> frozenset[int]:
    if issubclass(kind, errors.BadSignature):
        return frozenset(status for status, _ in studio_errors.SIGNATURE_FAULTS.values())
    return frozenset({_status(kind, studio_errors.STATUSES)})


def _status(kind: type[RetrievalError], table: Mapping[type[Exception], tuple[int, str]]) -> int:
    return next(table[ancestor][0] for ancestor in kind.__mro__ if ancestor in table)


AZURE: Final = Envelope(
    name="Error",
    body=Body(
        shape=answer_shape("Error", azure_errors.ErrorResponse),
        examples={"refused": examples.REFUSAL},
    ),
    statuses=_azure,
    kinds=tuple(dict.fromkeys((*CREATION, *WRITING, *SOURCE_DELETION, *RETRIEVAL_WITH_EVENTS))),
    headers={HTTPStatus.UNAUTHORIZED: ("WWW-Authenticate",), HTTPStatus.TOO_MANY_REQUESTS: ("Retry-After",)},
)

MODEL_STUDIO: Final = Envelope(
    name="ModelStudioError",
    body=Body(
        shape=answer_shape("ModelStudioError", studio_errors.ErrorResponse),
        examples={"refused": examples.REFUSED_PARAMETER},
    ),
    statuses=_model_studio,
    kinds=SIGNED_RETRIEVAL,
    headers={HTTPStatus.TOO_MANY_REQUESTS: ("x-acs-retry-after",)},
)

MCP_REFUSAL: Final = Body(
    shape=answer_shape("McpError", Refusal),
    examples={"refused": {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "There is no session."}}},
)
MCP: Final = Envelope(
    name="McpError",
    body=MCP_REFUSAL,
    statuses=_azure,
    kinds=RETRIEVAL,
    headers=AZURE.headers,
    beside={
        HTTPStatus.NOT_FOUND: "The newest version of the protocol has no such method.",
        HTTPStatus.NOT_ACCEPTABLE: "The Accept header has neither JSON nor events.",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not sent as JSON.",
    },
)


def statuses_of(description: Description) -> frozenset[int]:
    """The statuses of all errors that the route can answer."""
    statuses = frozenset(status for kind in description.failures for status in description.envelope.statuses(kind))
    return statuses | description.beside


def sentence(envelope: Envelope, status: int) -> str:
    """The description of the errors with this status."""
    kinds = [kind for kind in SENTENCES if kind in envelope.kinds and status in envelope.statuses(kind)]
    return " ".join([*(SENTENCES[kind] for kind in kinds), *filter(None, [envelope.beside.get(status)])])
