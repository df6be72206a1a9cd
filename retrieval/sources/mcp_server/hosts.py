"""The MCP servers that may be called: the hosts that the deployment names, and their IP addresses. The headers that
these servers may get.

The name of a host is checked when a source is defined, and again before a call. An IP address is checked when its
socket is made.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from retrieval.settings.environment import LOOPBACK

SYSTEM: Final = "mcp"
"""The name of a server in telemetry."""

HOPS: Final = "x-agentic-retrieval-hops"
"""The header with the number of knowledge bases that have passed a call on."""

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,8190}[\x21-\x7e])?")
_PROTOCOL: Final = re.compile(
    r"accept|accept-encoding|connection|cookie|expect|host|keep-alive|te|trailer|traceparent|tracestate"
    r"|transfer-encoding|upgrade|user-agent|(?:content|mcp|proxy|sec|x-forwarded|x-agentic)-.*|last-event-id",
    re.IGNORECASE,
)
"""The headers that HTTP, MCP and this service use themselves. Neither callers nor sources may set them."""


def header_fault(name: str, value: str = "x") -> str | None:
    """The fault of a header for an MCP server; None when it may be sent."""
    if not _HEADER.fullmatch(name):
        return f"{name[:100]!r} is not the name of a header."
    if _PROTOCOL.fullmatch(name):
        return f"The header {name!r} belongs to the protocol, and is not taken from anybody."
    return None if _VALUE.fullmatch(value) else f"The value of the header {name!r} must be printable ASCII."


Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

PORTS: Final = {"https": 443, "http": 80}

_NEVER: Final = frozenset(
    map(ip_address, ("168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"))
)
"""IP addresses at which clouds give a machine its metadata or tokens."""

_TRANSLATED: Final = ip_network("64:ff9b::/96")
"""IPv6 addresses that a gateway translates into IPv4 addresses (RFC 6052)."""

_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.?(?=[A-Za-z0-9:/=]|\Z)){0,20}"
_URL: Final = re.compile(
    rf"(?P<scheme>https?)://(?:\[(?P<v6>[0-9A-Fa-f:.]{{2,45}})\]|(?P<name>{_NAME}))(?::(?P<port>[0-9]{{1,5}}))?"
    r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?"
)
_ENTRY: Final = re.compile(
    rf"(?:\[(?P<v6>[0-9A-Fa-f:.]{{2,45}})\]|(?P<name>{_NAME}))(?::(?P<port>[0-9]{{1,5}}))?(?:=(?P<network>[0-9A-Fa-f:./]+))?"
)
LONGEST: Final = 2_048

BAD_URL: Final = (
    "serverURL must be an address such as https://tools.example.com/mcp: https, a host, a path, and nothing else."
)
NOT_NAMED: Final = "The host {host!r} is not among those that this service may call. The setting MCP_HOSTS names them."


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHost:
    """A host that may be called.

    A host without a `port` may be called at port 443. A loopback host of a developer's machine without a `port` may be
    called at any port. The IP address of any other host must be public, or in the private `network`.
    """

    name: str
    port: int | None = None
    network: Network | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHosts:
    """The hosts of a deployment, usually none. A host may be a loopback host only if `local` is true."""

    hosts: tuple[McpHost, ...] = ()
    local: bool = False

    def host_of(self, url: str) -> McpHost | None:
        """The host of a URL. None where the host may not be called."""
        match = self._match(url)
        if match is None:
            return None
        name, port = _name(match), int(match["port"] or PORTS[match["scheme"]])
        return next((host for host in self.hosts if host.name == name and self._has(host, port)), None)

    def named(self, entry: str) -> McpHost | None:
        """The host that has the name and port of the entry; None where no such host may be called."""
        named = host_of_entry(entry)
        hosts = (host for host in self.hosts if named and (host.name, host.port) == (named.name, named.port))
        return next(hosts, None)

    def fault(self, url: str) -> str | None:
        """The fault of a server's URL. None where the server may be called."""
        match = self._match(url)
        if match is None:
            return BAD_URL
        if self.host_of(url) is None:
            return NOT_NAMED.format(host=_name(match) + ("" if match["port"] is None else f":{match['port']}"))
        return None

    def may_connect(self, host: McpHost, address: str) -> bool:
        """Whether a host may have that IPv4 or IPv6 address."""
        try:
            ip = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return all(self._may_be(host, each) for each in (ip, *_within(ip)))

    def _match(self, url: str) -> re.Match[str] | None:
        """The parts of a server's URL; None for a URL that no server may have. The scheme is https. On a developer's
        machine, http is allowed at a loopback host."""
        match = _URL.fullmatch(url) if len(url) <= LONGEST else None
        if match is None or match["scheme"] == "https" or self._is_own(_name(match)):
            return match
        return None

    def _is_own(self, name: str) -> bool:
        return self.local and name in LOOPBACK

    def _has(self, host: McpHost, port: int) -> bool:
        if host.port is not None:
            return port == host.port
        return port == PORTS["https"] or self._is_own(host.name)

    def _may_be(self, host: McpHost, ip: Address) -> bool:
        if ip in _NEVER or ip.is_link_local or ip.is_multicast or ip.is_unspecified:
            return False
        if ip.is_loopback:
            return self._is_own(host.name)
        return not ip.is_reserved and (ip.is_global or (host.network is not None and ip in host.network))


def host_of_entry(entry: str) -> McpHost | None:
    """The host of an MCP_HOSTS entry: a `name`, optionally with `:port` and `=network`. None for other text."""
    match = _ENTRY.fullmatch(entry) if len(entry) <= LONGEST else None
    if match is None or (match["port"] is not None and not 0 < int(match["port"]) < 65_536):
        return None
    try:
        network = None if match["network"] is None else ip_network(match["network"])
    except ValueError:
        return None
    port = None if match["port"] is None else int(match["port"])
    return McpHost(name=_name(match), port=port, network=network)


def _name(match: re.Match[str]) -> str:
    """The host name or IP address in lower case. Each IP address gets one spelling."""
    text = (match["v6"] or match["name"]).lower().rstrip(".")
    try:
        return str(ip_address(text))
    except ValueError:
        return text


def _within(ip: Address) -> tuple[Address, ...]:
    """The IPv4 addresses within an IPv6 address."""
    if isinstance(ip, IPv4Address):
        return ()
    teredo = ip.teredo or ()
    embedded = (ip.ipv4_mapped, ip.sixtofour, *teredo)
    translated = (IPv4Address(int(ip) & 0xFFFFFFFF),) if ip in _TRANSLATED else ()
    return (*(each for each in embedded if each is not None), *translated)
