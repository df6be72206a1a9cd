"""Selects the page of a list of definitions that a query asks for: since 2026-08-01-preview.

Source: the REST specification, `stable/2026-10-01/search.json`. `search` is the beginning of a name, in either case as
names are; `pageSize` cuts the list into pages, and a page leads to the next by a link that says nothing to a caller.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar
from urllib.parse import urlencode

from retrieval.errors import BadRequest
from retrieval.model.etags import Defined, Kept

LARGEST_PAGE: Final = 3_000
TOKEN: Final = "$skiptoken"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """The items of a page; `following` is the query of the next page, None where none follows."""

    items: Sequence[Item]
    following: str | None = None


def page(definitions: Sequence[Kept[Defined]], query: Mapping[str, str]) -> Page[Kept[Defined]]:
    """The page that a query asks for; its names are in lower case. Raises BadRequest."""
    kind = query.get("searchtype", "prefix")
    if kind.lower() != "prefix":
        raise BadRequest(f"The searchType {kind[:100]!r} does not exist; 'prefix' does.", target="searchType")
    begin, after, most = query.get("search", "").lower(), _after(query.get(TOKEN)), _size(query.get("pagesize"))
    matches = sorted(
        (definition for definition in definitions if definition.name.lower().startswith(begin)),
        key=lambda definition: definition.name,
    )
    remainder = [definition for definition in matches if definition.name > after]
    if len(remainder) <= most:
        return Page(items=remainder)
    return Page(items=remainder[:most], following=_query(query, remainder[most - 1].name))


def _size(text: str | None) -> int:
    if text is None:
        return LARGEST_PAGE
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= LARGEST_PAGE):
        raise BadRequest(f"pageSize must be a number from 1 to {LARGEST_PAGE}.", target="pageSize")
    return int(text)


def _after(token: str | None) -> str:
    """The last name of the page before."""
    if token is None:
        return ""
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except ValueError:
        raise BadRequest("The link to a next page is not one that this service gave.", target=TOKEN) from None


def _query(query: Mapping[str, str], last: str) -> str:
    spellings = {"api-version": "api-version", "search": "search", "pagesize": "pageSize", "searchtype": "searchType"}
    parameters = {name: query[key] for key, name in spellings.items() if key in query}
    return urlencode({**parameters, TOKEN: base64.urlsafe_b64encode(last.encode()).decode()}, safe="$")
