"""The errors of this project. Most errors store their facts, and build their own sentence. The contracts map the
classes to HTTP statuses.

RetrievalError
├── BadRequest                  the caller's input breaks a rule of the contract
│   ├── BadFilter               a filter that cannot be read or is not allowed, with the position
│   ├── UnsupportedFilter       a filter that a target cannot express, with the construct
│   ├── UnsupportedVersion      an api-version that no contract module implements
│   ├── NoSuchSource            a definition refers to a knowledge source that does not exist
│   ├── NoEvents                events were asked for in an api-version that has none
│   └── BodyLost                the body was sent without its length, and arrived empty
├── BodyTooLarge                more bytes than this service reads
├── AccessError
│   ├── NotAuthenticated        no credential was sent, or the token is not valid
│   └── NotAuthorized           the credential does not give the right to this operation
├── NotFound                    no such agent, no such route, no such index
├── MethodNotAllowed            the address is served, but not for this method
├── AlreadyExists               the name of a new definition is already in use
├── InUse                       a knowledge source is in use and cannot be deleted
├── PreconditionFailed          the stored version is not the one that the caller requires
├── NothingIsKept               this deployment has no store for definitions made at run time
├── Overloaded                  this instance has so many requests in flight that it takes no more
│   └── LimitReached            an entry of LIMITS allows no more requests for now
├── NotConfigured               a setting of the deployment is missing or wrong
│   └── NotInstalled            the packages that LOCAL=1 needs are not installed
├── BadModelReply               the model's reply does not have the required form
├── BackendError                a service behind this one did not answer as it should
│   ├── BackendThrottled        it asks for fewer calls
│   ├── BackendTimeout          it did not answer in time
│   │   └── BackendLate         it usually answers sooner, so the call stopped waiting
│   ├── BackendRefused          it says that our request is wrong
│   ├── BackendForbidden        it does not accept this service's identity
│   ├── BackendMisconfigured    it answers, but lacks a thing that this deployment needs
│   ├── RankerAway              it searched, but did not rank every document
│   └── BackendUnavailable      it failed, could not be reached, or its answer cannot be read
│       ├── BackendUnanswered   it gave no complete answer
│       ├── BackendMissing      it does not have the requested thing
│       ├── BackendFailing      it failed every search of the last minute, for one cause
│       ├── BackendSuspended    it did not answer several times in a row, and is not called for a while
│       ├── UnreadableDefinitions    it keeps definitions that cannot be read
│       ├── MissingSources           it keeps definitions whose knowledge sources do not exist
│       ├── UnmatchedNames           it keeps no definition that a setting names
│       └── DifferingDefinitions     callers changed definitions of the configuration
├── RetrievalFailed             every sub-query failed, or a sub-query of a source with failOnError
└── Fault                       a bug in this service
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from retrieval.text.counted_noun import how_many, listed, listed_names

MOST_NAMED: Final = 20
"""The most names that a sentence lists."""


def with_members(name: str, members: Sequence[str]) -> str:
    """The name of a definition that cannot be read, with the members that are the reason, if any."""
    reason = f" (unknown or repeated: {listed_names(members, most=MOST_NAMED)})" if members else ""
    return f"{name[:128]!r}{reason}"


class RetrievalError(Exception):
    """The base class of the errors in this module."""


class BadRequest(RetrievalError):
    """The caller's input breaks a rule of the contract.

    `target` names the offending member, e.g. `messages[0].content`; `details` are further faults of the same request.
    """

    def __init__(self, message: str, *, target: str | None = None, details: Sequence["BadRequest"] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.target = target
        self.details = tuple(details)


class OtherVersion(BadRequest):
    """The request asks for a member, a value or a kind of knowledge source that other API versions have."""


class BadFilter(BadRequest):
    """A filter expression that cannot be read or is not allowed. `position` counts characters from 0."""

    def __init__(self, reason: str, *, position: int | None = None, target: str | None = None) -> None:
        at_position = "" if position is None else f" (at position {position})"
        super().__init__(f"Invalid filter expression: {reason}{at_position}", target=target)
        self.reason = reason
        self.position = position


class UnsupportedFilter(BadRequest):
    """The filter has a construct that `side`, for example Model Studio, cannot express."""

    def __init__(self, construct: str, *, side: str) -> None:
        super().__init__(f"{side} cannot express {construct}.")
        self.construct = construct


class UnsupportedVersion(BadRequest):
    """The api-version is missing, or no contract module implements it for this route. `elsewhere` are the routes that
    have the version."""

    def __init__(self, version: str | None, supported: Sequence[str], *, elsewhere: Sequence[str] = ()) -> None:
        sentence = (
            "The query parameter api-version is missing." if version is None else f"Unknown api-version {version!r}."
        )
        if elsewhere:
            sentence = f"The api-version {version!r} is served at {' and '.join(elsewhere)}, not here."
        super().__init__(f"{sentence} Supported here: {', '.join(supported)}.", target="api-version")


class NoSuchSource(BadRequest):
    """A definition refers to a knowledge source that does not exist."""

    def __init__(self, name: str, *, target: str | None = None) -> None:
        super().__init__(
            f"There is no knowledge source {name!r}. Create it first, then what refers to it.", target=target
        )


class NoEvents(BadRequest):
    """The caller accepts only events, but the api-version has none."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"The api-version {version!r} cannot answer with events. Send Accept: application/json.", target="Accept"
        )


