"""Selects the parts of a call that are passed on to MCP servers. These are headers that the caller states for a source,
and the number of knowledge bases that the call has passed through. A pair of headers, `<source>-header-name<N>` and
`<source>-header-value<N>`, states one header for the server of the source, as in Azure AI Search. This header replaces
a stored header of the same name.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from retrieval.errors import BadRequest
from retrieval.model.tools import HOPS, Passed, header_fault

MOST_PAIRS: Final = 20
FARTHEST: Final = 9

_PLACE: Final = re.compile(r"-header-(?P<part>name|value)(?P<number>[0-9]{0,4})")


def passed_on(headers: Mapping[str, str], sources: Iterable[str]) -> Passed:
    """The headers and the hop count that are passed on to the MCP servers of the sources. The names in `headers` are in
    lower case. Raises BadRequest."""
    pairs = {name: _pairs(headers, name) for name in sources}
    return Passed(headers={name: of_source for name, of_source in pairs.items() if of_source}, hops=_hops(headers))


def _pairs(headers: Mapping[str, str], source: str) -> tuple[tuple[str, str], ...]:
    parts: dict[str, dict[str, str]] = {}
    for name, value in headers.items():
        match = _PLACE.fullmatch(name, len(source)) if name.startswith(source.lower()) else None
        if match is not None:
            parts.setdefault(match["number"], {})[match["part"]] = value.strip()
    if len(parts) > MOST_PAIRS:
        raise BadRequest(f"At most {MOST_PAIRS} headers are passed on to a source.", target=f"{source}-header-name")
    return tuple(_pair(pair, f"{source}-header-name{number}") for number, pair in sorted(parts.items()))


def _pair(pair: Mapping[str, str], place: str) -> tuple[str, str]:
    if len(pair) != 2:
        raise BadRequest("A header that is passed on has a name and a value; one of them is missing.", target=place)
    if (fault := header_fault(pair["name"], pair["value"])) is not None:
        raise BadRequest(fault, target=place)
    return pair["name"], pair["value"]


def _hops(headers: Mapping[str, str]) -> int:
    """The number of knowledge bases that a call has passed through. A header that is not one digit counts as
    FARTHEST."""
    text = headers.get(HOPS, "0")
    return int(text) if len(text) == 1 and text.isascii() and text.isdigit() else FARTHEST
