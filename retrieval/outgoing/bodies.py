"""Reads the body of a response within limits: decompresses it in small pieces, reads server-sent events, and replaces
secrets. A decompressed body can be a thousand times as large as the bytes that arrive, and a few kilobytes can contain
hundreds of thousands of events. A service may quote a request, and the caller sees its message.

Source of the format of events:
https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

import asyncio
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from functools import lru_cache
from typing import Final

from retrieval.errors import BackendUnanswered

PIECE: Final = 16_384
"""The size of a piece in bytes. A piece that contains only the smallest server-sent events takes 10 ms to read."""
_LARGE: Final = 262_144
"""The size of a piece in bytes in `whole`. Decompressing such a piece takes a millisecond."""

ENCODINGS: Final = "gzip"
"""The value of the Accept-Encoding header. It names the compression that `unpack` can read."""

UNREADABLE: Final = "gave an answer that cannot be read."
UNREAD: Final = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, zlib.error)
"""The errors that the Azure SDKs raise for an unexpected response."""

_GZIP: Final = frozenset({"gzip", "x-gzip"})
_PLAIN: Final = frozenset({"", "identity"})


async def unpack(
    body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str, piece: int = PIECE
) -> AsyncGenerator[bytes, None]:
    """The decompressed content of a body in pieces of at most `piece` bytes. After each full piece, the event loop can
    run other tasks.

    Raises BackendUnanswered, which names `service`, for more than `most` bytes, an unknown encoding, or bytes that do
    not have the stated encoding.
    """
    coding, count = (encoding or "").strip().lower(), 0
    if coding not in _GZIP | _PLAIN:
        raise BackendUnanswered(service, UNREADABLE, why="unreadable")
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 16) if coding in _GZIP else None
    async for part in body:
        pieces = (part[at : at + piece] for at in range(0, len(part), piece))
        for block in pieces if inflate is None else _inflate(inflate, part, piece, service):
            count += len(block)
            if count > most:
                raise BackendUnanswered(service, f"answered with more than {most} bytes.", why="size")
            yield block
            if len(block) == piece:
                await asyncio.sleep(0)


async def whole(body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str) -> bytes:
    """The whole decompressed content of a body. Raises the same errors as `unpack`."""
    pieces = unpack(body, encoding=encoding, most=most, service=service, piece=_LARGE)
    return b"".join([piece async for piece in pieces])


def _inflate(inflate: "zlib._Decompress", part: bytes, piece: int, service: str) -> Iterator[bytes]:
    """Decompresses a part in pieces. After a full piece, zlib may still have output for input that it has already
    read."""
    block = b""
    while part or len(block) == piece:
        try:
            block = inflate.decompress(part, piece)
        except zlib.error:
            raise BackendUnanswered(service, UNREADABLE, why="unreadable") from None
        part = inflate.unconsumed_tail
        yield block


_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_ESCAPED: Final = rb"(?:\\{0,7}%s|\\{1,7}u(?i:%04x))"
"""A character as JSON may write it, also in JSON that is a text within JSON. Each level doubles the backslashes."""


def without_secret(content: bytes, secret: str, *, replacement: bytes) -> bytes:
    """The content without the secret. JSON may write the characters of the secret that are not letters or digits as
    escapes. An empty secret is nowhere."""
    longest = max(_WORD.findall(secret), key=len, default="")
    is_there = bool(secret) and longest.encode() in content
    return _pattern(secret).sub(replacement, content) if is_there else content


@lru_cache(maxsize=256)
def _pattern(secret: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_written, secret)))


def _written(character: str) -> bytes:
    if _WORD.fullmatch(character):
        return character.encode()
    return _ESCAPED % (re.escape(character.encode()), ord(character))


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
