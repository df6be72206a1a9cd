"""Which pages in a browser may read an answer: cross-origin resource sharing, https://fetch.spec.whatwg.org/#http-cors-protocol.

Every answer goes through `shared`, errors and events too; a page's question before a call (preflight) is answered by
`permission`. Credentials of a browser's own (cookies) are never allowed: callers send theirs in headers.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from retrieval.access.origins import ANY, ORIGIN
from retrieval.contracts.rendered import Rendered

EXPOSED: Final = (
    "Allow, ETag, Location, Retry-After, WWW-Authenticate, api-version-served, request-id, x-acs-request-id, "
    "x-acs-retry-after, x-ms-client-request-id"
)
"""The headers of answers that scripts could not read otherwise."""

KEPT_SECONDS: Final = 3_600

_NAMES: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z, -]{1,4096}")


def shared(headers: Mapping[str, str], origins: Set[str]) -> Mapping[str, str]:
    """What an answer says of who may read it; `headers` are the call's, `origins` those that may, or `*`."""
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
    """The answer to a preflight of a page that may call; None for any other call. It may send any header, by `methods`.

    Nothing is said of the path: what is not there is a 404 that the page can read.
    """
    asked = method.upper() == "OPTIONS" and "access-control-request-method" in headers
    if not asked or origins.isdisjoint({ANY, headers.get(ORIGIN)}):
        return None
    names = headers.get("access-control-request-headers", "")
    granted = {"Access-Control-Allow-Headers": names} if _NAMES.fullmatch(names) else {}
    permitted = {"Access-Control-Allow-Methods": ", ".join(methods), "Access-Control-Max-Age": str(KEPT_SECONDS)}
    return Rendered(status=204, body=b"", headers={**permitted, **granted})
