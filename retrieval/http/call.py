"""A call as the Functions host passes it, and the headers that all contracts share.

RFC 9110, section 12.5.1, defines the Accept header.
"""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeAlias

from retrieval.contracts.later_versions import SERVED, served_as
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.versions import VERSIONS
from retrieval.errors import BodyLost, BodyTooLarge, NotFound
from retrieval.http import cors

LARGEST_BODY: Final = 1_048_576
API_VERSION: Final = "api-version"

EVENTS: Final = "text/event-stream"
JSON: Final = ("application/json", "application/*", "*/*")
"""The media ranges of JSON, the most precise first."""
LONGEST_ACCEPT: Final = 4_096

_REQUEST_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")
_WEIGHT: Final = re.compile(r"[0-9]?(?:\.[0-9]*)?")

_Rank: TypeAlias = tuple[float, int]
"""The weight of a media range, and minus its place in the header. The higher rank is preferred."""

LONGEST_NAME: Final = 128
"""The most characters of a definition's name in a 404 answer."""

_BASES: Final = re.compile(r"/knowledgebases(?:[(/]|$)", re.IGNORECASE)
_SOURCES: Final = re.compile(r"/knowledgesources(?:[(/]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of this service.

    The names in `headers` and `query` are in lower case. `route` has the values of the route's parameters. `path` is
    the path of the address as the caller sent it. `origin` is the scheme and host. The Functions host joins repeated
    query parameters and drops empty ones; `raw_query` still has all of them, percent-encoded. `cors_origins` are the
    origins whose pages may call. `hosts` are the accepted hosts in addition to loopback; None means every host. If
    another version is served, `unknown_version` is the caller's version, and `query` has the served version.
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
        served_version = None if self.strict_versions or own_version in versions else served_as(own_version, VERSIONS)
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
    allowed = cors.answer_headers(call.headers, call.cors_origins) if call.cors_origins else {}
    headers = {**answer.headers, **allowed, "request-id": call.request_id}
    if call.unknown_version is not None:
        headers[SERVED] = call.query[API_VERSION]
    if call.client_id:
        headers["x-ms-client-request-id"] = call.client_id
    return replace(answer, headers=headers)


def absent(path: str, name: str) -> NotFound:
    """The 404 for a missing agent, knowledge base or knowledge source. The path of the call decides which of the three
    the error names."""
    if _SOURCES.search(path):
        kind = "knowledge source"
    else:
        kind = "knowledge base" if _BASES.search(path) else "knowledge agent"
    return NotFound(kind, name[:LONGEST_NAME])
