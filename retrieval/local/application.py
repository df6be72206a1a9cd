"""A `WireService` as an ASGI application: reads the body, watches whether the client is still there, sends the answer.

While a service works it may send its answer in parts, by the `CARRIER` of the call; what it returns then is not sent.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

from retrieval.contracts.rendered import Part, pieces
from retrieval.http.delivery import CARRIER
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

_ABSOLUTE = re.compile(r"https?://[^/?]*", re.IGNORECASE)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})
_FORWARDED = {"https": (("x-forwarded-proto", "https"),)}
"""What the front end of the platform adds to a request, by the scheme by which it came."""

_PIECE = 65_536
"""Bytes."""

_BODILESS = frozenset({204, 304})
_CLOSED: Final = [(b"content-length", b"0"), (b"connection", b"close")]

_log = logging.getLogger(__name__)


Accepts: TypeAlias = Callable[[WireRequest], bool]
"""Whether a request may be accepted, by its head alone: the body of another is not read."""


def every(head: WireRequest) -> bool:
    """Every request has its body read."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds in which a head has to be there, and after it a body."""

    head: float = 10.0
    body: float = 120.0


PATIENCE: Final = Patience()


class Connected(Protocol):
    """The connection of a request."""

    def begun(self) -> None: ...

    def answered(self, *, whole: bool) -> None: ...

    def abort(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The service as an ASGI application, which can cut its connection once it has one."""

    service: WireService
    body_limit: int
    accepts: Accepts = every
    patience: Patience = PATIENCE
    connection: Connected | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.connection is not None:
            self.connection.begun()
        whole = False
        try:
            whole = await self._respond(scope, receive, send)
        except (ConnectionCut, ConnectionResetError, asyncio.CancelledError):
            await self._end(receive)
        finally:
            if self.connection is not None:
                self.connection.answered(whole=whole)

    async def _respond(self, scope: Any, receive: Any, send: Any) -> bool:
        """Whether the whole request was read before it was answered."""
        if _has_two_lengths(scope):
            await send({"type": "http.response.start", "status": 400, "headers": _CLOSED})
            await send({"type": "http.response.body", "body": b""})
            return False
        head, carrier = _request(scope, b""), _Carrier(send, self.connection)
        CARRIER.set(carrier)
        if _has_body(scope["headers"]) and not self.accepts(head):
            await carrier.end(await self._answer(head))
            return False
        try:
            async with asyncio.timeout(self.patience.body):
                body = await self._read(scope["headers"], receive)
        except TimeoutError:
            await _send(WireResponse(status=408), send)
            return False
        if body is None:
            await _send(WireResponse(status=413), send)
            return False
        await carrier.end(await self._answer_while_there(replace(head, body=body), receive))
        return True

    async def _end(self, receive: Any) -> None:
        """Cut the connection and wait until uvicorn has seen it, which then misses no answer.

        The end of the server cancels what is in flight, more than once; each time the wait goes on.
        """
        if self.connection is not None:
            self.connection.abort()
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

    async def _answer_while_there(self, request: WireRequest, receive: Any) -> WireResponse:
        """The answer. When the client goes away first the work is cancelled, and it is a ConnectionResetError."""
        work, gone = asyncio.create_task(self._answer(request)), asyncio.create_task(receive())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ConnectionResetError
            return work.result()
        finally:
            gone.cancel()
            if work.cancel():
                await asyncio.wait((work,))

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


class _Carrier:
    """Sends an answer in parts (HTTP/1.1: in chunks), as they are given to it.

    Of a part that is not read, a piece is on its way, and the next part waits: parts do not mix.
    """

    def __init__(self, send: Any, connection: Connected | None) -> None:
        self._send = send
        self._connection = connection
        self._begun = False
        self._sending = asyncio.Lock()

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        head = WireResponse(status=status, headers=tuple(headers.items()))
        _check(head)
        self._begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": _encoded(head)})

    async def send(self, part: Part) -> None:
        async with self._sending:
            for piece in pieces(part):
                for start in range(0, len(piece), _PIECE):
                    body = bytes(piece[start : start + _PIECE])
                    await self._send({"type": "http.response.body", "body": body, "more_body": True})

    def cut(self) -> None:
        if self._connection is not None:
            self._connection.abort()

    async def end(self, response: WireResponse) -> None:
        """Send the response, or the end of what was begun."""
        if self._begun:
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await _send(response, self._send)


def _request(scope: Any, body: bytes) -> WireRequest:
    target = scope["raw_path"].decode("ascii")
    query = scope["query_string"].decode("ascii")
    path = _ABSOLUTE.sub("", target, count=1) or "/" if _ABSOLUTE.match(target) else target
    headers = tuple((name.decode("ascii"), _text(value)) for name, value in scope["headers"])
    return WireRequest(
        method=scope["method"],
        target=f"{path}?{query}" if query else path,
        headers=(*headers, *_FORWARDED.get(scope["scheme"], ())),
        body=body,
    )


def _has_two_lengths(scope: Any) -> bool:
    """Whether another program on the way may have read another end of the body than this one (request smuggling)."""
    names = {name for name, _ in scope["headers"]}
    return b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0")


def _has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"transfer-encoding" or (name == b"content-length" and int(value)) for name, value in headers)


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
    headers = _encoded(response)
    if response.status not in _BODILESS:
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _encoded(response: WireResponse) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in response.headers if name.lower() not in _FRAMING]
