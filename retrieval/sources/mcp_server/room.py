"""MCP servers of a deployment: the hosts that may be called, and the values of their headers."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import partial

from retrieval.errors import BadRequest
from retrieval.model.definitions import Source
from retrieval.model.finding import About
from retrieval.model.mcp_hosts import McpHost, McpHosts
from retrieval.ports import ToolServers
from retrieval.settings.settings import Settings
from retrieval.sources.mcp_server.headers import passed_on
from retrieval.sources.mcp_server.messages import SYSTEM
from retrieval.sources.mcp_server.search.loaded import LoadedServers
from retrieval.sources.room import Look, Room
from retrieval.telemetry.outgoing_calls import CalledService


def room(settings: Settings, held: AsyncExitStack) -> Room:
    """The MCP servers that the settings allow."""
    servers = LoadedServers(settings)
    held.push_async_callback(servers.close)
    index = servers if settings.mcp_hosts else None
    return Room(
        kind="mcpServer",
        index=index,
        tools=servers,
        check=partial(_check, settings.mcp_servers, settings.mcp_headers),
        service_of=lambda index: CalledService(system=SYSTEM, endpoint=index),
        pass_on=passed_on,
        checks=partial(_checks, index, settings.mcp_servers),
        secrets=tuple(_secrets(settings)),
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


def _secrets(settings: Settings) -> Iterator[str]:
    """The values of headers, each also without the word before it, such as `Bearer`."""
    for values in settings.mcp_headers.values():
        for value in values.values():
            yield from (value, value.rpartition(" ")[2])
