"""A relay before a server that a test starts, so that what real clients are answered is checked too.

Bytes go through as they come, both ways; what they were is read when the server ends. Before TLS the relay has a
certificate of its own.
"""

import asyncio
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import h11

from retrieval.local.certificate import certificate
from tests.openapi.conforming import Exchange
from tests.openapi.exchanges import keep

CHUNK: Final = 65_536
LOOPBACK: Final = "127.0.0.1"
OF_A_FUNCTION: Final = b"request-id"
"""The header of every answer of the functions; the host's own, and those of the search service, have none."""

_VERSION: Final = re.compile(rb"(?<=[?&]api-version=)[\w.-]+(?=[ &])")
_ROOT: Final = re.compile(r"^/(?=\?|$)")
"""Is the page, on a developer's machine."""


@dataclass(slots=True)
class Recorded:
    """What went over one connection."""

    asked: bytearray = field(default_factory=bytearray)
    answered: bytearray = field(default_factory=bytearray)


@contextmanager
def relayed(
    address: str, *, certificate: str = "", base_path: str = "", version: str = ""
) -> Iterator[tuple[str, str]]:
    """The address of a relay before this one, and the path of its certificate where the server has one.

    With a `version` each call asks for that one, whatever the client wrote.
    """
    relay = _Relay(address, certificate, version.encode())
    thread = threading.Thread(target=asyncio.run, args=(relay.run(),))
    thread.start()
    relay.listens.wait()
    try:
        yield relay.address, relay.certificate
    finally:
        relay.stop()
        thread.join()
        if relay.certificate:
            Path(relay.certificate).unlink()
        for one in relay.recorded:
            for target, exchange in _exchanges(one):
                keep(target, exchange, base_path=base_path)


class _Relay:
    def __init__(self, address: str, certificate: str, version: bytes) -> None:
        self.recorded: list[Recorded] = []
        self.listens = threading.Event()
        self.address = ""
        self.certificate = ""
        self._address = urlsplit(address)
        self._version = version
        self._writers: list[asyncio.StreamWriter] = []
        self._trusted = ssl.create_default_context(cafile=certificate) if certificate else None

    async def run(self) -> None:
        self._loop, self._ends = asyncio.get_running_loop(), asyncio.Event()
        own = None if self._trusted is None else certificate(LOOPBACK)
        server = await asyncio.start_server(self._connected, LOOPBACK, 0, ssl=None if own is None else own.context)
        port = server.sockets[0].getsockname()[1]
        self.address = f"{self._address.scheme}://{LOOPBACK}:{port}"
        self.certificate = "" if own is None else str(own.write(port))
        self.listens.set()
        await self._ends.wait()
        server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._ends.set)

    async def _connected(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        recorded = Recorded()
        self.recorded.append(recorded)
        self._writers.append(to_client)
        host, port = self._address.hostname, self._address.port
        try:
            server, to_server = await asyncio.open_connection(host, port, ssl=self._trusted)
        except OSError:
            to_client.close()
            return
        self._writers.append(to_server)
        async with asyncio.TaskGroup() as group:
            group.create_task(_pump(client, to_server, recorded.asked, version=self._version))
            group.create_task(_pump(server, to_client, recorded.answered))
        to_server.close()
        to_client.close()


async def _pump(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, kept: bytearray, *, version: bytes = b""
) -> None:
    """Everything from one side to the other, until either has had enough."""
    with suppress(ConnectionError):
        while part := await source.read(CHUNK):
            part = _VERSION.sub(version, part) if version else part
            kept += part
            sink.write(part)
            await sink.drain()
    with suppress(OSError):
        sink.write_eof() if sink.can_write_eof() else sink.close()


def _exchanges(recorded: Recorded) -> Iterator[tuple[str, Exchange]]:
    """The targets and the answers of the functions, up to what is no HTTP or was cut."""
    asked, answered = bytes(recorded.asked), bytes(recorded.answered)
    try:
        while asked and answered:
            request, _, asked = _message(h11.Connection(h11.SERVER), asked)
            assert isinstance(request, h11.Request)
            client = h11.Connection(h11.CLIENT)
            client.send(request)
            answer, body, answered = _message(client, answered)
            assert isinstance(answer, h11.Response)
            headers = {name: value.decode() for name, value in answer.headers}
            if OF_A_FUNCTION in headers:
                kind = headers.get(b"content-type", "")
                method, target = request.method.decode(), _ROOT.sub("/playground", request.target.decode())
                yield (
                    target,
                    Exchange(method=method, path="", status=answer.status_code, content_type=kind, body=body),
                )
    except h11.ProtocolError:
        return


def _message(connection: h11.Connection, data: bytes) -> tuple[h11.Request | h11.Response, bytes, bytes]:
    """The first message, its body, and what follows. ProtocolError where there is no whole one."""
    connection.receive_data(data)
    head, body, ended = None, b"", False
    while not isinstance(event := connection.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Request | h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif event is h11.NEED_DATA and not ended:
            connection.receive_data(b"")
            ended = True
        elif not isinstance(event, h11.InformationalResponse):
            raise h11.RemoteProtocolError("the message is cut")
    assert head is not None
    return head, body, connection.trailing_data[0]
