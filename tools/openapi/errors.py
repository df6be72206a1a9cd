"""The sentences about errors, and the statuses of the errors that a route can answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from retrieval import errors
from retrieval.contracts.described import Description, Envelope
from retrieval.errors import RetrievalError

SENTENCES: Final[Mapping[type[RetrievalError], str]] = MappingProxyType(
    {
        errors.BadRequest: "The request breaks a rule of the contract; `target` names the member.",
        errors.NotAuthenticated: "No credential was sent, or the token is not valid.",
        errors.NotAuthorized: "The credential does not give the right to this operation, or the Host is not answered.",
        errors.NotFound: "The named resource does not exist.",
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


def statuses_of(description: Description) -> frozenset[int]:
    """The statuses of all errors that the route can answer."""
    statuses = frozenset(status for kind in description.failures for status in description.envelope.statuses(kind))
    return statuses | description.beside


def sentence(envelope: Envelope, status: int) -> str:
    """The description of the errors with this status."""
    sentences = {**SENTENCES, **envelope.own_sentences}
    kinds = [kind for kind in sentences if kind in envelope.kinds and status in envelope.statuses(kind)]
    return " ".join([*(sentences[kind] for kind in kinds), *filter(None, [envelope.beside.get(status)])])
