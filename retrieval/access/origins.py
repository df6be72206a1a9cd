"""The Origin of a call, which browsers add. Not every page in a browser may call in its user's name.

An attacker can point the domain name of a page at this machine (DNS rebinding): Host and Origin are then equal,
which proves something over https only, by the certificate.
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
"""

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

from retrieval.errors import NotAuthorized

ORIGIN: Final = "origin"
ANY: Final = "*"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def check_origin(headers: Mapping[str, str], *, public_hosts: Collection[str], allowed: Collection[str]) -> None:
    """Accept calls without an Origin, of pages on this machine, and over https of this service's own hosts.

    `allowed` are Origins that may call besides, `*` all. `headers` has lower-case names. Raises NotAuthorized.
    """
    origin = headers.get(ORIGIN)
    if origin is None or origin in allowed or ANY in allowed:
        return
    if not _is_ours(origin, {headers.get("host", ""), *public_hosts}):
        raise NotAuthorized("Pages of this Origin may not call this service.")


def _is_ours(origin: str, hosts: Collection[str]) -> bool:
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or name is None:
        return False
    is_own_host = parts.scheme == "https" and parts.netloc.lower() in {host.lower() for host in hosts}
    return is_own_host or name in LOOPBACK
