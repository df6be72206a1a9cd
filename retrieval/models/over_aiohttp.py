"""The HTTP client of the `openai` package, over aiohttp. The other clients use aiohttp too.

The package makes the headers of a request and reads the status. This client sends the request, and reads the content up
to a limit. The package's client over aiohttp would take 3 to 7 % more of the CPU time of a retrieve
(tests/benchmarks/pieces.py).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final

import httpx2
from aiohttp import (
    BytesPayload,
    ClientConnectorError,
    ClientOSError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ServerDisconnectedError,
    StreamReader,
)
from yarl import URL

from retrieval.models.completion import EVENTS, MOST_BYTES, REFUSAL_BYTES, SERVICE
from retrieval.outgoing.bodies import unpack
from retrieval.outgoing.over_aiohttp import content, our_errors

RESPONSE_HEADERS: Final = frozenset({b"content-type", b"retry-after", b"x-request-id"})
"""The response headers that the package or this service reads."""

GATHERING_SECONDS: Final = 0.03
"""The pause in seconds before each read of events, except the first. A read costs the same CPU time for one event as
for several: without pauses a streamed reply took 2 to 22 % more on a busy machine (tests/benchmarks/pieces.py)."""

_parsed: Final = lru_cache(httpx2.URL)
_address: Final = lru_cache(partial(URL, encoded=True))


class OpenAIClient(httpx2.AsyncClient):
    """Sends each request once with `session`. Redirects are not followed.

    `seconds` limits the time to connect, and the time to wait for more bytes of an answer. A `patient` client waits for
    bytes without a limit. If the server closes or resets the connection without an answer, it sends the request once
    more, since servers on a developer's machine close an unused connection after few seconds (llama.cpp 5 s).
    """

    def __init__(self, session: ClientSession, *, seconds: float, patient: bool = False) -> None:
        super().__init__(transport=httpx2.AsyncBaseTransport(), trust_env=False)
        self._aiohttp = session
        self._seconds = seconds
        self._patient = patient
        self._limits = ClientTimeout(total=None, sock_connect=seconds, sock_read=None if patient else seconds)

    def build_request(self, method: str, url: httpx2.URL | str, **parts: Any) -> httpx2.Request:
        """The request with only the package's headers. aiohttp adds the headers of the body and of the connection."""
        return httpx2.Request(
            method,
            _parsed(str(url)),
            headers=parts["headers"],
            stream=httpx2.ByteStream(parts.get("content") or b""),
        )

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """The response. If `stream` is true, content that comes in events or has an unknown length is not read yet,
        unless it is a refusal. Raises BackendTimeout and BackendUnanswered. Reading the content raises the same errors.
        """
        body = await request.aread()
        with our_errors(SERVICE, seconds=self._seconds):
            try:
                answer = await self._answer(request, body)
            except (ServerDisconnectedError, ClientOSError) as error:
                if not self._patient or isinstance(error, ClientConnectorError):
                    raise
                answer = await self._answer(request, body)
            is_refusal = answer.status >= 400
            has_length = answer.content_length is not None and answer.content_type != EVENTS
            is_whole = not stream or is_refusal or has_length
            most = REFUSAL_BYTES if is_refusal else MOST_BYTES
            whole = await content(answer, most=most, service=SERVICE) if is_whole else b""
        response = httpx2.Response(
            answer.status,
            headers=[header for header in answer.raw_headers if header[0].lower() in RESPONSE_HEADERS],
            stream=httpx2.ByteStream(whole) if is_whole else _Content(answer, seconds=self._seconds),
            request=request,
        )
        if not stream:
            await response.aread()
        return response

    async def _answer(self, request: httpx2.Request, body: bytes) -> ClientResponse:
        return await self._aiohttp.request(
            request.method,
            _address(str(request.url)),
            headers=request.headers.multi_items(),
            data=BytesPayload(body) if body else None,
            allow_redirects=False,
            timeout=self._limits,
        )

    async def aclose(self) -> None:
        await self._aiohttp.close()


class _Content(httpx2.AsyncByteStream):
    """A response body that is decompressed while it arrives. If the body is closed before its end, the connection is
    closed too."""

    def __init__(self, response: ClientResponse, *, seconds: float) -> None:
        self._response = response
        self._seconds = seconds
        self._pieces = unpack(
            _gathered(response.content) if response.content_type == EVENTS else response.content.iter_any(),
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


async def _gathered(content: StreamReader) -> AsyncIterator[bytes]:
    """The bytes of a body. Bytes that arrive within GATHERING_SECONDS are read together. Reads do not pause after the
    end of the body."""
    ended = asyncio.Event()
    content.on_eof(ended.set)
    while part := await content.readany():
        yield part
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHERING_SECONDS):
                await ended.wait()
