"""CORS: which pages of other origins may call, and which headers of an answer their scripts may read
(https://fetch.spec.whatwg.org/#http-cors-protocol).

If at least one origin is allowed, every answer has `answer_headers`, also an error or a stream of events. `permission`
answers preflight requests. Browsers may not send cookies, because callers send their credentials in headers.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from retrieval.contracts.rendered import Rendered

ANY: Final = "*"
ORIGIN: Final = "origin"

_EXPOSED: Final = (
    "Allow ETag Location Retry-After WWW-Authenticate api-version-served request-id x-ms-client-request-id".split()
)
"""The response headers of every contract that scripts may read."""

MAX_AGE_SECONDS: Final = 3_600

_NAMES: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z, -]{1,4096}")


def exposed(of_rooms: Iterable[str]) -> str:
    """The response headers that scripts may read, as a list: those of every contract and those of rooms. Browsers hide
    them from scripts by default."""
    return ", ".join(sorted((*_EXPOSED, *of_rooms)))


def answer_headers(headers: Mapping[str, str], origins: Set[str], *, exposed: str) -> Mapping[str, str]:
    """The headers that tell the browser which pages may read an answer to a call with these headers. `origins` are the
    allowed pages. `exposed` are the response headers that scripts may read."""
    if ANY in origins:
        return {"Access-Control-Allow-Origin": ANY, "Access-Control-Expose-Headers": exposed}
    varies = {"Vary": "Origin"}
    origin = headers.get(ORIGIN)
    if origin is None or origin not in origins:
        return varies
    return {**varies, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed}


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
