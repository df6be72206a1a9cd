"""Lets pages in a browser read an answer: cross-origin resource sharing,
https://fetch.spec.whatwg.org/#http-cors-protocol.

If at least one origin is allowed, every answer has `answer_headers`, also an error or a stream of events. `permission`
answers preflight requests. Browsers may not send cookies, because callers send their credentials in headers.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from retrieval.access.host_header import ANY, ORIGIN
from retrieval.contracts.rendered import Rendered

EXPOSED: Final = (
    "Allow, ETag, Location, Retry-After, WWW-Authenticate, api-version-served, request-id, x-acs-request-id, "
    "x-acs-retry-after, x-ms-client-request-id"
)
"""The response headers that scripts may read. Browsers hide them from scripts by default."""

MAX_AGE_SECONDS: Final = 3_600

_NAMES: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z, -]{1,4096}")


def answer_headers(headers: Mapping[str, str], origins: Set[str]) -> Mapping[str, str]:
    """The headers that tell the browser which pages may read an answer. `headers` are the headers of the call.
    `origins` are the allowed origins, or `*`."""
    if ANY in origins:
        return {"Access-Control-Allow-Origin": ANY, "Access-Control-Expose-Headers": EXPOSED}
    varies = {"Vary": "Origin"}
    origin = headers.get(ORIGIN)
    if origin is None or origin not in origins:
        return varies
    return {**varies, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED}


def is_preflight(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a call is a preflight request: a browser asks whether a page may call."""
    return method.upper() == "OPTIONS" and "access-control-request-method" in headers


def permission(
    method: str, headers: Mapping[str, str], origins: Set[str], *, methods: Iterable[str]
) -> Rendered | None:
    """The answer to a preflight request of an allowed page; None for any other call. The page may send any header and
    use any of `methods`. The path is not checked. If it has no route, the call itself receives a 404 that the page can
    read.
    """
    if not is_preflight(method, headers) or origins.isdisjoint({ANY, headers.get(ORIGIN)}):
        return None
    names = headers.get("access-control-request-headers", "")
    allowed_headers = {"Access-Control-Allow-Headers": names} if _NAMES.fullmatch(names) else {}
    allowed_methods = {
        "Access-Control-Allow-Methods": ", ".join(methods),
        "Access-Control-Max-Age": str(MAX_AGE_SECONDS),
    }
    return Rendered(status=204, body=b"", headers={**allowed_methods, **allowed_headers})
