"""Any `WireService` on a port of this machine, over HTTP/1.1 with uvicorn.

    with listen("127.0.0.1", 7071) as listener:
        serve(service, listener=listener, ready=print)          until Ctrl-C or SIGTERM

    async with serving(service) as address: ...                 on the running loop, on a free port

The service sees the request line's target and the headers as they were sent. Bodies are read whole before the service
is called, chunked ones too, and up to `body_limit`: beyond it the answer is an empty 413 and nothing more is kept.
Answers are counted here: a `content-length` of the service's own is replaced. Nothing is printed; errors go to the log.
"""

import asyncio
import logging
import re
import signal
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from retrieval.errors import RetrievalError
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

DEFAULT_BODY_LIMIT = 104_857_600
"""Bytes."""

_GRACE = 2
"""Seconds that requests in flight get to finish when the server ends."""

_IDLE = 75
"""Seconds that an idle connection is kept."""

_HEAD_LIMIT = 65_536
"""Bytes of a request line with its headers."""

_ABSOLUTE = re.compile(r"https?://[^/?]*", re.IGNORECASE)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})
_BODILESS = frozenset({204, 304})

_log = logging.getLogger(__name__)


class CannotListen(RetrievalError):
    """The address is taken, or is none of this machine."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"Cannot listen on {host}:{port}: {reason}.")
        self.host = host
        self.port = port
        self.reason = reason


def listen(host: str, port: int) -> socket.socket:
    """Take an address, without answering on it yet; port 0 is a free one. CannotListen when it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotListen(host, port, _reason(error)) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise CannotListen(host, port, _reason(error)) from error
    return listener


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def address_of(listener: socket.socket, *, tls: bool = False) -> str:
    """E.g. http://127.0.0.1:7071."""
    scheme = "https" if tls else "http"
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def serve(
    service: WireService,
    *,
    listener: socket.socket,
    ready: Callable[[str], None],
    end: Callable[[], Awaitable[None]] | None = None,
    body_limit: int = DEFAULT_BODY_LIMIT,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then return; a second Ctrl-C does not wait for requests in flight.

    `ready` gets the address when a client can connect; `end` is awaited on the same loop after the last answer. With
    `tls` it serves https. CannotListen when somebody else came first.
    """
    address = address_of(listener, tls=tls is not None)
    server = _Server(_config(service, body_limit, tls), ready=lambda: ready(address), signals=True)

    async def run() -> None:
        await server.serve(sockets=[listener])
        if end is not None:
            await end()

    asyncio.run(run())


@asynccontextmanager
async def serving(
    service: WireService, *, host: str = "127.0.0.1", port: int = 0, body_limit: int = DEFAULT_BODY_LIMIT
) -> AsyncIterator[str]:
    """The same beside other work on the running loop; gives the address, and ends with the block."""
    started = asyncio.Event()
    with listen(host, port) as listener:
        server = _Server(_config(service, body_limit), ready=started.set, signals=False)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        try:
            yield address_of(listener)
        finally:
            waiting.cancel()
            server.should_exit = True
            await task


def _config(service: WireService, body_limit: int, tls: ssl.SSLContext | None = None) -> uvicorn.Config:
    config = uvicorn.Config(
        _Application(service=service, body_limit=body_limit),
        http=_Protocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=_HEAD_LIMIT,
    )
    config.load()
    config.ssl = tls
    return config


class _Server(uvicorn.Server):
    """Says when it listens, and ends a signal's story: uvicorn would raise the signal again after the end."""

    def __init__(self, config: uvicorn.Config, *, ready: Callable[[], None], signals: bool) -> None:
        super().__init__(config)
        self._ready = ready
        self._signals = signals and threading.current_thread() is threading.main_thread()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets=sockets)
        except OSError as error:
            host, port = (sockets or [])[0].getsockname()[:2]
            raise CannotListen(host, port, _reason(error)) from error
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        names = (signal.SIGINT, signal.SIGTERM) if self._signals else ()
        before = {name: signal.signal(name, self.handle_exit) for name in names}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)


class _Protocol(H11Protocol):
    """One connection; gives the application its transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if isinstance(self.app, _Application):
            self.app = replace(self.app, transport=transport)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Application:
    """The service as an ASGI application, which can cut its connection once it has one."""

    service: WireService
    body_limit: int
    transport: asyncio.Transport | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await self._read(scope["headers"], receive)
            response = WireResponse(status=413) if body is None else await self._answer(_request(scope, body))
            await _send(response, send)
        except (ConnectionCut, ConnectionResetError, asyncio.CancelledError):
            await self._end(receive)

    async def _end(self, receive: Any) -> None:
        """Cut the connection and wait until uvicorn has seen it, which then misses no answer.

        The end of the server cancels what is in flight, more than once; each time the wait goes on.
        """
        if self.transport is not None:
            self.transport.abort()
        cut = False
        while not cut:
            with suppress(asyncio.CancelledError):
                cut = (await receive())["type"] == "http.disconnect"

    async def _read(self, headers: Iterable[tuple[bytes, bytes]], receive: Any) -> bytes | None:
        """The whole body, or None when it is over the limit. ConnectionResetError when the client is gone."""
        declared = next((int(value) for name, value in headers if name == b"content-length"), 0)
        if declared > self.body_limit:
            return None
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise ConnectionResetError
            parts.append(message["body"])
            size += len(message["body"])
            if size > self.body_limit:
                return None
            if not message["more_body"]:
                return b"".join(parts)

    async def _answer(self, request: WireRequest) -> WireResponse:
        try:
            response = await self.service(request)
            _check(response)
        except ConnectionCut:
            raise
        except Exception:
            _log.exception("%s %s failed.", request.method, request.target)
            return WireResponse(status=500)
        return response


def _request(scope: Any, body: bytes) -> WireRequest:
    target = scope["raw_path"].decode("ascii")
    query = scope["query_string"].decode("ascii")
    path = _ABSOLUTE.sub("", target, count=1) or "/" if _ABSOLUTE.match(target) else target
    return WireRequest(
        method=scope["method"],
        target=f"{path}?{query}" if query else path,
        headers=tuple((name.decode("ascii"), _text(value)) for name, value in scope["headers"]),
        body=body,
    )


def _text(value: bytes) -> str:
    """UTF-8 as Kestrel reads header values, and Latin-1 for what is not."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _check(response: WireResponse) -> None:
    """ValueError for a status or header that must not reach the wire (a line break would begin another header)."""
    if not 200 <= response.status <= 599:
        raise ValueError(f"status {response.status} cannot be sent")
    for name, value in response.headers:
        if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
            raise ValueError(f"header {name!r}: {value!r} cannot be sent")


async def _send(response: WireResponse, send: Any) -> None:
    body = b"" if response.status in _BODILESS else response.body
    headers = [(name.encode(), value.encode()) for name, value in response.headers if name.lower() not in _FRAMING]
    if response.status not in _BODILESS:
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
