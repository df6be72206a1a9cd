"""The HTTP client of the `openai` package over aiohttp, by which this process calls everything else.

The package makes the request and reads the response; only the sending in between is done here, at a third less CPU time
for the whole call than with the package's own client. Its aiohttp client takes a connection that is cut for a timeout.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, Final

import httpx2
import openai
from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from openai import APIConnectionError, APITimeoutError
from yarl import URL

from retrieval.backends.azure_openai.completion import MOST_BYTES, SERVICE
from retrieval.backends.bodies import unpacked

TRANSPORT: Final = httpx2.AsyncBaseTransport()
"""Without one the client would make one, and read the certificates of this machine for it."""

EVENTS: Final = "text/event-stream"
BEGINNINGS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
READ: Final = frozenset({b"content-type", b"retry-after", b"x-request-id"})
"""The headers that the package reads of a call that is made once."""


class OverAiohttp(httpx2.AsyncClient):
    """Sends by `session`, once: without redirects, cookies, retries, or a proxy from the environment.

    `seconds` are the most for a connection, and for a silence within an answer.
    """

    def __init__(self, session: ClientSession, *, seconds: float) -> None:
        super().__init__(transport=TRANSPORT, timeout=seconds, trust_env=False)
        self._session = session
        self._seconds = ClientTimeout(total=None, sock_connect=seconds, sock_read=seconds)

    def build_request(
        self,
        method: str,
        url: httpx2.URL | str,
        *,
        params: Any = None,
        headers: Any = None,
        content: Any = None,
        **_unused: Any,
    ) -> httpx2.Request:
        """The request as the package gives it, which has its whole address; aiohttp writes the headers of a body."""
        body = httpx2.ByteStream(content or b"")
        return httpx2.Request(method, _whole(str(url), params), headers=headers, stream=body)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The response with its content; events are left to be read by `pieces`.

        Raises APITimeoutError, APIConnectionError, and BackendUnavailable for content that is too long or not as
        encoded.
        """
        with _of(request):
            response = await self._session.request(
                request.method,
                _address(str(request.url)),
                headers=request.headers,
                data=request.read() or None,
                allow_redirects=False,
                timeout=self._seconds,
            )
            headers = [one for one in response.raw_headers if one[0].lower() in READ]
            received = partial(httpx2.Response, response.status, headers=headers, request=request)
        body = _Unread(response, request)
        try:
            if response.content_type == EVENTS or await body.begins_as_events():
                return received(stream=body)
            return received(content=b"".join([piece async for piece in body]))
        except BaseException:
            await body.aclose()
            raise

    async def aclose(self) -> None:
        await self._session.close()
        await super().aclose()


class AsyncAzureOpenAI(openai.AsyncAzureOpenAI):
    """The package's client, which would parse the address of a deployment at each call.

    It keeps the package's name for it, since the User-Agent says that.
    """

    def _prepare_url(self, url: str) -> httpx2.URL:
        return _whole(url, None) if url.startswith("http") else super()._prepare_url(url)


@lru_cache
def _whole(url: str, params: str | None) -> httpx2.URL:
    return httpx2.URL(url, params=params)


@lru_cache
def _address(url: str) -> URL:
    return URL(url, encoded=True)


class _Unread(httpx2.AsyncByteStream):
    """A body as it comes, unpacked. Who closes it before its end closes the connection."""

    def __init__(self, response: ClientResponse, request: httpx2.Request) -> None:
        self._response = response
        self._request = request
        self._pieces = unpacked(
            response.content.iter_any(),
            encoding=response.headers.get("content-encoding"),
            most=MOST_BYTES,
            service=SERVICE,
        )

        self._first = b""

    async def begins_as_events(self) -> bool:
        """Whether it does, whatever type it is said to have: JSON begins otherwise. Waits for the first bytes.

        Blanks before them mean nothing to either."""
        with _of(self._request):
            async for piece in self._pieces:
                self._first = piece.lstrip()
                if self._first:
                    break
        return self._first.startswith(BEGINNINGS)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._first:
            yield self._first
        with _of(self._request):
            async for piece in self._pieces:
                yield piece

    async def aclose(self) -> None:
        self._response.close()
        await self._pieces.aclose()


async def pieces(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """The content of events as it comes. Raises APITimeoutError, APIConnectionError and BackendUnavailable."""
    try:
        async for piece in response.aiter_bytes():
            yield piece
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
