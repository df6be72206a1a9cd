"""The headers of a write: `If-Match` and `If-None-Match` (RFC 9110, section 13.1), `Prefer` (RFC 7240).

Leniency: an etag may come without its quotes, or with single ones, as clients send it who copied `@odata.etag` by hand.
"""

import re
from collections.abc import Mapping
from typing import Final

from retrieval.errors import BadRequest
from retrieval.model.etags import ANY, Precondition

_ETAG: Final = re.compile(r"""(W/)?(?:"([^"]*)"|'([^']*)'|([^\s,"']+))""")


def precondition(headers: Mapping[str, str]) -> Precondition:
    """The precondition that the headers (lower-case names) state. Raises BadRequest for a list that cannot be read."""
    match, none_match = headers.get("if-match"), headers.get("if-none-match")
    return Precondition(
        match=None if match is None else _etags(match, header="If-Match", weak=False),
        none_match=frozenset() if none_match is None else _etags(none_match, header="If-None-Match", weak=True),
    )


def quote_etag(etag: str) -> str:
    """An etag as headers and `@odata.etag` have it."""
    return f'"{etag}"'


def wants_no_body(headers: Mapping[str, str]) -> bool:
    """Whether the caller prefers an answer without the object that was written."""
    preferences = re.split(r"[,;]", headers.get("prefer", "").lower())
    return any(preference.replace(" ", "").replace('"', "") == "return=minimal" for preference in preferences)


def _etags(text: str, *, header: str, weak: bool) -> frozenset[str]:
    """The etags of a header. Weak ones count for If-None-Match only: they never match strongly."""
    if text.strip() == ANY:
        return frozenset({ANY})
    etags = [(match[1] is not None, match[2] or match[3] or match[4] or "") for match in _ETAG.finditer(text)]
    remainder = _ETAG.sub("", text)
    if not etags or remainder.strip(" \t,") or any(etag == ANY for _, etag in etags):
        raise BadRequest(f"{header} must be * or a list of etags.", target=header)
    return frozenset(etag for is_weak, etag in etags if weak or not is_weak)
