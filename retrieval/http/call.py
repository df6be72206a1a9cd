"""A call as the Functions host passes it, and the headers that all contracts share.

RFC 9110, section 12.5.1, defines the Accept header.
"""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from retrieval.contracts.later_versions import SERVED, served_as
from retrieval.contracts.rendered import Rendered
from retrieval.contracts.versions import VERSIONS
from retrieval.errors import BodyLost, BodyTooLarge, NotFound
from retrieval.http import cors

LARGEST_BODY: Final = 1_048_576
API_VERSION: Final = "api-version"

EVENTS: Final = "text/event-stream"
JSON: Final = frozenset({"application/json", "application/*", "*/*"})
LONGEST_ACCEPT: Final = 4_096

_REQUEST_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")

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
        return EVENTS in self._accepted

    @property
    def takes_json(self) -> bool:
        """Whether the caller accepts JSON. A caller that does not name events always accepts JSON."""
        return not JSON.isdisjoint(self._accepted) or not self.wants_events

    @property
    def _accepted(self) -> frozenset[str]:
        return _media_ranges(self.headers.get("accept", "")[:LONGEST_ACCEPT])


@lru_cache(maxsize=32)
def _media_ranges(accept: str) -> frozenset[str]:
    """The media ranges with a weight above zero."""
    ranges = [[part.strip() for part in range.split(";")] for range in accept.lower().split(",")]
    return frozenset(kind for kind, *parameters in ranges if not any(map(_is_zero, parameters)))


def _is_zero(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and not value.strip().strip("0.")


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
    client_id = call.headers.get("x-ms-client-request-id", "")
    if _REQUEST_ID.fullmatch(client_id):
        headers["x-ms-client-request-id"] = client_id
    return replace(answer, headers=headers)


def absent(path: str, name: str) -> NotFound:
    """The 404 for a missing agent, knowledge base or knowledge source. The path of the call decides which of the three
    the error names."""
    if _SOURCES.search(path):
        kind = "knowledge source"
    else:
        kind = "knowledge base" if _BASES.search(path) else "knowledge agent"
    return NotFound(kind, name[:LONGEST_NAME])
