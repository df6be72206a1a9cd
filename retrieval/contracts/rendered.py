"""What a contract renders: status, headers and a body, before any web framework."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Events: TypeAlias = AsyncGenerator[bytes, None]
"""Server-sent events, each encoded (`server_sent_events`), as they happen. Whoever takes them closes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """An answer on its way out. `body` is UTF-8 JSON, or events."""

    status: int
    body: bytes | Events
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The body where it is whole. TypeError where it is events."""
        if not isinstance(self.body, bytes):
            raise TypeError("These are events, which have to be taken as they come.")
        return self.body
