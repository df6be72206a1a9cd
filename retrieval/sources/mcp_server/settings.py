"""The settings of MCP servers: the hosts that may be called, the values of their headers, and the tools that may be
called although their servers do not call them read-only."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from retrieval.errors import Problem
from retrieval.settings.environment import Reader, by_member, setting
from retrieval.settings.settings import RoomSettings
from retrieval.sources.mcp_server.hosts import McpHost, McpHosts, host_of_entry


def _hosts(reader: Reader, name: str) -> tuple[McpHost, ...]:
    """Hosts of MCP servers, each with a port or a private network of its IP address, if it needs them."""
    entries = {entry: host_of_entry(entry) for entry in reader.names(name)}
    reader.problems += [
        Problem(
            name,
            f"{name}: {entry[:200]!r} is not a host such as tools.example.com, tools.example.com:8443 or "
            "tools.corp=10.1.0.0/16.",
        )
        for entry, host in entries.items()
        if host is None
    ]
    return tuple(host for host in entries.values() if host is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerSettings(RoomSettings):
    """`mcp_headers` has the values of headers by the names that knowledge sources use for them, for each entry of
    MCP_HOSTS."""

    mcp_hosts: tuple[McpHost, ...] = setting(_hosts)
    mcp_headers: Mapping[str, Mapping[str, str]] = setting(by_member("HEADERS"), hidden=True)
    mcp_unmarked_tools: tuple[str, ...] = setting(Reader.names)

    @property
    def _hosts_by_entry(self) -> Mapping[str, McpHost | None]:
        hosts = McpHosts(hosts=self.mcp_hosts)
        return {entry: hosts.named(entry) for entry in self.mcp_headers}

    @property
    def values(self) -> Mapping[McpHost, Mapping[str, str]]:
        """The values of headers of each host."""
        values: dict[McpHost, Mapping[str, str]] = {}
        for entry, host in self._hosts_by_entry.items():
            if host is not None:
                values[host] = {**values.get(host, {}), **self.mcp_headers[entry]}
        return values

    @property
    def secrets(self) -> Collection[str]:
        """The values of headers, each also without the word before it, such as `Bearer`."""
        values = [value for values in self.mcp_headers.values() for value in values.values()]
        return (*values, *(value.rpartition(" ")[2] for value in values))

    @property
    def conflicts(self) -> Iterator[Problem]:
        for entry, host in self._hosts_by_entry.items():
            if host is None:
                yield Problem("MCP_HEADERS", f"MCP_HEADERS: {entry[:200]!r} is not a host of MCP_HOSTS.")


SETTINGS = McpServerSettings
