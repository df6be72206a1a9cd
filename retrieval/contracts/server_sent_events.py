"""Server-sent events as bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from retrieval.contracts.rendered import Part

EVENT_STREAM: Final[Mapping[str, str]] = MappingProxyType(
    {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
)
"""The headers of an answer whose body is events."""

HEARTBEAT: Final = b": heartbeat\n\n"
"""A comment, which clients skip: it keeps proxies from closing a quiet connection."""

_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def event(name: str, data: bytes) -> bytes:
    """One event. `data` is JSON; each of its lines becomes a data line. ValueError for an invalid name."""
    if not name or not _NAME.issuperset(name):
        raise ValueError(f"{name!r} is not the name of an event.")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"event: " + name.encode() + b"\n" + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"


def event_over(name: str, *data: bytes | memoryview) -> Part:
    """One event over JSON that stands elsewhere and is not copied. `data` is its pieces, of one line together."""
    return (b"event: " + name.encode() + b"\ndata: ", *data, b"\n\n")
