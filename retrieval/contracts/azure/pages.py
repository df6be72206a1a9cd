"""Cuts lists of definitions into pages, for versions since 2026-08-01-preview.

Source of the rules: the REST specification, `stable/2026-10-01/search.json`. The parameter `search` is the beginning of
a name, and its case does not matter. `pageSize` is the maximum number of items of a page. Each page except the last has
an opaque link to the next page.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from retrieval.errors import BadRequest
from retrieval.model.definitions import Defined, Kept

LARGEST_PAGE: Final = 3_000
TOKEN: Final = "$skiptoken"


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
