"""A call as the Functions host passes it, its API version, and the headers that all contracts share.

RFC 9110, section 12.5.1, defines the Accept header.

`check_host` checks the Host header of a call if the published keys of LOCAL=1 are accepted. The owner of a web page can
make the page's domain name point to this machine (DNS rebinding). The browser then treats calls to this service as
calls to the page's own origin, so the page can read every answer. But the page cannot change the Host header, which
contains the page's domain name.
"""

import logging
import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from ipaddress import ip_address
from typing import Final, TypeAlias, TypedDict

from retrieval.contracts.rendered import Rendered
from retrieval.contracts.served_versions import SERVED, VERSIONS, served_as
from retrieval.errors import BodyLost, BodyTooLarge, NotAuthorized, NotFound
from retrieval.http.cors import answer_headers
from retrieval.telemetry import names
from retrieval.telemetry.spans import count

LARGEST_BODY: Final = 1_048_576
API_VERSION: Final = "api-version"

EVENTS: Final = "text/event-stream"
JSON: Final = ("application/json", "application/*", "*/*")
"""The media ranges of JSON, the most precise first."""
LONGEST_ACCEPT: Final = 4_096

HOST: Final = "host"
EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})
"""A service that listens on one of these addresses can be called at any address of its machine. Calls to any IP address
are then accepted, because DNS rebinding needs a domain name."""
_HOST_FORM: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")

_REQUEST_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")
_WEIGHT: Final = re.compile(r"[0-9]?(?:\.[0-9]*)?")

_Rank: TypeAlias = tuple[float, int]
"""The weight of a media range, and minus its place in the header. The higher rank is preferred."""

LONGEST_NAME: Final = 128
"""The most characters of a definition's name in a 404 answer."""

_COLLECTION: Final = re.compile(r"/knowledge(base|source)s(?:[(/]|$)", re.IGNORECASE)


