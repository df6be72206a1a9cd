"""Connections to MCP servers: each socket is made for an address that was checked, whatever address DNS gives for the
name."""

import socket
from typing import Final

from aiohttp import ClientSession, DummyCookieJar, TCPConnector, ThreadedResolver
from aiohttp.connector import AddrInfoType

from retrieval.model.mcp_hosts import McpHost, McpHosts

MOST_AT_ONCE: Final = 64


class AddressRefused(OSError):
    """DNS gives a name an address that its host may not have."""


class Connections:
    """The connections of each host that may be called. The loop must be running. There is no proxy, and no cookies or
    redirects."""

    def __init__(self, hosts: McpHosts) -> None:
        self._hosts = hosts
        self._sessions: dict[McpHost, ClientSession] = {}

    def of(self, host: McpHost) -> ClientSession:
        """The connections of a host."""
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
        """Close all of them."""
        for session in self._sessions.values():
            await session.close()

    def _socket(self, host: McpHost, address: AddrInfoType) -> socket.socket:
        """A socket for that address alone. Raises AddressRefused."""
        family, kind, protocol, _, place = address
        if not self._hosts.may_connect(host, str(place[0])):
            raise AddressRefused
        return socket.socket(family=family, type=kind, proto=protocol)
