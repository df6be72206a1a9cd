"""Sends one message to an MCP server and reads its answer. The time and the size of an answer are limited. Redirects
are not followed. Each IP address that DNS returns for a host name is checked before a socket is made for it.

An answer is a JSON body or a stream of events. A stream is read only up to the answer, because the server may leave the
stream open. If the server was busy or could not be reached, the message is sent once more, unless the server asks for a
wait of more than two seconds. If the connection failed later, only a repeatable message is sent once more. DELETE is
never repeated.
"""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from aiohttp import (
    ClientConnectorError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    ThreadedResolver,
)
from aiohttp.connector import AddrInfoType
from yarl import URL

from retrieval import threads
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendUnanswered,
    BackendUnavailable,
    Why,
)
from retrieval.outgoing import bodies
from retrieval.outgoing.bodies import ENCODINGS, UNREADABLE, EventStream, unpack
from retrieval.outgoing.breakers_and_retries import patiently, retry_after
from retrieval.outgoing.connections import CONNECT_SECONDS
from retrieval.outgoing.over_aiohttp import content, our_errors
from retrieval.sources.mcp_server.hosts import SYSTEM, McpHost, McpHosts
from retrieval.sources.mcp_server.messages import Members, NoAnswer, answer_to
from retrieval.telemetry import outgoing_calls, spans
from retrieval.version import SERVICE

MOST_AT_ONCE: Final = 64


class AddressRefused(OSError):
    """The IP address is not allowed for this host."""


class Connections:
    """The connections to each host that may be called. The event loop must be running."""

    def __init__(self, hosts: McpHosts) -> None:
        self._hosts = hosts
        self._sessions: dict[McpHost, ClientSession] = {}

    def of(self, host: McpHost) -> ClientSession:
        """The connections to a host."""
        if host not in self._sessions:
            connector = TCPConnector(
                limit=MOST_AT_ONCE,
                resolver=ThreadedResolver(),
                use_dns_cache=False,
                socket_factory=lambda address: self._socket(host, address),
            )
            self._sessions[host] = ClientSession(
                connector=connector, cookie_jar=DummyCookieJar(), auto_decompress=False, trust_env=False
            )
        return self._sessions[host]

    async def close(self) -> None:
        """Close all connections."""
        for session in self._sessions.values():
            await session.close()

    def _socket(self, host: McpHost, address: AddrInfoType) -> socket.socket:
        """A socket for this address. Raises AddressRefused if the address is not allowed for this host."""
        family, kind, protocol, _, place = address
        if not self._hosts.may_connect(host, str(place[0])):
            raise AddressRefused
        return socket.socket(family=family, type=kind, proto=protocol)


LARGEST: Final = 4_194_304
"""The most bytes of an answer. The documents that are kept from an answer have about a hundredth of this size, with the
usual token limit."""

MOST_EVENTS: Final = 10_000
"""The most events of an answer."""

WAITS: Final = (0.4,)
"""The seconds before each repetition of a call."""

SESSION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"
EVENTS: Final = "text/event-stream"
USUAL: Final = {
    "Accept": f"application/json, {EVENTS}",
    "Accept-Encoding": ENCODINGS,
    "Content-Type": "application/json",
    "User-Agent": SERVICE,
}
REDACTED: Final = b"<redacted>"
SHORTEST_SECRET: Final = 8

BUSY: Final = frozenset({429, 503})
NOT_SENT: Final[frozenset[Why]] = frozenset({"name", "refused"})
"""The reasons of failures in which the message was not sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The address of a server, and the headers of a call. `headers` may contain secrets. `secrets` come from the
    setting MCP_HEADERS. They are replaced in every answer if they have at least SHORTEST_SECRET characters."""

    url: str
    service: str
    session: ClientSession
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpAnswer:
    """`result` is the result of a request; None for a message without an `id`. `session_id` is the id of the session
    that the server opened."""

    result: Members | None
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """A failure instead of an answer. `wait` is the number of seconds before the message may be sent again; None if the
    failure is final."""

    error: BackendError
    wait: float | None = None


