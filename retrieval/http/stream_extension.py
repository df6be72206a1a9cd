"""A function that uses Microsoft's extension for HTTP streams. With `STREAM_EVENTS=1` the host forwards the HTTP
request, and events are sent while the answer is made. This module loads FastAPI, so it is imported only with this
setting.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from azurefunctions.extensions.http.fastapi import Request, Response, StreamingResponse

from retrieval.contracts.rendered import Part, Rendered, pieces
from retrieval.http.call import LARGEST_BODY
from retrieval.http.delivery import CARRIER
from retrieval.http.serving import GONE

KIND: Final = "application/json; charset=utf-8"
LARGEST_PIECE: Final = 65_536

Answer = Callable[[Request, bytes], Awaitable[Rendered]]
"""Answers a request. The second argument is the body."""


class ForwardedCarrier:
    """Passes the parts of an answer to the response, one after the other."""

    def __init__(self) -> None:
        self.head: Final[asyncio.Future[tuple[int, Mapping[str, str]] | None]] = asyncio.Future()
        """The status and the headers; None if the work ends before any part."""
        self._parts: Final[asyncio.Queue[Part | None]] = asyncio.Queue()
        self._reader: asyncio.Task[object] | None = None
        self._is_cut = False

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Sets the status and the headers."""
        self.head.set_result((status, {name.lower(): value for name, value in headers.items()}))

    async def send(self, part: Part) -> None:
        """Waits until the previous part has been sent, then adds this part."""
        await self._parts.join()
        self._parts.put_nowait(part)

    def cut(self) -> None:
        """Closes the connection before the answer is complete. This also works before the first part is read."""
        self._is_cut = True
        if self._reader is not None:
            self._reader.cancel()

    def end(self) -> None:
        """Ends the parts."""
        self._parts.put_nowait(None)
        if not self.head.done():
            self.head.set_result(None)

    async def parts(self) -> AsyncIterator[bytes]:
        """The bytes of the parts, until the work has ended. Raises CancelledError if `cut` has been called."""
        self._reader = asyncio.current_task()
        if self._is_cut:
            raise asyncio.CancelledError
        while (part := await self._parts.get()) is not None:
            for piece in pieces(part):
                for start in range(0, len(piece), LARGEST_PIECE):
                    yield bytes(piece[start : start + LARGEST_PIECE])
            self._parts.task_done()


def forwarded(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """The function that the host calls with a request. The work is cancelled if the caller disconnects."""

    async def function(req: Request) -> Response:
        carrier = ForwardedCarrier()
        body = await _body(req)
        CARRIER.set(carrier)  # The task of the work has a copy of this context.
        work, gone = asyncio.ensure_future(answer(req, body)), asyncio.create_task(_gone(req))
        gone.add_done_callback(lambda _: work.cancel())
        work.add_done_callback(lambda _: gone.cancel())
        work.add_done_callback(lambda _: carrier.end())
        head = await carrier.head
        if head is not None:
            status, headers = head
            return StreamingResponse(carrier.parts(), status_code=status, headers=headers)
        with suppress(asyncio.CancelledError):
            answered = work.result()
            headers = {"content-type": KIND, **{name.lower(): value for name, value in answered.headers.items()}}
            return Response(answered.content, status_code=answered.status, headers=headers)
        return Response(status_code=GONE)

    return function


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs as a dict, with the names in lower case. Commas join the values of a repeated name, as in the Functions
    host."""
    values = defaultdict[str, list[str]](list)
    for name, value in pairs:
        values[name.lower()].append(value)
    return {name: ",".join(texts) for name, texts in values.items()}


def origin(req: Request) -> str:
    """The scheme and host that the caller called. The Functions host forwards both."""
    scheme = "https" if req.headers.get("x-forwarded-proto", "").lower() == "https" else req.url.scheme
    return f"{scheme}://{req.url.netloc}"


async def _body(req: Request) -> bytes:
    """The body. Reading stops when the body is larger than LARGEST_BODY."""
    parts, size = list[bytes](), 0
    async for part in req.stream():
        parts.append(part)
        size += len(part)
        if size > LARGEST_BODY:
            break
    return b"".join(parts)


async def _gone(req: Request) -> None:
    """Returns when the caller has disconnected."""
    while (await req.receive())["type"] != "http.disconnect":
        pass