class OfEveryCall(TypedDict):
    """The fields of `Call` that are the same for every call of a deployment."""

    cors_origins: Set[str]
    exposed_headers: str
    hosts: Set[str] | None
    strict_versions: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of this service.

    The names in `headers` and `query` are in lower case. `route` has the values of the route's parameters. `path` is
    the path of the address as the caller sent it. `origin` is the scheme and host. The Functions host joins repeated
    query parameters and drops empty ones; `raw_query` still has all of them, percent-encoded. `cors_origins` are the
    origins whose pages may call, and `exposed_headers` are the headers of an answer that these pages may read. `hosts`
    are the accepted hosts in addition to loopback; None means every host. If another version is served,
    `unknown_version` is the caller's version, and `query` has the served version.
    """

    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    route: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    origin: str = ""
    path: str = ""
    raw_query: str = ""
    request_id: str = ""
    cors_origins: Set[str] = frozenset()
    exposed_headers: str = ""
    hosts: Set[str] | None = None
    strict_versions: bool = False
    unknown_version: str | None = None

    @property
    def version(self) -> str:
        """The api-version that the caller wrote; empty if there is none."""
        return self.unknown_version or self.query.get(API_VERSION, "")

    @property
    def client_id(self) -> str:
        """The caller's own id of the call, from `x-ms-client-request-id`; empty if there is none, or none that can be
        echoed."""
        client_id = self.headers.get("x-ms-client-request-id", "")
        return client_id if _REQUEST_ID.fullmatch(client_id) else ""

    def with_served_version(self, versions: Collection[str]) -> "Call":
        """The call with a version that this service has, if the caller's version is later than all known versions.
        Other calls are returned unchanged. `versions` are the versions of the route. With `strict_versions` every call
        is returned unchanged, so that an unknown version is refused later.
        """
        own_version = self.query.get(API_VERSION, "")
        is_kept = self.strict_versions or not versions or own_version in versions
        served_version = None if is_kept else served_as(own_version, VERSIONS)
        if served_version is None or served_version not in versions:
            return self
        return replace(self, query={**self.query, API_VERSION: served_version}, unknown_version=own_version)

    @property
    def said(self) -> bytes:
        """The query and the body."""
        return self.raw_query.encode() + self.body

    @property
    def wants_events(self) -> bool:
        """Whether the caller names `text/event-stream` with a weight above zero; `*/*` and `text/*` do not name it."""
        return self._accepts(EVENTS)

    @property
    def prefers_events(self) -> bool:
        """Whether the caller wants events and ranks JSON lower: with a lower weight, with the same weight and later in
        the header, or not at all. The most precise media range of JSON counts."""
        json = next((self._ranks[kind] for kind in JSON if kind in self._ranks), None)
        return self.wants_events and (json is None or self._ranks[EVENTS] > json)

    @property
    def takes_json(self) -> bool:
        """Whether the caller accepts JSON. A caller that does not name events always accepts JSON."""
        return any(map(self._accepts, JSON)) or not self.wants_events

    def _accepts(self, kind: str) -> bool:
        return kind in self._ranks and self._ranks[kind][0] > 0

    @property
    def _ranks(self) -> Mapping[str, _Rank]:
        return _media_ranges(self.headers.get("accept", "")[:LONGEST_ACCEPT])


@lru_cache(maxsize=32)
def _media_ranges(accept: str) -> Mapping[str, _Rank]:
    """The rank of each media range. A repeated range has its highest rank."""
    ranks: dict[str, _Rank] = {}
    for place, range in enumerate(accept.lower().split(",")):
        kind, *parameters = (part.strip() for part in range.split(";"))
        rank = (min(map(_weight, parameters), default=1.0), -place)
        ranks[kind] = max(ranks.get(kind, rank), rank)
    return ranks


def _weight(parameter: str) -> float:
    """The weight that a parameter states, at most 1. It is 1 if the parameter states no readable weight."""
    name, _, value = map(str.strip, parameter.partition("="))
    if name != "q" or not _WEIGHT.fullmatch(value):
        return 1.0
    return min(float(value), 1.0) if value.strip("0.") else 0.0


def check_host(headers: Mapping[str, str], *, named: Collection[str] | None) -> None:
    """Accept calls to loopback names and to the hosts in `named`, with or without a port. If `named` is None, every
    host is accepted.

    A call without a Host header is accepted, because it does not come from a browser. `headers` has lower-case names.
    Raises NotAuthorized.
    """
    host = headers.get(HOST)
    if named is None or host is None:
        return
    name, others = _host_name(host), {_host_name(host_name) or host_name.lower() for host_name in named}
    if name is None or not (_is_loopback(name) or name in others or (_is_address(name) and others & EVERY_ADDRESS)):
        raise NotAuthorized(
            "With the keys that everybody knows, this service answers to localhost only: name this host in "
            "PUBLIC_HOSTS, or set API_KEYS and ADMIN_API_KEYS to keys of your own."
        )


def origin_of(origin: str, headers: Mapping[str, str], *, public: Collection[str]) -> str | None:
    """The scheme and the host under which the caller called this service; None if the host is missing or not valid.

    By default, both come from `origin`, the origin of the call. If the platform's front end forwards the caller's
    scheme in a header, that scheme is used. If a gateway forwards the caller's host in a header, that host is used,
    with https by default. Anybody can send these headers, so a forwarded host is used only if `public` contains it.
    """
    scheme, _, host = origin.partition("://")
    gateway = headers.get("x-forwarded-host", "").strip().lower()
    if gateway in {host_name.lower() for host_name in public}:
        scheme, host = "https", gateway
    forwarded_scheme = headers.get("x-forwarded-proto", "").lower()
    if forwarded_scheme in {"http", "https"}:
        scheme = forwarded_scheme
    return f"{scheme}://{host}" if _HOST_FORM.fullmatch(host) else None


def _host_name(host: str) -> str | None:
    """The host name or IP address in lower case, without a port and without a final dot; None if the host is not
    valid."""
    match = _HOST_FORM.fullmatch(host.strip())
    return None if match is None else (match["v6"] or match["name"]).lower().rstrip(".")


def _is_loopback(name: str) -> bool:
    """Whether the name is localhost, a name that ends with `.localhost` (RFC 6761, section 6.3), an address in
    127.0.0.0/8, or ::1."""
    return name == "localhost" or name.endswith(".localhost") or (_is_address(name) and ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def body_of(call: Call) -> bytes:
    """The body. Raises BodyTooLarge. Raises BodyLost for a chunked body that the host did not pass on."""
    if not call.body and "chunked" in call.headers.get("transfer-encoding", "").lower():
        raise BodyLost
    if len(call.body) > LARGEST_BODY:
        raise BodyTooLarge(LARGEST_BODY)
    return call.body


def with_ids(answer: Rendered, call: Call) -> Rendered:
    """The answer with more headers: `request-id`, a valid `x-ms-client-request-id` of the caller, the CORS headers and,
    for an unknown version, the served version."""
    origins = call.cors_origins
    allowed = answer_headers(call.headers, origins, exposed=call.exposed_headers) if origins else {}
    headers = {**answer.headers, **allowed, "request-id": call.request_id}
    if call.unknown_version is not None:
        headers[SERVED] = call.query[API_VERSION]
    if call.client_id:
        headers["x-ms-client-request-id"] = call.client_id
    return replace(answer, headers=headers)


def absent(path: str, name: str) -> NotFound:
    """The 404 for a missing agent, knowledge base or knowledge source. The path of the call decides which of the three
    the error names."""
    collection = _COLLECTION.search(path)
    return NotFound(f"knowledge {collection[1].lower() if collection else 'agent'}", name[:LONGEST_NAME])


MOST_NAMED: Final = 100
"""The most versions on the list. The list is limited because callers may invent any number of versions."""

logger = logging.getLogger(__name__)


class UnknownVersions:
    """The unknown API versions that callers of this process requested, each with the version that was `served`."""

    def __init__(self) -> None:
        self.served: dict[str, str] = {}

    def asked(self, version: str, served: str) -> None:
        """Record that a caller asked for `version` and is answered in the version `served`."""
        count(names.UNKNOWN_VERSIONS, {names.SERVED_AS: served})
        version = version.lower()
        if version in self.served or len(self.served) >= MOST_NAMED:
            return
        self.served[version] = served
        logger.warning(
            "A caller asks for api-version %s, which this release does not know, and is answered as %s. Update this "
            "app, or refuse such calls with STRICT_API_VERSIONS=1.",
            version,
            served,
        )