class BodyLost(BadRequest):
    """The body was sent in chunks, without its length, and arrived empty: the Functions host may drop such a body."""

    def __init__(self) -> None:
        super().__init__(
            "The body arrived empty. It was sent in chunks (Transfer-Encoding: chunked), without its length. "
            "The Functions host may drop such a body, and `func start` always does: send Content-Length.",
            target="body",
        )


class BodyTooLarge(RetrievalError):
    """The body has more bytes than this service reads."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The request body is larger than {limit} bytes.")


class AccessError(RetrievalError):
    """The call is refused because of its credential, signature, Host or Origin."""


class NotAuthenticated(AccessError):
    """The request has no credential that this service reads, or its token is not valid (`reason`).

    `authority` is the address that issues tokens for this service; None if no tenant is configured. `unread` says that
    a bearer token was sent, but is none of the keys. `metadata` is the address that tells clients where to sign in,
    where the contract has one.
    """

    metadata: str | None = None

    def __init__(self, *, reason: str | None = None, authority: str | None = None, unread: bool = False) -> None:
        ways = "a key in the api-key header" + ("" if authority is None else ", or a bearer token")
        fault = "The bearer token is none of this service's keys." if unread else "No credential was sent."
        super().__init__(f"{fault} Send {ways}." if reason is None else f"The bearer token is not accepted: {reason}.")
        self.reason = reason
        self.authority = authority


class NotAuthorized(AccessError):
    """The credential, the Host or the Origin does not allow this operation."""

    def __init__(self, reason: str = "The api-key that was sent is not accepted here.") -> None:
        super().__init__(reason)


class NotFound(RetrievalError):
    """There is no thing of that `kind` with that `name`."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"No {kind} with the name {name!r} was found in this service.")


class MethodNotAllowed(RetrievalError):
    """The address is served, but not for `method`; `allowed` are the methods that it is served for."""

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        methods = ", ".join(allowed)
        super().__init__(f"The method {method[:20]!r} is not served at this address. Served: {methods}.")
        self.allowed = tuple(allowed)


class AlreadyExists(RetrievalError):
    """A thing of that `kind` with that `name` exists already."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"The {kind} {name!r} already exists.")


class InUse(RetrievalError):
    """A knowledge source cannot be deleted: `users` are the names of the agents and knowledge bases that search it."""

    def __init__(self, name: str, users: Sequence[str]) -> None:
        super().__init__(
            f"The knowledge source {name!r} cannot be deleted while agents or knowledge bases use it: "
            f"{listed_names(users, most=MOST_NAMED)}. Delete these first, or take it out of them."
        )


class PreconditionFailed(RetrievalError):
    """The definition stored under `name` is not the version that the caller requires; nothing was changed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The precondition of the request does not hold for {name!r}. Nothing was changed.")


