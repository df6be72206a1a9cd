"""Unpacks the body of an answer in small pieces and only up to a limit, since a body can be a thousand times as large
as what arrives."""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from typing import Final

from retrieval.errors import BackendUnanswered

PIECE: Final = 16_384
"""The bytes of a piece. If they are events of the smallest size, reading them takes 10 ms."""
_LARGE: Final = 262_144
"""The bytes of a piece of a body that is read at once. Unpacking a piece takes a millisecond."""

ENCODINGS: Final = "gzip"
"""The encoding that `unpack` reads, as the header Accept-Encoding says it."""

UNREADABLE: Final = "gave an answer that cannot be read."
UNREAD: Final = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, zlib.error)
"""The errors that the Azure SDKs raise for an answer that is not as they expect."""

_GZIP: Final = frozenset({"gzip", "x-gzip"})
_PLAIN: Final = frozenset({"", "identity"})


async def unpack(
    body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str, piece: int = PIECE
) -> AsyncGenerator[bytes, None]:
    """The content of a body in pieces of at most `piece` bytes; the loop gets a turn after each full one.

    Raises BackendUnanswered in the name of `service` for more than `most` bytes, and for bytes that do not have the
    stated encoding.
    """
    coding, count = (encoding or "").strip().lower(), 0
    if coding not in _GZIP | _PLAIN:
        raise BackendUnanswered(service, UNREADABLE, why="unreadable")
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 16) if coding in _GZIP else None
    async for part in body:
        for block in _cut(part, piece) if inflate is None else _inflate(inflate, part, piece, service):
            count += len(block)
            if count > most:
                raise BackendUnanswered(service, f"answered with more than {most} bytes.", why="size")
            yield block
            if len(block) == piece:
                await asyncio.sleep(0)


async def whole(body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str) -> bytes:
    """The content of a body that is read at once. Raises as `unpack` does."""
    pieces = unpack(body, encoding=encoding, most=most, service=service, piece=_LARGE)
    return b"".join([piece async for piece in pieces])


def _cut(part: bytes, piece: int) -> Iterator[bytes]:
    return (part[at : at + piece] for at in range(0, len(part), piece))


def _inflate(inflate: "zlib._Decompress", part: bytes, piece: int, service: str) -> Iterator[bytes]:
    """Unpacks a part in pieces. After a full piece zlib may have more of the same input, which it has read already."""
    block = b""
    while part or len(block) == piece:
        try:
            block = inflate.decompress(part, piece)
        except zlib.error:
            raise BackendUnanswered(service, UNREADABLE, why="unreadable") from None
        part = inflate.unconsumed_tail
        yield block
