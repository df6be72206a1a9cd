"""Checks the Host header of a call if the published keys of LOCAL=1 are accepted.

The owner of a web page can make the page's domain name point to this machine (DNS rebinding). The browser then treats
calls to this service as calls to the page's own origin, so the page can read every answer. But the page cannot change
the Host header, which contains the page's domain name.
"""

import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Final

from retrieval.errors import NotAuthorized

HOST: Final = "host"
EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})
"""A service that listens on one of these addresses can be called at any address of its machine. Calls to any IP address
are then accepted, because DNS rebinding needs a domain name."""
_FORM: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")

ORIGIN: Final = "origin"
ANY: Final = "*"


def check_host(headers: Mapping[str, str], *, named: Collection[str] | None) -> None:
    """Accept calls to loopback names and to the hosts in `named`, with or without a port. If `named` is None, every
    host is accepted.

    A call without a Host header is accepted, because it does not come from a browser. `headers` has lower-case names.
    Raises NotAuthorized.
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
    """The scheme and the host under which the caller called this service; None if the host is missing or not valid.

    By default, both come from `origin`, the origin of the call. If the platform's front end forwards the caller's
    scheme in a header, that scheme is used. If a gateway forwards the caller's host in a header, that host is used,
    with https by default. Anybody can send these headers, so a forwarded host is used only if `public` contains it.
    """
    scheme, _, host = origin.partition("://")
    gateway = headers.get("x-forwarded-host", "").strip().lower()
    if gateway in {host_name.lower() for host_name in public}:
        scheme, host = "https", gateway
    forwarded_scheme = headers.get("x-forwarded-proto", "").lower()
    if forwarded_scheme in {"http", "https"}:
        scheme = forwarded_scheme
    return f"{scheme}://{host}" if _FORM.fullmatch(host) else None


def _name(host: str) -> str | None:
    """The host name or IP address in lower case, without a port and without a final dot; None if the host is not
    valid."""
    match = _FORM.fullmatch(host.strip())
    return None if match is None else (match["v6"] or match["name"]).lower().rstrip(".")


def _is_loopback(name: str) -> bool:
    """Whether the name is localhost, a name that ends with `.localhost` (RFC 6761, section 6.3), an address in
    127.0.0.0/8, or ::1."""
    return name == "localhost" or name.endswith(".localhost") or (_is_address(name) and ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
