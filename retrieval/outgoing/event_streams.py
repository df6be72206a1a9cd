"""Reads server-sent events within limits. A stream compresses well, so a few kilobytes could otherwise contain hundreds
of thousands of events.

Source of the format: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from collections.abc import Iterator
from typing import Final

from retrieval.errors import BackendUnanswered

MOST_EMPTY: Final = 1_000
"""The most events of a stream that have no content, such as those that keep a connection open."""

MOST_LINES: Final = 100_000
"""The most lines of a stream. An event usually has up to four lines."""


class EventStream:
    """Reads events from bytes that may end anywhere. A stream may have `most` events with data, MOST_EMPTY events
    without content, and MOST_LINES lines. The time is proportional to the length of the stream.

    The methods raise BackendUnanswered, which names `service`, for a stream beyond these limits.
    """

    def __init__(self, *, most: int, service: str) -> None:
        self._most = most
        self._service = service
        self._line = bytearray()
        self._data: list[bytes] = []
        self._after_return = False
        self._events = self._empty = self._lines = 0

    def feed(self, content: bytes) -> Iterator[bytes]:
        """The data of each event that has data and ends in these bytes."""
        if self._after_return and content:
            content, self._after_return = content.removeprefix(b"\n"), False
        self._after_return = self._after_return or content.endswith(b"\r")
        *lines, rest = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._lines = self._within(self._lines + len(lines), MOST_LINES, "lines")
        if lines and self._line:
            lines[0] = bytes(self._line) + lines[0]
            self._line.clear()
        self._line += rest
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and (data := self._end_event()):
                yield data

    def count_empty(self) -> None:
        """Count an event that has no content."""
        self._empty = self._within(self._empty + 1, MOST_EMPTY, "events without content")

    def _end_event(self) -> bytes:
        """The data of the event that ends here."""
        data, self._data = b"\n".join(self._data), []
        if data:
            self._events = self._within(self._events + 1, self._most, "events")
        else:
            self.count_empty()
        return data

    def _within(self, count: int, most: int, kind: str) -> int:
        if count > most:
            raise BackendUnanswered(self._service, f"answered with more than {most} {kind}.", why="size")
        return count
