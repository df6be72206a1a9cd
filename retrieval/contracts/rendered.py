"""The answer that a contract renders: status, headers and a body. The module depends on no web framework.

Clients repeat a call if its answer states a time to wait, so only an answer with the status 429 states a time.
Server-sent events follow https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from retrieval import errors
from retrieval.errors import RetrievalError

Part: TypeAlias = bytes | tuple[bytes | memoryview, ...]
"""A part of a streamed answer: bytes, or pieces that are sent one after the other. Several events may share the bytes
of a piece."""

Events: TypeAlias = AsyncGenerator[Part, None]
"""A stream of server-sent events, which are already encoded by `event` or `event_over`. The consumer closes the
generator."""

EVENT_STREAM: Final[Mapping[str, str]] = MappingProxyType(
    {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
)
"""The headers of an answer whose body is a stream of events."""

HEARTBEAT: Final = b": heartbeat\n\n"
"""A comment in the stream, which clients ignore. It prevents proxies from closing an idle connection."""

MESSAGE: Final = "message"
"""The name of an event whose stream has no names: clients read an event without a name as this one."""

_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def pieces(part: Part) -> tuple[bytes | memoryview, ...]:
    """The pieces of a part, in their order."""
    return (part,) if isinstance(part, bytes) else part


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """An answer to send. `body` is bytes, usually UTF-8 JSON, or a stream of events."""

    status: int
    body: bytes | Events
    headers: Mapping[str, str] = field(default_factory=dict)
    until: float | None = None
    """The deadline for sending the events, in the event loop's time. None means that there is no deadline."""
    failure_event: str = "error"
    """The name of the last event, if the call fails after the first event was sent."""

    @property
    def content(self) -> bytes:
        """The body as bytes. Raises TypeError if the body is a stream of events."""
        if not isinstance(self.body, bytes):
            raise TypeError("The body is a stream of events, not bytes.")
        return self.body


def retry_after(error: RetrievalError) -> float | None:
    """The seconds after which the client may repeat the call. None if no wait is stated. For a RetrievalFailed it is
    the longest wait of its errors."""
    if isinstance(error, errors.RetrievalFailed):
        return max((wait for failure in error.errors if (wait := retry_after(failure)) is not None), default=None)
    return error.retry_after if isinstance(error, errors.Overloaded | errors.BackendThrottled) else None


def event(name: str, data: bytes) -> bytes:
    """Encodes an event. `data` is JSON. Each line of the JSON becomes a data line. Raises ValueError for an invalid
    name."""
    if not name or not _NAME.issuperset(name):
        raise ValueError(f"{name!r} is not the name of an event.")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"event: " + name.encode() + b"\n" + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"


def event_over(name: str, *data: bytes | memoryview) -> Part:
    """Encodes an event without copying its JSON. `data` are the pieces of the JSON, which must have no line breaks."""
    return (b"event: " + name.encode() + b"\ndata: ", *data, b"\n\n")


def as_event(answer: Rendered) -> Rendered:
    """The answer as a stream of one event. Other statuses than 200, and streams of events, are returned unchanged."""
    if answer.status != 200 or not isinstance(answer.body, bytes):
        return answer
    return replace(answer, headers={**answer.headers, **EVENT_STREAM}, body=event(MESSAGE, answer.body))