class NothingIsKept(RetrievalError):
    """This deployment has no store for agents that are defined at run time. Its agents come only from the
    configuration."""

    def __init__(self) -> None:
        super().__init__("Agents of this deployment cannot be changed at run time: the setting AGENTS_STORE is empty.")


class Overloaded(RetrievalError):
    """This instance has so many requests in flight that it takes no more.

    If `seconds` is given, the instance could not answer another request within that time. `retry_after` is in seconds.
    `count` is the number of requests; None hides it from callers whose credential was not checked.
    """

    def __init__(self, count: int | None, *, retry_after: int, seconds: float | None = None) -> None:
        lateness = "" if seconds is None else f" and would not answer another one within {seconds:.1f} s"
        load = "as many requests as it can" if count is None else how_many(count, "request")
        super().__init__(f"This instance already serves {load}{lateness}. Try again in {retry_after} s.")
        self.retry_after = retry_after


class Problem(NamedTuple):
    """A fault of a deployment.

    `setting` is the setting to look at; "" where there is none. `fault` is the kind of fault: the setting has no value,
    its value must not be used, or something else does not fit its value.
    """

    setting: str
    sentence: str
    fault: Literal["missing", "wrong", "unfitting"] = "wrong"


Window: TypeAlias = Literal["minute", "day"]
"""The period of a limit."""


class LimitReached(Overloaded):
    """The entry `name` of LIMITS allows no more requests in this minute or day."""

    def __init__(self, name: str, *, most: int, window: Window, retry_after: int) -> None:
        RetrievalError.__init__(
            self, f"This credential may ask {how_many(most, 'time')} a {window}. Try again in {retry_after} s."
        )
        self.name = name
        self.most = most
        self.window = window
        self.retry_after = retry_after


class NotConfigured(RetrievalError):
    """Settings of the deployment are missing or wrong. `sentences` are for the log; `public_sentence` is for callers.

    A problem given as a sentence alone belongs to no setting.
    """

    public_sentence = "This service is not configured. Its log names the settings it lacks."

    def __init__(self, problems: Sequence[Problem | str]) -> None:
        self.problems = tuple(Problem("", entry) if isinstance(entry, str) else entry for entry in problems)
        super().__init__("This service is not configured: " + " ".join(self.sentences))

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(problem.sentence for problem in self.problems)


class NotInstalled(NotConfigured):
    """LOCAL=1 is set, but the packages that it needs are not installed. The callers are developers, so
    `public_sentence` names the packages."""

    def __init__(self, missing: Sequence[str]) -> None:
        self.public_sentence = (
            f"LOCAL=1 needs packages that are not installed ({', '.join(missing)}): "
            'run pip install ".[local]" in this folder.'
        )
        super().__init__([self.public_sentence])


Ended: TypeAlias = Literal["length", "content filter", "refusal"]
"""What can cut a model's reply off."""


class BadModelReply(RetrievalError):
    """The model's reply does not have the required form. `ended` says what cut the reply off, if anything did."""

    def __init__(self, reason: str, *, ended: Ended | None = None) -> None:
        super().__init__(f"The model's reply cannot be used: {reason}.")
        self.reason = reason
        self.ended = ended


class BackendError(RetrievalError):
    """A service behind this one did not answer as it should. `service` is its name in sentences. `status` is an HTTP
    status, usually that of its answer; None if no status is known. `detail` says more about the cause, in one of few
    words; None if nothing more is known."""

    detail: str | None = None

    def __init__(self, service: str, reason: str, *, status: int | None = None) -> None:
        super().__init__(f"{service} {reason}")
        self.service = service
        self.reason = reason
        self.status = status


class BackendThrottled(BackendError):
    """The service asks for fewer calls. `retry_after` is in seconds; None if it is not known."""

    def __init__(self, service: str, *, retry_after: float | None = None) -> None:
        super().__init__(service, "is throttling this service (429 Too Many Requests).", status=429)
        self.retry_after = retry_after


