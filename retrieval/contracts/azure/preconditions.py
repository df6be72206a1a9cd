"""Reads the headers of a write: `If-Match` and `If-None-Match` (RFC 9110, section 13.1), and `Prefer` (RFC 7240). The
module also cuts lists into pages, for versions since 2026-08-01-preview.

An etag may also have single quotes or no quotes. Clients send such an etag if somebody copied `@odata.etag` by hand.

Source of the rules for pages: the REST specification, `stable/2026-10-01/search.json`. The parameter `search` is the
beginning of a name, and its case does not matter. `pageSize` is the maximum number of items of a page. Each page except
the last has an opaque link to the next page.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from retrieval.errors import BadRequest
from retrieval.model.definitions import ANY, Defined, Kept, Precondition

_ETAG: Final = re.compile(r"""(W/)?(?:"([^"]*)"|'([^']*)'|([^\s,"']+))""")

LARGEST_PAGE: Final = 3_000
TOKEN: Final = "$skiptoken"


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


def page_of(
    definitions: Sequence[Kept[Defined]], query: Mapping[str, str]
) -> tuple[Sequence[Kept[Defined]], str | None]:
    """The definitions of the page that a query asks for, and the query of the next page; None on the last page. The
    parameter names in `query` are in lower case. Raises BadRequest."""
    kind = query.get("searchtype", "prefix")
    if kind.lower() != "prefix":
        raise BadRequest(f"The searchType {kind[:100]!r} does not exist; 'prefix' does.", target="searchType")
    begin, after, most = query.get("search", "").lower(), _after(query.get(TOKEN)), _size(query.get("pagesize"))
    matches = sorted(
        (definition for definition in definitions if definition.name.lower().startswith(begin)),
        key=lambda definition: definition.name,
    )
    remainder = [definition for definition in matches if definition.name > after]
    return remainder[:most], _query(query, remainder[most - 1].name) if len(remainder) > most else None


def _size(text: str | None) -> int:
    if text is None:
        return LARGEST_PAGE
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= LARGEST_PAGE):
        raise BadRequest(f"pageSize must be a number from 1 to {LARGEST_PAGE}.", target="pageSize")
    return int(text)


def _after(token: str | None) -> str:
    """The last name on the previous page. It is empty for the first page."""
    if token is None:
        return ""
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except ValueError:
        raise BadRequest("The link to a next page is not one that this service gave.", target=TOKEN) from None


def _query(query: Mapping[str, str], last: str) -> str:
    names = ("api-version", "search", "pageSize", "searchType", "$select")
    parameters = {name: query[name.lower()] for name in names if name.lower() in query}
    return urlencode({**parameters, TOKEN: base64.urlsafe_b64encode(last.encode()).decode()}, safe="$")
