"""Connections to MCP servers. Each IP address that DNS returns for a host name is checked before a socket is made for
it."""

import socket
from typing import Final

from aiohttp import ClientSession, DummyCookieJar, TCPConnector, ThreadedResolver
from aiohttp.connector import AddrInfoType

from retrieval.model.mcp_hosts import McpHost, McpHosts

MOST_AT_ONCE: Final = 64


class AddressRefused(OSError):
    """The IP address is not allowed for this host."""


class Connections:
    """The connections to each host that may be called. The event loop must be running."""

    def __init__(self, hosts: McpHosts) -> None:
        self._hosts = hosts
        self._sessions: dict[McpHost, ClientSession] = {}

    def of(self, host: McpHost) -> ClientSession:
        """The connections to a host."""
        if host not in self._sessions:
            connector = TCPConnector(
                limit=MOST_AT_ONCE,
                resolver=ThreadedResolver(),
                use_dns_cache=False,
                socket_factory=lambda address: self._socket(host, address),
            )
            self._sessions[host] = ClientSession(
                connector=connector, cookie_jar=DummyCookieJar(), auto_decompress=False, trust_env=False
            )
        return self._sessions[host]

    async def close(self) -> None:
        """Close all connections."""
        for session in self._sessions.values():
            await session.close()

    def _socket(self, host: McpHost, address: AddrInfoType) -> socket.socket:
        """A socket for this address. Raises AddressRefused if the address is not allowed for this host."""
        family, kind, protocol, _, place = address
        if not self._hosts.may_connect(host, str(place[0])):
            raise AddressRefused
        return socket.socket(family=family, type=kind, proto=protocol)
