"""Lets pages in a browser read an answer: cross-origin resource sharing, https://fetch.spec.whatwg.org/#http-cors-protocol.

Every answer has `answer_headers`, errors and events too; a page's question before a call (preflight) is answered by
`permission`. Credentials of a browser's own (cookies) are never allowed: callers send theirs in headers.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from retrieval.access.hosts import ANY, ORIGIN
from retrieval.contracts.rendered import Rendered

EXPOSED: Final = (
    "Allow, ETag, Location, Retry-After, WWW-Authenticate, api-version-served, request-id, x-acs-request-id, "
    "x-acs-retry-after, x-ms-client-request-id"
)
"""The headers of answers that scripts could not read otherwise."""

MAX_AGE_SECONDS: Final = 3_600

_NAMES: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z, -]{1,4096}")


def answer_headers(headers: Mapping[str, str], origins: Set[str]) -> Mapping[str, str]:
    """The headers that name the pages that may read an answer. `headers` are those of the call; `origins` are the
    allowed origins, or `*`."""
    if ANY in origins:
        return {"Access-Control-Allow-Origin": ANY, "Access-Control-Expose-Headers": EXPOSED}
    varies = {"Vary": "Origin"} if origins else {}
    origin = headers.get(ORIGIN)
    if origin is None or origin not in origins:
        return varies
    return {**varies, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED}


def permission(
    method: str, headers: Mapping[str, str], origins: Set[str], *, methods: Iterable[str]
) -> Rendered | None:
    """The answer to a preflight of a page that may call; None for any other call. The page may send any header, and use
    `methods`.

    The path is not looked at: where it has no route, the call itself is a 404 that the page can read.
    """
    is_preflight = method.upper() == "OPTIONS" and "access-control-request-method" in headers
    if not is_preflight or origins.isdisjoint({ANY, headers.get(ORIGIN)}):
        return None
    names = headers.get("access-control-request-headers", "")
    allowed_headers = {"Access-Control-Allow-Headers": names} if _NAMES.fullmatch(names) else {}
    allowed_methods = {
        "Access-Control-Allow-Methods": ", ".join(methods),
        "Access-Control-Max-Age": str(MAX_AGE_SECONDS),
    }
    return Rendered(status=204, body=b"", headers={**allowed_methods, **allowed_headers})
