"""The Host of a call, where keys that everybody knows are accepted, and its Origin, which browsers add.

A page in a browser can have its own domain name point at this machine (DNS rebinding): what it asks is then of its own
origin, and it can read every answer. It cannot change the Host header, which names its domain.

Nor may every page call in its user's name: Host and Origin are then equal, which proves something over https only, by
the certificate. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
"""

import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from retrieval.errors import NotAuthorized
from retrieval.model.mcp_hosts import LOOPBACK

HOST: Final = "host"
FORWARDED_HOST: Final = "x-forwarded-host"
FORWARDED_SCHEME: Final = "x-forwarded-proto"
EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})
"""A service that listens on these is asked by any address of its machine. An address is no domain name."""
_SCHEMES: Final = frozenset({"http", "https"})
_FORM: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")

ORIGIN: Final = "origin"
ANY: Final = "*"


def check_host(headers: Mapping[str, str], *, named: Collection[str] | None) -> None:
    """Accept calls to loopback names and to those that are `named`, with or without a port; None names every host.

    A call without the header is no browser's. `headers` has lower-case names. Raises NotAuthorized.
    """
    host = headers.get(HOST)
    if named is None or host is None:
        return
    name, names = _name(host), {_name(host_name) or host_name.lower() for host_name in named}
    if name is None or not (_is_loopback(name) or name in names or (_is_address(name) and names & EVERY_ADDRESS)):
        raise NotAuthorized(
            "With the keys that everybody knows, this service answers to localhost only: name this host in "
            "PUBLIC_HOSTS, or set API_KEYS and ADMIN_API_KEYS to keys of your own."
        )


def origin_of(origin: str, headers: Mapping[str, str], *, public: Collection[str]) -> str | None:
    """The scheme and host by which a caller knows this service: `origin`, that of the call; None where it has no host.

    The scheme may be one that the platform's front end forwards, and the host one of `public` that a gateway does:
    anybody can send these headers, and no other host is believed.
    """
    scheme, _, host = origin.partition("://")
    gateway = headers.get(FORWARDED_HOST, "").strip().lower()
    if gateway in {host_name.lower() for host_name in public}:
        scheme, host = "https", gateway
    forwarded_scheme = headers.get(FORWARDED_SCHEME, "").lower()
    return f"{forwarded_scheme if forwarded_scheme in _SCHEMES else scheme}://{host}" if _FORM.fullmatch(host) else None


def _name(host: str) -> str | None:
    """The name or address in lower case, without a port and a dot at its end; None for anything else."""
    match = _FORM.fullmatch(host.strip())
    return None if match is None else (match["v6"] or match["name"]).lower().rstrip(".")


def _is_loopback(name: str) -> bool:
    """localhost and the names beneath it (RFC 6761, section 6.3), 127.0.0.0/8 and ::1."""
    return name == "localhost" or name.endswith(".localhost") or (_is_address(name) and ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def check_origin(headers: Mapping[str, str], *, public_hosts: Collection[str], allowed: Collection[str]) -> None:
    """Accept calls without an Origin, of pages on this machine, and over https of this service's own hosts.

    `allowed` are Origins that may call besides, `*` all. `headers` has lower-case names. Raises NotAuthorized.
    """
    origin = headers.get(ORIGIN)
    if origin is None or origin in allowed or ANY in allowed:
        return
    if not _is_ours(origin, {headers.get(HOST, ""), *public_hosts}):
        raise NotAuthorized("Pages of this Origin may not call this service.")


def _is_ours(origin: str, hosts: Collection[str]) -> bool:
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in _SCHEMES or name is None:
        return False
    is_own_host = parts.scheme == "https" and parts.netloc.lower() in {host.lower() for host in hosts}
    return is_own_host or name in LOOPBACK
