"""The transport of the `openai` package's HTTP client over aiohttp, by which this process calls everything else.

The package makes the request and reads the status; only the sending in between is done here, at less CPU time than by
the client's own transport.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import lru_cache
from typing import Final

import httpx2
from aiohttp import ClientResponse, ClientSession, ClientTimeout, StreamReader
from yarl import URL

from retrieval.backends.azure_openai.completion import MOST_BYTES, SERVICE
from retrieval.backends.azure_openai.response import EVENTS
from retrieval.backends.bodies import unpack
from retrieval.backends.over_aiohttp import our_errors

AIOHTTP_HEADERS: Final = frozenset({"connection", "content-length", "host"})
"""The headers of a request that aiohttp writes itself."""
RESPONSE_HEADERS: Final = frozenset({b"content-type", b"retry-after", b"x-request-id"})
"""The headers of a response that the package reads where a call is made once."""

GATHERING_SECONDS: Final = 0.03
"""The most seconds between two reads of events: a read costs as much CPU time for one event as for several."""


class OpenAITransport(httpx2.AsyncBaseTransport):
    """Sends by `session`, once: without redirects, retries, or a proxy from the environment.

    `seconds` limits the time for a connection, and each silence within an answer.
    """

    def __init__(self, session: ClientSession, *, seconds: float) -> None:
        self._session = session
        self._seconds = seconds
        self._timeout = ClientTimeout(total=None, sock_connect=seconds, sock_read=seconds)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, its content unread. Raises BackendTimeout and BackendUnanswered; so does the content."""
        content = await request.aread()
        with our_errors(SERVICE, seconds=self._seconds):
            response = await self._session.request(
                request.method,
                _address(str(request.url)),
                headers={name: value for name, value in request.headers.items() if name not in AIOHTTP_HEADERS},
                data=content or None,
                allow_redirects=False,
                timeout=self._timeout,
            )
        headers = [header for header in response.raw_headers if header[0].lower() in RESPONSE_HEADERS]
        return httpx2.Response(response.status, headers=headers, stream=_Content(response, seconds=self._seconds))

    async def aclose(self) -> None:
        await self._session.close()


@lru_cache
def _address(url: str) -> URL:
    return URL(url, encoded=True)


class _Content(httpx2.AsyncByteStream):
    """A body that is unpacked as it comes. If it is closed before its end, the connection is closed too."""

    def __init__(self, response: ClientResponse, *, seconds: float) -> None:
        self._response = response
        self._seconds = seconds
        self._pieces = unpack(
            _Gathered(response.content) if response.content_type == EVENTS else response.content.iter_any(),
            encoding=response.headers.get("content-encoding"),
            most=MOST_BYTES,
            service=SERVICE,
        )

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with our_errors(SERVICE, seconds=self._seconds):
            async for piece in self._pieces:
                yield piece

    async def aclose(self) -> None:
        self._response.close()
        await self._pieces.aclose()


class _Gathered:
    """The bytes as they come, those of a moment together. Nothing waits once the body has ended."""

    def __init__(self, content: StreamReader) -> None:
        self._content = content
        self._ended = asyncio.Event()
        content.on_eof(self._ended.set)
        self._begun = False

    def __aiter__(self) -> "_Gathered":
        return self

    async def __anext__(self) -> bytes:
        if self._begun:
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHERING_SECONDS):
                    await self._ended.wait()
        self._begun = True
        if part := await self._content.readany():
            return part
        raise StopAsyncIteration
