"""The HTTP client of the `openai` package over aiohttp, by which this process calls everything else.

The package makes the request and reads the response; only the sending in between is done here, at a third less CPU time
for the whole call than with the package's own client. Its aiohttp client takes a connection that is cut for a timeout.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import httpx2
from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from openai import APIConnectionError, APITimeoutError
from yarl import URL

TRANSPORT: Final = httpx2.AsyncBaseTransport()
"""Without one the client would make one, and read the certificates of this machine for it."""

EVENTS: Final = "text/event-stream"


class OverAiohttp(httpx2.AsyncClient):
    """Sends by `session`, once: without redirects, cookies, retries, or a proxy from the environment.

    `seconds` are the most for a connection, and for a silence within an answer.
    """

    def __init__(self, session: ClientSession, *, seconds: float) -> None:
        super().__init__(transport=TRANSPORT, timeout=seconds, trust_env=False)
        self._session = session
        self._seconds = ClientTimeout(total=None, sock_connect=seconds, sock_read=seconds)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The response with its content; events are left to be read by `pieces`.

        Raises APITimeoutError, APIConnectionError, and httpx2.DecodingError for content that is not as encoded.
        """
        with _of(request):
            response = await self._session.request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=request.headers,
                data=request.content or None,
                allow_redirects=False,
                timeout=self._seconds,
            )
            received = partial(httpx2.Response, response.status, headers=response.raw_headers, request=request)
            if response.content_type == EVENTS:
                return received(stream=_Unread(response, request))
            async with response:
                content = await response.read()
        return received(content=content)

    async def aclose(self) -> None:
        await self._session.close()
        await super().aclose()


class _Unread(httpx2.AsyncByteStream):
    """A body as it comes. Who closes it before its end closes the connection."""

    def __init__(self, response: ClientResponse, request: httpx2.Request) -> None:
        self._response = response
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _of(self._request):
            async for piece in self._response.content.iter_any():
                yield piece

    async def aclose(self) -> None:
        self._response.close()


async def pieces(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """The content of events as it comes. Raises APITimeoutError and APIConnectionError."""
    try:
        async for piece in response.aiter_bytes():
            yield piece
    except httpx2.DecodingError as error:
        raise APIConnectionError(request=response.request) from error
    finally:
        await response.aclose()


@contextmanager
def _of(request: httpx2.Request) -> Iterator[None]:
    """Errors of aiohttp as the package's own."""
    try:
        yield
    except TimeoutError as error:
        raise APITimeoutError(request=request) from error
    except (ClientError, OSError, ValueError) as error:
        raise APIConnectionError(request=request) from error
