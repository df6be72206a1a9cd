"""A search by GET: the query string as the body that POST would have.

Names and types: https://learn.microsoft.com/rest/api/searchservice/documents/search-get
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from retrieval.local.search_service.errors import InvalidArgument

MAX_QUERY: Final = 256 * 1024
"""Characters of a query string; Azure takes about 8 KB."""


def _text(value: str) -> str:
    return value


def _whole(value: str) -> int:
    if not re.fullmatch(r"-?\d{1,12}", value, re.ASCII):
        raise ValueError(value)
    return int(value)


def _truth(value: str) -> bool:
    return {"true": True, "false": False}[value.lower()]


def _number(value: str) -> float:
    return float(value[:40])


_Reader = tuple[str, Callable[[str], Any]]

_MEMBERS: Mapping[str, _Reader] = {
    "search": ("search", _text),
    "$filter": ("filter", _text),
    "$orderby": ("orderby", _text),
    "$select": ("select", _text),
    "$skip": ("skip", _whole),
    "$top": ("top", _whole),
    "$count": ("count", _truth),
    "searchfields": ("searchFields", _text),
    "searchmode": ("searchMode", _text),
    "querytype": ("queryType", _text),
    "highlight": ("highlight", _text),
    "highlightpretag": ("highlightPreTag", _text),
    "highlightposttag": ("highlightPostTag", _text),
    "minimumcoverage": ("minimumCoverage", _number),
    "scoringprofile": ("scoringProfile", _text),
    "scoringstatistics": ("scoringStatistics", _text),
    "sessionid": ("sessionId", _text),
    "semanticconfiguration": ("semanticConfiguration", _text),
    "semanticerrorhandling": ("semanticErrorHandling", _text),
    "semanticmaxwaitinmilliseconds": ("semanticMaxWaitInMilliseconds", _whole),
    "semanticquery": ("semanticQuery", _text),
    "answers": ("answers", _text),
    "captions": ("captions", _text),
    "debug": ("debug", _text),
    "speller": ("speller", _text),
    "querylanguage": ("queryLanguage", _text),
    "queryrewrites": ("queryRewrites", _text),
    "semanticfields": ("semanticFields", _text),
    "morelikethis": ("moreLikeThis", _text),
}

_LISTS: Mapping[str, str] = {"facet": "facets", "scoringparameter": "scoringParameters"}

NAMES: Final = frozenset({*_MEMBERS, *_LISTS})
"""Of what a search by GET reads, in lower case."""

REPEATED: Final = frozenset(_LISTS)
"""Those that may occur more than once."""


def body(target: str) -> dict[str, Any]:
    """`target` is that of the request line. Raises InvalidArgument for a value that is wrong."""
    query = urlsplit(target).query
    if len(query) > MAX_QUERY:
        raise InvalidArgument(f"The query string is longer than {MAX_QUERY} characters; use POST.")
    found: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        lower = name.lower()
        if lower in _LISTS:
            found.setdefault(_LISTS[lower], []).append(value)
        elif lower in _MEMBERS:
            member, read = _MEMBERS[lower]
            found[member] = _value(name, value, read)
    return found


def _value(name: str, value: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(value)
    except (ValueError, KeyError) as error:
        raise InvalidArgument(
            f"The parameter {name[:128]!r} has the value {value[:64]!r}, which it cannot have."
        ) from error