async def send(
    server: Server,
    message: bytes,
    *,
    id: int | None = None,
    headers: Mapping[str, str],
    seconds: float,
    repeatable: bool = True,
) -> McpAnswer:
    """The answer to a message. A message with an `id` is a request. An empty message is sent as DELETE, which ends a
    session.

    Each attempt may take `seconds`. Raises BackendError.
    """

    async def once() -> McpAnswer | _Failure:
        try:
            return await _send(server, message, id=id, headers=headers, seconds=seconds)
        except BackendUnanswered as error:
            if repeatable or error.why in NOT_SENT:
                raise
            return _Failure(error=error)

    waits = WAITS if message else ()
    outcome = await patiently(once, wait_of=_wait, waits=waits, system=SYSTEM)
    if isinstance(outcome, _Failure):
        raise outcome.error
    return outcome


def _wait(outcome: McpAnswer | _Failure) -> float | None:
    return outcome.wait if isinstance(outcome, _Failure) else None


async def _send(
    server: Server, message: bytes, *, id: int | None, headers: Mapping[str, str], seconds: float
) -> McpAnswer | _Failure:
    with our_errors(server.service, seconds=seconds):
        try:
            async with (
                asyncio.timeout(seconds),
                server.session.request(
                    "POST" if message else "DELETE",
                    URL(server.url, encoded=True),
                    data=message or None,
                    headers={**USUAL, **spans.outgoing(), **server.headers, **headers},
                    allow_redirects=False,
                    timeout=ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                ) as response,
            ):
                if response.status in BUSY:
                    return _busy(response, server.service)
                _check(response, server.service)
                result = None if id is None else await _result(response, server, id=id)
                return McpAnswer(result=result, session_id=response.headers.get(SESSION))
        except ClientConnectorError as error:
            if isinstance(error.os_error, AddressRefused):
                reason = "has an address that this service may not call. MCP_HOSTS says which private ones it may."
                raise BackendUnavailable(server.service, reason, of="private address") from None
            raise


def _busy(response: ClientResponse, service: str) -> _Failure:
    """The failure of a server that is too busy to accept a message."""
    wait = retry_after(response.headers.get("retry-after", ""))
    error: BackendError = BackendUnavailable(service, f"failed ({response.status}).", status=response.status)
    if response.status == 429:
        outgoing_calls.throttled(SYSTEM)
        error = BackendThrottled(service, retry_after=wait)
    return _Failure(error=error, wait=wait or 0.0)


def _check(response: ClientResponse, service: str) -> None:
    """Raises BackendError for a status of 300 or more. The content of such an answer is not read."""
    status = response.status
    if status < 300:
        return
    if status in {401, 403}:
        hint = "Check the headers of its knowledge source, or those that the caller passes on."
        raise BackendForbidden(service, status=status, hint=hint)
    if status == 404:
        raise BackendMissing(service, kind="address or session")
    if status < 400:
        reason = f"answered with a redirect ({status}), which is not followed."
        raise BackendUnavailable(service, reason, status=status)
    if status < 500:
        raise BackendRefused(service, status=status, message="nothing of its answer is read.")
    raise BackendUnavailable(service, f"failed ({status}).", status=status)


async def _result(response: ClientResponse, server: Server, *, id: int) -> Members:
    """The result in an answer. Raises BackendError."""
    if response.content_type.lower() == EVENTS:
        pieces = unpack(
            response.content.iter_any(),
            encoding=response.headers.get("content-encoding"),
            most=LARGEST,
            service=server.service,
        )
        stream = EventStream(most=MOST_EVENTS, service=server.service)
        async for piece in pieces:
            for data in stream.feed(piece):
                answer = await _read(data, server, id=id)
                if not isinstance(answer, str):
                    return answer
                if answer == "nothing":
                    stream.count_empty()
    else:
        answer = await _read(await content(response, most=LARGEST, service=server.service), server, id=id)
        if not isinstance(answer, str):
            return answer
    raise BackendUnanswered(server.service, UNREADABLE, why="unreadable")


async def _read(data: bytes, server: Server, *, id: int) -> Members | NoAnswer:
    for secret in server.secrets:
        if len(secret) >= SHORTEST_SECRET:
            data = bodies.without_secret(data, secret, replacement=REDACTED)
    return await threads.work(len(data), partial(answer_to, data, id=id, service=server.service))
