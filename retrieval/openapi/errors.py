"""The envelopes of errors, and the errors that each kind of route can answer. Statuses come from the contracts."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval import errors
from retrieval.contracts.azure import errors as azure_errors
from retrieval.contracts.mcp.refusals import Refusal
from retrieval.contracts.model_studio import errors as studio_errors
from retrieval.errors import RetrievalError
from retrieval.openapi import examples
from retrieval.openapi.description import Body, Description, Envelope, answered

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

TOLD: Final[Kinds] = (errors.Fault, errors.NotAuthorized)
"""Of every route: while the built-in keys hold, a host that nobody named is refused."""

SHOWN: Final[Kinds] = (*TOLD, errors.NotFound)
SIGNED_IN: Final[Kinds] = (*SHOWN, errors.NotConfigured)
ADMITTED: Final[Kinds] = (
    *TOLD,
    errors.NotConfigured,
    errors.NotAuthenticated,
    errors.BackendUnavailable,
    errors.BackendTimeout,
)
"""Of every route that needs a credential: the authority that issued the token may be unavailable."""

EXAMINED: Final[Kinds] = (*ADMITTED, errors.Overloaded)
LISTED: Final[Kinds] = (
    *ADMITTED,
    errors.BadRequest,
    errors.Overloaded,
    errors.BackendRefused,
    errors.BackendThrottled,
    errors.BackendForbidden,
    errors.BackendMisconfigured,
)
READ: Final[Kinds] = (*LISTED, errors.NotFound)
CREATED: Final[Kinds] = (*LISTED, errors.BodyTooLarge, errors.NothingIsKept, errors.AlreadyExists)
WRITTEN: Final[Kinds] = (*LISTED, errors.BodyTooLarge, errors.NothingIsKept, errors.PreconditionFailed)
DELETED: Final[Kinds] = (*READ, errors.NothingIsKept, errors.PreconditionFailed)
UNUSED: Final[Kinds] = (*DELETED, errors.InUse)
RETRIEVED: Final[Kinds] = (*READ, errors.BodyTooLarge)
ASKED: Final[Kinds] = (*RETRIEVED, errors.NoEvents)
SIGNED: Final[Kinds] = (*RETRIEVED, errors.BadSignature, errors.NoWorkspace, errors.NoSuchCall)
TOOLS_USED: Final[Kinds] = RETRIEVED
TOOLS_REFUSED: Final[Kinds] = ADMITTED


def _azure(kind: type[RetrievalError]) -> frozenset[int]:
    return frozenset({_status(kind, azure_errors.STATUSES)})


def _model_studio(kind: type[RetrievalError]) -> frozenset[int]:
    if issubclass(kind, errors.BadSignature):
        return frozenset(status for status, _ in studio_errors.SIGNATURE_FAULTS.values())
    return frozenset({_status(kind, studio_errors.STATUSES)})


def _status(kind: type[RetrievalError], table: Mapping[type[Exception], tuple[int, str]]) -> int:
    return next(table[one][0] for one in kind.__mro__ if one in table)


AZURE: Final = Envelope(
    name="Error",
    body=Body(
        shape=answered("Error", azure_errors.ErrorResponse),
        examples={"refused": examples.REFUSED},
    ),
    statuses=_azure,
    kinds=tuple(dict.fromkeys((*CREATED, *WRITTEN, *UNUSED, *ASKED))),
    headers={HTTPStatus.UNAUTHORIZED: ("WWW-Authenticate",), HTTPStatus.TOO_MANY_REQUESTS: ("Retry-After",)},
)

MODEL_STUDIO: Final = Envelope(
    name="ModelStudioError",
    body=Body(
        shape=answered("ModelStudioError", studio_errors.ErrorResponse),
        examples={"refused": examples.REFUSED_PARAMETER},
    ),
    statuses=_model_studio,
    kinds=SIGNED,
    headers={HTTPStatus.TOO_MANY_REQUESTS: ("x-acs-retry-after",)},
)

REFUSED: Final = Body(
    shape=answered("McpError", Refusal),
    examples={"refused": {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "There is no session."}}},
)
MCP: Final = Envelope(
    name="McpError",
    body=REFUSED,
    statuses=_azure,
    kinds=RETRIEVED,
    headers=AZURE.headers,
    beside={
        HTTPStatus.NOT_ACCEPTABLE: "The Accept header lacks JSON or events; the protocol requires both.",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not sent as JSON.",
    },
)


def statuses_of(described: Description) -> frozenset[int]:
    """Every status of an error that the route can answer."""
    said = frozenset(status for kind in described.failures for status in described.envelope.statuses(kind))
    return said | described.beside


def sentence(envelope: Envelope, status: int) -> str:
    """The description of an error of that status."""
    kinds = [kind for kind in SENTENCES if kind in envelope.kinds and status in envelope.statuses(kind)]
    return " ".join([*(SENTENCES[kind] for kind in kinds), *filter(None, [envelope.beside.get(status)])])
