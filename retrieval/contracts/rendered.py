"""The answer that a contract renders: status, headers and a body, before any web framework."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Part: TypeAlias = bytes | tuple[bytes | memoryview, ...]
"""A part of an answer, in pieces where some of it is a part of other events too: nothing comes between them."""

Events: TypeAlias = AsyncGenerator[Part, None]
"""Server-sent events, each encoded (`server_sent_events`), as they happen. The consumer closes the iterator."""


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
