"""A call as the Functions host hands it over, and the meaning of its headers before any contract.

The header Accept is read as RFC 9110, section 12.5.1, has it.
"""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from retrieval.contracts import VERSIONS
from retrieval.contracts.later_versions import SERVED, served_as
from retrieval.contracts.rendered import Rendered
from retrieval.errors import BodyLost, BodyTooLarge, NotFound
from retrieval.http import cors

LARGEST_BODY: Final = 1_048_576
API_VERSION: Final = "api-version"

EVENTS: Final = "text/event-stream"
JSON: Final = frozenset({"application/json", "application/*", "*/*"})
LONGEST_ACCEPT: Final = 4_096

_REQUEST_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")

LONGEST_NAME: Final = 128
"""The most characters of a name in an answer."""

_BASES: Final = re.compile(r"/knowledgebases(?:[(/]|$)", re.IGNORECASE)
_SOURCES: Final = re.compile(r"/knowledgesources(?:[(/]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`headers` and `query` have lower-case names; `route` has the values of the route's parameters.

    `path` is that of the address, as it was sent, and `origin` its scheme and host. The host joins repeated query
    parameters and drops empty ones: `raw_query` has them all, still percent-encoded. `cors_origins` are the origins
    whose pages may call, `hosts` the hosts that the deployment answers to, None for every host. `unknown_version` is
    the version that the caller wrote, where `query` has the version that is served instead.
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
        """The api-version as the caller wrote it, empty where it is missing."""
        return self.unknown_version or self.query.get(API_VERSION, "")

    def with_served_version(self, versions: Collection[str]) -> "Call":
        """The call with a version that is served, if its own is later than all known versions.

        `versions` are those of its route. With `strict_versions` the call stays as it is, and is refused.
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
        """Whether the caller accepts JSON: it names JSON, or nothing, or not only events."""
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
    """The body. Raises BodyTooLarge, and BodyLost for a body that was sent in chunks and did not arrive."""
    if not call.body and "chunked" in call.headers.get("transfer-encoding", "").lower():
        raise BodyLost
    if len(call.body) > LARGEST_BODY:
        raise BodyTooLarge(LARGEST_BODY)
    return call.body


def with_ids(answer: Rendered, call: Call) -> Rendered:
    """The answer with the ids of the call, `request-id` and the caller's own as it was sent, and who may read it."""
    headers = {**answer.headers, **cors.answer_headers(call.headers, call.cors_origins), "request-id": call.request_id}
    if call.unknown_version is not None:
        headers[SERVED] = call.query[API_VERSION]
    client_id = call.headers.get("x-ms-client-request-id", "")
    if _REQUEST_ID.fullmatch(client_id):
        headers["x-ms-client-request-id"] = client_id
    return replace(answer, headers=headers)


def absent(path: str, name: str) -> NotFound:
    """The 404 of an agent, a knowledge base or a knowledge source, named as the address of the call names it."""
    if _SOURCES.search(path):
        kind = "knowledge source"
    else:
        kind = "knowledge base" if _BASES.search(path) else "knowledge agent"
    return NotFound(kind, name[:LONGEST_NAME])