class BackendTimeout(BackendError):
    """The service did not answer within `seconds`."""

    sentence = "did not answer within {:.1f} s."

    def __init__(self, service: str, *, seconds: float) -> None:
        super().__init__(service, self.sentence.format(seconds))


class BackendLate(BackendTimeout):
    """The call gave up a search, because the service usually answers much sooner. At least half of the searches of the
    same round were answered by then."""

    sentence = "was given up after {:.1f} s: it usually answers much sooner, and the other searches were answered."


Refusal: TypeAlias = Literal["content filter", "context length", "unsupported parameter"]
"""The known reasons why a model refuses a prompt."""


class BackendRefused(BackendError):
    """The service says that our request is wrong. `code` is the service's error code. If the refusal of a search has no
    code (None), `message` does not quote the filter. `of` is the reason of a model, if it is known.
    """

    status: int

    def __init__(
        self, service: str, *, status: int, message: str, code: str | None = None, of: Refusal | None = None
    ) -> None:
        super().__init__(service, f"refused the request ({status}): {message}", status=status)
        self.message = message
        self.code = code
        self.detail = of


class BackendForbidden(BackendError):
    """The service does not accept this service's identity. `hint` tells the deployer what to do."""

    status: int

    def __init__(self, service: str, *, status: int, hint: str) -> None:
        super().__init__(service, f"does not accept this service's identity ({status}). {hint}", status=status)
        self.hint = hint


Lack: TypeAlias = Literal[
    "ranker", "configuration", "field", "vectorizer", "quota", "deployment", "model", "address", "context"
]
"""The things that a deployment needs and a service may lack."""

LACKS: Final[Mapping[Lack, str]] = {
    "ranker": "semantic ranking is off, or not in its tier",
    "configuration": "the semantic configuration is not there",
    "field": "a field is not there, or not as it is used",
    "vectorizer": "it cannot vectorize a query",
    "quota": "its quota is used up",
    "deployment": "there is no such deployment of a model",
    "model": "the model is retired, or is none for chat",
    "address": "nothing is at the address",
    "context": "its context is too small for the prompt",
}


class BackendMisconfigured(BackendError):
    """The service answers, but lacks a thing that this deployment needs.

    `lack` names the thing. `hint` tells the deployer what to do. `message` is what the service said, if it said why.
    """

    def __init__(self, service: str, *, status: int | None, lack: Lack, hint: str, message: str = "") -> None:
        said = "" if status is None else f" ({status})"
        super().__init__(service, f"lacks what this deployment needs{said}: {LACKS[lack]}. {hint}", status=status)
        self.lack = self.detail = lack
        self.hint = hint
        self.message = message


class RankerAway(BackendError):
    """The service searched, but did not rank every document that it found. `cause` is the service's reason."""

    def __init__(self, service: str, *, cause: str) -> None:
        super().__init__(service, f"did not rank every document: {cause}. Unranked documents follow the ranked ones.")
        self.cause = cause


Trouble: TypeAlias = Literal["tool", "error", "version", "output", "unmarked", "host", "private address", "header"]
"""The known things that keep an MCP server from answering, beside a status."""


class BackendUnavailable(BackendError):
    """The service failed, could not be reached, or its answer cannot be read. `of` is the fault of an MCP server, if it
    is known."""

    def __init__(self, service: str, reason: str, *, status: int | None = None, of: Trouble | None = None) -> None:
        super().__init__(service, reason, status=status)
        self.detail = of


Why: TypeAlias = Literal["name", "refused", "certificate", "cut", "address", "unreadable", "size", "timed out"]
"""The reasons why no answer came, or why the answer was not read."""


class BackendUnanswered(BackendUnavailable):
    """The service gave no complete and readable answer."""

    def __init__(self, service: str, reason: str, *, why: Why) -> None:
        super().__init__(service, reason)
        self.why = self.detail = why

    @property
    def may_pass(self) -> bool:
        """Whether the next attempt may succeed."""
        return self.why in {"name", "refused", "cut"}


