"""The Host of a call, where keys that everybody knows are accepted, and its Origin, which browsers add.

A page in a browser can have its own domain name point at this machine (DNS rebinding). Its calls are then calls to its
own origin, so it can read every answer. It cannot change the Host header, which names its domain.

Nor may every page call in the name of its user. With DNS rebinding Host and Origin are equal too, so their equality
proves something over https only, by the certificate.
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
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
"""A service that listens on one of these addresses can be called by any address of its machine. An address is no domain
name."""
_SCHEMES: Final = frozenset({"http", "https"})
_FORM: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")

ORIGIN: Final = "origin"
ANY: Final = "*"


def check_host(headers: Mapping[str, str], *, named: Collection[str] | None) -> None:
    """Accept calls to loopback names and to the hosts of `named`, with or without a port; None stands for every host.

    A call without a Host header does not come from a browser. `headers` has lower-case names. Raises NotAuthorized.
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
    """The scheme and host by which a caller knows this service; None where the call has no host.

    They are those of `origin`, the call's own, unless a header says otherwise: the platform's front end forwards the
    scheme, and a gateway forwards the host. Anybody can send these headers, so only the hosts of `public` are believed.
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
    """Accept calls without an Origin, calls of pages on this machine, and calls of pages that this service's own hosts
    serve over https.

    `allowed` are further Origins that may call; `*` allows all. `headers` has lower-case names. Raises NotAuthorized.
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
