"""The parts of a call that are passed on: the token of the user on whose behalf it asks, to the search service; and to
MCP servers headers that its caller names for a source, and the number of knowledge bases that it came through.

A pair of headers, `<source>-header-name<N>` and `<source>-header-value<N>`, is one header for the server of that source
(knowledge-sources, §2.2). It replaces a stored header.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from retrieval.errors import BadRequest, NotAuthorized
from retrieval.model.definitions import Agent
from retrieval.model.mcp_server import HOPS, NOTHING_PASSED, Passed, header_fault
from retrieval.model.search import SearchTarget

USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536
MOST_PAIRS: Final = 20
FARTHEST: Final = 9

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")
_PLACE: Final = re.compile(r"-header-(?P<part>name|value)(?P<number>[0-9]{0,4})")


def user_token_of(headers: Mapping[str, str], agent: Agent, *, needed_by: Collection[str]) -> str | None:
    """The token of the user. `headers` has lower-case names. Raises NotAuthorized where the agent needs one.

    `needed_by` are the names, in lower case, of the agents that do; `*` stands for all.
    """
    token = headers.get(USER_TOKEN, "").strip()
    if not token:
        if not {"*", agent.name.lower()}.isdisjoint(needed_by):
            raise NotAuthorized(f"The agent {agent.name!r} answers only calls that bring {USER_TOKEN}.")
        return None
    if len(token) > LONGEST_USER_TOKEN or not _USER_TOKEN.fullmatch(token):
        raise BadRequest(f"The header {USER_TOKEN} is not a token.", target=USER_TOKEN)
    return token


def passed_on(headers: Mapping[str, str], targets: Iterable[SearchTarget]) -> Passed:
    """The headers and the count that are passed on to the servers among the targets. `headers` has lower-case names.
    Raises BadRequest."""
    names = [target.source_name for target in targets if target.server is not None]
    if not names:
        return NOTHING_PASSED
    pairs = {name: _pairs(headers, name) for name in names}
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
    """The number of knowledge bases that a call came through. A number that cannot be read counts as too many."""
    text = headers.get(HOPS, "0")
    return int(text) if len(text) == 1 and text.isascii() and text.isdigit() else FARTHEST
