"""Reads the body of a chat completion while it arrives. The body is one JSON object, or events with pieces of the
text."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from math import inf
from typing import TYPE_CHECKING, Final

from retrieval.model.prompt import Reply
from retrieval.models.completion import CompletionStream, whole
from retrieval.ports import Hear

if TYPE_CHECKING:
    from httpx2 import Response

EVENTS: Final = "text/event-stream"
BEGINNINGS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
"""An answer that begins with one of these is read as events, even if its content type is different. JSON does not begin
with any of them."""

END_SECONDS: Final = 0.2
"""The longest wait for the end of the body after the last event. A connection that is closed before that end cannot be
reused.
"""
USAGE_SECONDS: Final = 1.0
"""The longest wait for the token counts and the last event, counted from the end of the text. Some endpoints do not
send them."""


async def read(response: "Response", hear: Hear | None, longest: int) -> Reply:
    """The reply, of `longest` tokens at most. If the reply arrives in events, `hear` is called with each piece of the
    text. Raises BackendTimeout and BackendUnavailable."""
    async with aclosing(response):
        contents = response.aiter_bytes()
        first = await _beginning(contents)
        if response.headers.get("content-type", "").partition(";")[0] != EVENTS and not first.startswith(BEGINNINGS):
            return whole(b"".join([first, *[content async for content in contents]]))
        return await _read_events(first, contents, hear, CompletionStream(longest))


async def _beginning(contents: AsyncIterator[bytes]) -> bytes:
    """The first bytes of the content, without leading whitespace; empty if the content has only whitespace. Leading
    whitespace has no meaning in JSON or in events."""
    async for content in contents:
        if first := content.lstrip():
            return first
    return b""


async def _read_events(
    first: bytes, contents: AsyncIterator[bytes], hear: Hear | None, stream: CompletionStream
) -> Reply:
    """The reply, read from events. `first` has the bytes that were already read."""
    clock, until = asyncio.get_running_loop().time, inf
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as patience:
            content: bytes | None = first
            while content is not None:
                _feed(stream, content, hear)
                if stream.finished:
                    until = min(until, clock() + (END_SECONDS if stream.ended else USAGE_SECONDS))
                    patience.reschedule(until)
                content = await anext(contents, None)
    return stream.reply()


def _feed(stream: CompletionStream, content: bytes, hear: Hear | None) -> None:
    """Gives the text of the events in these bytes to `hear`. Raises BackendUnavailable for an invalid event or an error
    event."""
    pieces: list[str] = []
    try:
        pieces.extend(stream.feed(content))  # the pieces before an error are kept
    finally:
        if pieces and hear is not None:
            hear("".join(pieces))
