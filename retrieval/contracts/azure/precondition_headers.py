"""Reads the headers of a write: `If-Match` and `If-None-Match` (RFC 9110, section 13.1), and `Prefer` (RFC 7240).

An etag may also have single quotes or no quotes. Clients send such an etag if somebody copied `@odata.etag` by hand.
"""

import re
from collections.abc import Mapping
from typing import Final

from retrieval.errors import BadRequest
from retrieval.model.precondition import ANY, Precondition

_ETAG: Final = re.compile(r"""(W/)?(?:"([^"]*)"|'([^']*)'|([^\s,"']+))""")


def precondition(headers: Mapping[str, str]) -> Precondition:
    """The precondition that the headers state. The names in `headers` are in lower case. Raises BadRequest for a list
    of etags that cannot be read."""
    match, none_match = headers.get("if-match"), headers.get("if-none-match")
    return Precondition(
        match=None if match is None else _etags(match, header="If-Match", weak=False),
        none_match=frozenset() if none_match is None else _etags(none_match, header="If-None-Match", weak=True),
    )


def quote_etag(etag: str) -> str:
    """An etag in double quotes, for headers and for `@odata.etag`."""
    return f'"{etag}"'


def preferred_return(headers: Mapping[str, str]) -> str | None:
    """What the caller prefers in the answer to a write: `minimal` or `representation` (RFC 7240, section 4.2). None if
    the caller states neither."""
    preferences = (
        part.replace(" ", "").replace('"', "") for part in re.split(r"[,;]", headers.get("prefer", "").lower())
    )
    values = (part.removeprefix("return=") for part in preferences if part.startswith("return="))
    return next((value for value in values if value in ("minimal", "representation")), None)


def _etags(text: str, *, header: str, weak: bool) -> frozenset[str]:
    """The etags of a header. If `weak` is false, weak etags are left out. If-Match uses the strong comparison, in which
    a weak etag never matches."""
    if text.strip() == ANY:
        return frozenset({ANY})
    etags = [(match[1] is not None, match[2] or match[3] or match[4] or "") for match in _ETAG.finditer(text)]
    remainder = _ETAG.sub("", text)
    if not etags or remainder.strip(" \t,") or any(etag == ANY for _, etag in etags):
        raise BadRequest(f"{header} must be * or a list of etags.", target=header)
    return frozenset(etag for is_weak, etag in etags if weak or not is_weak)
