"""MCP servers of a deployment: the hosts that may be called, the values of their headers, and the parts of a call that
are passed on to them.

The parts are headers that the caller states for a source, and the number of knowledge bases that the call has passed
through. A pair of headers, `<source>-header-name<N>` and `<source>-header-value<N>`, states one header for the server
of the source, as in Azure AI Search. This header replaces a stored header of the same name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

from retrieval.errors import BadRequest
from retrieval.model.definitions import Source
from retrieval.model.finding import About
from retrieval.model.tools import Passed
from retrieval.ports import ToolServers
from retrieval.settings.settings import Settings
from retrieval.sources.mcp_server.hosts import HOPS, SYSTEM, McpHost, McpHosts, header_fault
from retrieval.sources.mcp_server.search import LoadedServers
from retrieval.sources.mcp_server.settings import McpServerSettings
from retrieval.sources.room import Look, Room
from retrieval.telemetry.outgoing_calls import CalledService

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


def room(settings: Settings, held: AsyncExitStack) -> Room:
    """The MCP servers that the settings allow."""
    own = settings.of(McpServerSettings)
    hosts = McpHosts(hosts=own.mcp_hosts, local=settings.local)
    servers = LoadedServers(hosts, own)
    held.push_async_callback(servers.close)
    index = servers if own.mcp_hosts else None
    return Room(
        kind="mcpServer",
        index=index,
        tools=servers,
        check=partial(_check, hosts, own.values),
        service_of=lambda index: CalledService(system=SYSTEM, endpoint=index),
        pass_on=passed_on,
        checks=partial(_checks, index, hosts),
    )


def _check(hosts: McpHosts, values: Mapping[McpHost, Mapping[str, str]], source: Source) -> None:
    """Raises BadRequest if the deployment may not call the server, or if MCP_HEADERS has no value for one of its
    headers."""
    server = source.server
    if server is None:
        return
    if (fault := hosts.fault(server.url)) is not None:
        raise BadRequest(fault, target="mcpServerParameters.serverURL")
    host = hosts.host_of(server.url)
    names = () if host is None else values.get(host, ())
    for name, place in server.headers:
        if place not in names:
            raise BadRequest(
                f"This service keeps no secrets: the value of the stored header {name!r} must be a name that the "
                "setting MCP_HEADERS gives its value for this host. Callers may pass a header on instead.",
                target="mcpServerParameters.authentication.storedHeadersParameters.headers",
            )


def _checks(servers: ToolServers | None, hosts: McpHosts, sources: Iterable[Source]) -> Iterator[tuple[About, Look]]:
    from retrieval.sources.mcp_server import checks

    for source in {source.name: source for source in sources}.values():
        if source.server is not None:
            yield About("mcp server", source.name), partial(checks.examine, servers, source, source.server, hosts)