class BackendMissing(BackendUnavailable):
    """The service does not have the requested thing. `kind` is the kind of thing, and `hint` tells the deployer what to
    do."""

    def __init__(self, service: str, *, kind: str, hint: str = "") -> None:
        super().__init__(service, f"has no such {kind} (404). {hint}".rstrip(), status=404)


class BackendFailing(BackendUnavailable):
    """Every search of the last minute in `place` failed for the same cause. `cause` is the latest error."""

    def __init__(self, cause: BackendError, place: "Place") -> None:
        super().__init__(cause.service, f"failed every search of the last minute: {cause.reason}", status=cause.status)
        self.cause = cause
        self.place = place


class BackendSuspended(BackendUnavailable):
    """The service did not answer `times` times in a row. It is not called again for `seconds`; 0 means that a trial
    call is running."""

    def __init__(self, service: str, *, times: int, seconds: float) -> None:
        next_call = "is being asked again now" if seconds <= 0 else f"is asked again in {seconds:.0f} s"
        super().__init__(service, f"did not answer {times} times running and {next_call}.")


class UnreadableDefinitions(BackendUnavailable):
    """The definitions that the store keeps under `names` cannot be read. Other definitions can be read, but an agent
    that uses an unreadable source is not served. `members` has the members that are unknown or repeated, by the name of
    the definition."""

    def __init__(
        self,
        service: str,
        names: Sequence[str],
        *,
        kind: str = "agent",
        members: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        shown = listed([with_members(name, members.get(name, ())) for name in names], most=MOST_NAMED)
        remedy = "Delete or replace them" + (", or run the release that wrote them." if any(members.values()) else ".")
        super().__init__(service, f"keeps definitions that are not {kind}s: {shown}. {remedy}")


class MissingSources(BackendUnavailable):
    """The store lacks knowledge sources. Each of `pairs` has the name of an agent and the name of a source that the
    agent needs. The filter of a missing source is unknown, so an agent that needs the source is not served.
    """

    def __init__(self, service: str, pairs: Sequence[tuple[str, str]]) -> None:
        shown = listed([f"{source!r} of {agent!r}" for agent, source in pairs], most=MOST_NAMED)
        super().__init__(service, f"lacks knowledge sources: {shown}. Create them, or replace what names them.")


class DifferingDefinitions(BackendUnavailable):
    """Callers have changed the definitions that the store keeps under `names`. So the definitions of the configuration
    with these names are not in force."""

    def __init__(self, service: str, names: Sequence[str]) -> None:
        shown = listed_names(names, most=MOST_NAMED)
        super().__init__(service, f"keeps {shown} as changed at run time, not as the configuration has it.")


class UnmatchedNames(BackendUnavailable):
    """Access settings contain names that no definition in the store has. `sentences` have the names."""

    def __init__(self, service: str, sentences: Sequence[str]) -> None:
        super().__init__(service, f"has no such definitions: {' '.join(sentences)}")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a sub-query: an index, and the knowledge source that names it."""

    index: str
    source: str


class RetrievalFailed(RetrievalError):
    """Every sub-query failed, or one of a knowledge source with failOnError. `errors` has the errors in the plan's
    order. With `of`, `errors` has only the errors of knowledge sources with failOnError, and `of` is the number of all
    sub-queries.
    """

    def __init__(self, errors: Sequence[BackendError], *, places: Sequence[Place] = (), of: int | None = None) -> None:
        reasons = dict.fromkeys(str(error) for error in errors)
        failed, most = len(errors), how_many(len(errors) if of is None else of, "sub-query")
        total_failure = f"All {most} failed. " if failed > 1 else f"{most} failed. "
        required_failure = f"{failed} of {most} failed, in a knowledge source that has failOnError. "
        super().__init__((total_failure if of is None else required_failure) + " ".join(reasons))
        self.errors = tuple(errors)
        self.places = tuple(places)


class Fault(RetrievalError):
    """A bug in this service. The log has the trace; the answer does not."""

    def __init__(self) -> None:
        super().__init__("A fault occurred in this service. Its log has the trace under this answer's request-id.")
