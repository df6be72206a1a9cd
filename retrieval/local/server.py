"""Any `WireService` on a port of this machine, over HTTP/1.1 with uvicorn.

    with listen("127.0.0.1", 7071) as listener:
        serve(service, listener=listener, ready=print)          until Ctrl-C or SIGTERM

    async with serving(service) as address: ...                 on the running loop, on a free port

The service sees the request line's target and the headers as they were sent. Bodies are read whole before the service
is called, chunked ones too, and up to `body_limit`: beyond it the answer is an empty 413 and nothing more is kept.
A request that the service does not accept by its head is answered without its body. Heads and bodies that do not come
end the connection (`Patience`), as does a request whose length is said in two ways (400).
Answers are counted here: a `content-length` of the service's own is replaced. Nothing is printed; errors go to the log.
The work for a client that goes away is cancelled.
"""

import asyncio
import logging
import signal
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn

from retrieval.errors import RetrievalError
from retrieval.local.application import PATIENCE, Accepts, Application, Patience, every
from retrieval.local.connection import Connection
from retrieval.local.wire import WireService
from retrieval.text.counted_noun import how_many

DEFAULT_BODY_LIMIT = 104_857_600
"""Bytes."""

GRACE = 30
"""Seconds that requests in flight get to finish when a program ends."""

_BESIDE = 2
"""The same where the server stands beside other work, which is done with it."""

_TICK = 0.1
"""Seconds between two looks whether a signal came, as uvicorn has it; without signals ten times that."""

_IDLE = 75
"""Seconds that an idle connection is kept."""

_HEAD_LIMIT = 65_536
"""Bytes of a request line with its headers."""


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
    grace: int = GRACE,
    tls: ssl.SSLContext | None = None,
    accepts: Accepts = every,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then let requests in flight finish within `grace` seconds, or until Ctrl-C.

    `ready` gets the address when a client can connect; `end` is awaited on the same loop after the last answer. With
    `tls` it serves https. CannotListen when somebody else came first.
    """
    address = address_of(listener, tls=tls is not None)
    application = Application(service=service, body_limit=body_limit, accepts=accepts)
    server = _Server(_config(application, grace=grace, tls=tls), ready=lambda: ready(address), signals=True)

    async def run() -> None:
        await server.serve(sockets=[listener])
        if end is not None:
            await end()

    asyncio.run(run())


@asynccontextmanager
async def serving(
    service: WireService,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    body_limit: int = DEFAULT_BODY_LIMIT,
    grace: int = _BESIDE,
    accepts: Accepts = every,
    patience: Patience = PATIENCE,
) -> AsyncIterator[str]:
    """The same beside other work on the running loop; gives the address, and ends with the block."""
    started = asyncio.Event()
    with listen(host, port) as listener:
        application = Application(service=service, body_limit=body_limit, accepts=accepts, patience=patience)
        server = _Server(_config(application, grace=grace), ready=started.set, signals=False)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        waiting = asyncio.create_task(started.wait())
        await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        try:
            yield address_of(listener)
        finally:
            waiting.cancel()
            server.end()
            await task


def _config(application: Application, *, grace: int, tls: ssl.SSLContext | None = None) -> uvicorn.Config:
    config = uvicorn.Config(
        application,
        http=Connection,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=grace,
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
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Ends it, from the loop that it is on."""
        self.should_exit = True
        self._ended.set()

    async def main_loop(self) -> None:
        """As uvicorn's, but `end` ends it at once, and it looks up once a second where no signal ends it."""
        tick = _TICK if self._signals else 10 * _TICK
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(tick):
                    await self._ended.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets=sockets)
        except OSError as error:
            host, port = (sockets or [])[0].getsockname()[:2]
            raise CannotListen(host, port, _reason(error)) from error
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._signals and self.server_state.tasks:
            waiting = how_many(len(self.server_state.tasks), "request")
            _log.warning("Waiting for %s in flight; Ctrl-C ends it now.", waiting)
        if self._signals or not await self._closed(sockets or []):
            await super().shutdown(sockets=sockets)

    async def _closed(self, sockets: list[socket.socket]) -> bool:
        """Whether nothing is left once the idle connections are closed and no more come: uvicorn pauses even so."""
        for server in self.servers:
            server.close()
        for listener in sockets:
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        return not (self.server_state.connections or self.server_state.tasks)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        names = (signal.SIGINT, signal.SIGTERM) if self._signals else ()
        before = {name: signal.signal(name, self.handle_exit) for name in names}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)
