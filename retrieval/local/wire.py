"""One HTTP exchange as plain data: the answers of the local services, over any transport.

A service is an async callable from `WireRequest` to `WireResponse`. The azure-core transport (`transport.py`) calls one
without a socket; the loopback server (`server.py`) calls the same one for other programs.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """`target` is the raw path and query as they stood on the request line, still percent-encoded.

    `headers` holds pairs in the order sent, names lower-cased, repeats kept.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The first header of that lower-case name, or None."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireResponse:
    """`headers` never holds content-length: the transport counts the bytes."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


WireService: TypeAlias = Callable[[WireRequest], Awaitable[WireResponse]]


class ConnectionCut(Exception):
    """Raised by a service that wants the connection to break before an answer (a scripted fault)."""
