"""The answer that a contract renders: status, headers and a body, before any web framework.

Clients repeat every answer that states a wait, so only a 429 does. Server-sent events are bytes as
https://html.spec.whatwg.org/multipage/server-sent-events.html has them.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval import errors
from retrieval.errors import RetrievalError

Part: TypeAlias = bytes | tuple[bytes | memoryview, ...]
"""A part of an answer, in pieces if some of them belong to other events too. Nothing comes between the pieces."""

Events: TypeAlias = AsyncGenerator[Part, None]
"""Server-sent events, each encoded (`event`), as they happen. The consumer closes the iterator."""

EVENT_STREAM: Final[Mapping[str, str]] = MappingProxyType(
    {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
)
"""The headers of an answer whose body is events."""

HEARTBEAT: Final = b": heartbeat\n\n"
"""A comment, which clients skip: it keeps proxies from closing a quiet connection."""

_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def pieces(part: Part) -> tuple[bytes | memoryview, ...]:
    """The pieces of a part, in their order."""
    return (part,) if isinstance(part, bytes) else part


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """An answer to send. `body` is UTF-8 JSON, or events."""

    status: int
    body: bytes | Events
    headers: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """Documents that were found and returned, and dropped by reason: for the log, not for the wire."""
    until: float | None = None
    """The time of the running loop by which its events must have left; None without a limit."""
    failure_event: str = "error"
    """The name of the last event, where the work fails after the first."""

    @property
    def content(self) -> bytes:
        """The body as bytes. TypeError if the body is events."""
        if not isinstance(self.body, bytes):
            raise TypeError("The body is a stream of events, not bytes.")
        return self.body


def retry_after(error: RetrievalError) -> float | None:
    """The seconds after which the call may be sent again; None where no service stated a wait. For several failures it
    is the longest wait."""
    if isinstance(error, errors.RetrievalFailed):
        return max((wait for failure in error.errors if (wait := retry_after(failure)) is not None), default=None)
    return error.retry_after if isinstance(error, errors.Overloaded | errors.BackendThrottled) else None


def event(name: str, data: bytes) -> bytes:
    """One event. `data` is JSON; each of its lines becomes a data line. ValueError for an invalid name."""
    if not name or not _NAME.issuperset(name):
        raise ValueError(f"{name!r} is not the name of an event.")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"event: " + name.encode() + b"\n" + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"


def event_over(name: str, *data: bytes | memoryview) -> Part:
    """One event over JSON that is not copied. `data` are the pieces of the JSON, which together are one line."""
    return (b"event: " + name.encode() + b"\ndata: ", *data, b"\n\n")


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as the published examples of Azure AI Search have it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
