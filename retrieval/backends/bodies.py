"""The body of an answer, unpacked in small pieces and only up to a limit: a thousandth of its bytes may arrive."""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from typing import Final

from retrieval.errors import BackendUnanswered

PIECE: Final = 16_384
"""Bytes. To read them as the smallest events takes 10 ms."""
_LARGE: Final = 262_144
"""Bytes. To unpack as much takes a millisecond."""

ENCODINGS: Final = "gzip"
"""What `unpacked` reads, as the header Accept-Encoding says it."""

UNREADABLE: Final = "gave an answer that cannot be read."
UNREAD: Final = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, zlib.error)
"""What the Azure SDKs let through of an answer that is not as they expect."""

_GZIP: Final = frozenset({"gzip", "x-gzip"})
_PLAIN: Final = frozenset({"", "identity"})


async def unpacked(
    body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str, piece: int = PIECE
) -> AsyncGenerator[bytes, None]:
    """The content of a body in pieces of at most `piece` bytes; the loop gets a turn after each full one.

    Raises BackendUnanswered in the name of `service` for more than `most` bytes, and for what is not as encoded.
    """
    coding, read = (encoding or "").strip().lower(), 0
    if coding not in _GZIP | _PLAIN:
        raise BackendUnanswered(service, UNREADABLE, why="unreadable")
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 16) if coding in _GZIP else None
    async for part in body:
        for one in _cut(part, piece) if inflate is None else _inflated(inflate, part, piece, service):
            read += len(one)
            if read > most:
                raise BackendUnanswered(service, f"answered with more than {most} bytes.", why="size")
            yield one
            if len(one) == piece:
                await asyncio.sleep(0)


async def whole(body: AsyncIterable[bytes], *, encoding: str | None, most: int, service: str) -> bytes:
    """The content of a body that is read at once. Raises as `unpacked` does."""
    pieces = unpacked(body, encoding=encoding, most=most, service=service, piece=_LARGE)
    return b"".join([piece async for piece in pieces])


def _cut(part: bytes, piece: int) -> Iterator[bytes]:
    return (part[at : at + piece] for at in range(0, len(part), piece))


def _inflated(inflate: "zlib._Decompress", part: bytes, piece: int, service: str) -> Iterator[bytes]:
    """A full piece may leave more of the same input, which zlib has read already."""
    one = b""
    while part or len(one) == piece:
        try:
            one = inflate.decompress(part, piece)
        except zlib.error:
            raise BackendUnanswered(service, UNREADABLE, why="unreadable") from None
        part = inflate.unconsumed_tail
        yield one
