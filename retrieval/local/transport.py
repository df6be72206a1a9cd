"""azure-core transports that call a `WireService` in this process: no socket, the same SDK code path as in production.

    from azure.search.documents import SearchClient
    from retrieval.local.search_service import SearchService
    from retrieval.local.transport import connect

    service = SearchService(admin_keys=["local-dev-key"])
    client = SearchClient(index_name="hotels", **connect(service))

`connect` fits every sync Azure SDK client that takes an endpoint, a credential and a transport; `connect_async` fits
those of the `aio` packages. Only public abstract classes of azure-core are used, so retries, error mapping, response
hooks and token credentials work as they do over HTTP.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from http import HTTPStatus
from types import TracebackType
from typing import Any, TypedDict, TypeVar
from urllib.parse import urlsplit

from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError, ServiceResponseError
from azure.core.pipeline.transport import AsyncHttpTransport, HttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest, HttpResponse
from azure.core.utils import case_insensitive_dict

from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

ENDPOINT = "https://local-search.invalid"
DEVELOPMENT_KEY = "local-dev-key"

T = TypeVar("T")


class Connection(TypedDict):
    """Keyword arguments for a sync SDK client."""

    endpoint: str
    credential: AzureKeyCredential
    transport: "InProcessTransport"


class AsyncConnection(TypedDict):
    """Keyword arguments for an `aio` SDK client."""

    endpoint: str
    credential: AzureKeyCredential
    transport: "AsyncInProcessTransport"


def connect(service: WireService, *, endpoint: str = ENDPOINT, key: str = DEVELOPMENT_KEY) -> Connection:
    """What a sync Azure SDK client needs to reach `service`: `SearchClient(index_name="x", **connect(service))`."""
    return {"endpoint": endpoint, "credential": AzureKeyCredential(key), "transport": InProcessTransport(service)}


def connect_async(service: WireService, *, endpoint: str = ENDPOINT, key: str = DEVELOPMENT_KEY) -> AsyncConnection:
    """The same for the clients of the `aio` packages."""
    return {"endpoint": endpoint, "credential": AzureKeyCredential(key), "transport": AsyncInProcessTransport(service)}


class _Answer:
    """The members that the sync and the async response share; the whole body is there from the start."""

    def __init__(self, request: HttpRequest, answer: WireResponse) -> None:
        self._request = request
        self._answer = answer
        self._headers = case_insensitive_dict(answer.headers)
        self._encoding: str | None = None
        self._consumed = False

    @property
    def request(self) -> HttpRequest:
        return self._request

    @property
    def url(self) -> str:
        return self._request.url

    @property
    def status_code(self) -> int:
        return self._answer.status

    @property
    def reason(self) -> str:
        try:
            return HTTPStatus(self._answer.status).phrase
        except ValueError:
            return ""

    @property
    def headers(self) -> MutableMapping[str, str]:
        return self._headers

    @property
    def content_type(self) -> str | None:
        return self._headers.get("content-type")

    @property
    def is_closed(self) -> bool:
        return self._consumed

    @property
    def is_stream_consumed(self) -> bool:
        return self._consumed

    @property
    def encoding(self) -> str | None:
        return self._encoding

    @encoding.setter
    def encoding(self, value: str | None) -> None:
        self._encoding = value

    @property
    def content(self) -> bytes:
        return self._answer.body

    def body(self) -> bytes:
        """The older interface's name; `azure-search-documents` 11 knows a response by it."""
        return self._answer.body

    def text(self, encoding: str | None = None) -> str:
        return self._answer.body.decode(encoding or self._encoding or "utf-8-sig", "replace")

    def json(self) -> Any:
        return json.loads(self._answer.body)


class InProcessResponse(_Answer, HttpResponse):
    """A finished answer as azure-core's sync response."""

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise HttpResponseError(response=self)

    def read(self) -> bytes:
        self._consumed = True
        return self._answer.body

    def iter_raw(self, **kwargs: Any) -> Iterator[bytes]:
        self._consumed = True
        yield self._answer.body

    def iter_bytes(self, **kwargs: Any) -> Iterator[bytes]:
        return self.iter_raw()

    def close(self) -> None:
        self._consumed = True

    def __enter__(self) -> "InProcessResponse":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class AsyncInProcessResponse(_Answer, AsyncHttpResponse):
    """A finished answer as azure-core's async response."""

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise HttpResponseError(response=self)

    async def read(self) -> bytes:
        self._consumed = True
        return self._answer.body

    async def iter_raw(self, **kwargs: Any) -> AsyncIterator[bytes]:
        self._consumed = True
        yield self._answer.body

    async def iter_bytes(self, **kwargs: Any) -> AsyncIterator[bytes]:
        self._consumed = True
        yield self._answer.body

    async def close(self) -> None:
        self._consumed = True

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


class AsyncInProcessTransport(AsyncHttpTransport[HttpRequest, AsyncHttpResponse]):
    """Awaits the service on the caller's own event loop; one service may serve any number of transports."""

    def __init__(self, service: WireService) -> None:
        self._service = service

    async def send(self, request: HttpRequest, **kwargs: Any) -> AsyncHttpResponse:
        body = await _read_async(request.content)
        try:
            answer = await self._service(_wire_request(request, body))
        except ConnectionCut as cut:
            raise ServiceResponseError(_cut(cut), error=cut) from cut
        return AsyncInProcessResponse(request, answer)

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def __aenter__(self) -> "AsyncInProcessTransport":
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.close()


class InProcessTransport(HttpTransport[HttpRequest, HttpResponse]):
    """Blocks the calling thread until the service has answered, as a call over a socket would.

    All sync transports of the process share one event loop in one background thread, so that a service may keep things
    that belong to a loop, and a caller may itself be inside a running loop.
    """

    def __init__(self, service: WireService) -> None:
        self._service = service

    def send(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            answer = wait(self._service(_wire_request(request, _read(request.content))))
        except ConnectionCut as cut:
            raise ServiceResponseError(_cut(cut), error=cut) from cut
        return InProcessResponse(request, answer)

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def __enter__(self) -> "InProcessTransport":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _cut(cut: ConnectionCut) -> str:
    return str(cut) or "The connection was cut before an answer came."


def _wire_request(request: HttpRequest, body: bytes) -> WireRequest:
    url = urlsplit(request.url)
    return WireRequest(
        method=request.method,
        target=f"{url.path or '/'}?{url.query}" if url.query else url.path or "/",
        headers=tuple((name.lower(), str(value)) for name, value in request.headers.items()),
        body=body,
    )


def _read(content: Any) -> bytes:
    """The body of a request: None, str, bytes, a file or an iterable of bytes, as `HttpRequest` allows."""
    if content is None:
        return b""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    return b"".join(content)


async def _read_async(content: Any) -> bytes:
    if isinstance(content, AsyncIterator):
        return b"".join([part async for part in content])
    return _read(content)


def wait(answer: Awaitable[T]) -> T:
    """The answer, awaited on the background loop; on a loop of its own when that loop's thread is the one that asks."""

    async def finish() -> T:
        return await answer

    thread, loop = _background()
    if thread is not threading.current_thread():
        return asyncio.run_coroutine_threadsafe(finish(), loop).result()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, finish()).result()


@lru_cache(maxsize=1)
def _background() -> tuple[threading.Thread, asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="in-process-transport", daemon=True)
    thread.start()
    return thread, loop
