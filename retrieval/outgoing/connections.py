"""The HTTP connections to the services that this service calls, except MCP servers and the endpoints from which
`azure.identity` gets tokens. They have no common limit. They use no proxy from the environment and keep no cookies.

aiohttp's default limit is a hundred connections for all hosts together. With this limit, calls to one hanging index
could block the calls to all other indexes of the same service. `breakers_and_retries` sets a limit for each target
instead.

`send` sends one HTTP request to any service, and raises an error if there is no readable response. `ask` returns the
reason instead. Neither retries a request. They do not follow redirects, because these could send keys, tokens and
signatures to another host.
"""

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from azure.core.pipeline.transport import AsyncHttpTransport

from retrieval.errors import BackendTimeout, BackendUnanswered, Why
from retrieval.outgoing.bodies import ENCODINGS
from retrieval.version import USER_AGENT

if TYPE_CHECKING:
    from aiohttp import ClientSession

CONNECT_SECONDS: Final = 5
BLOCK: Final = 65_536
"""The block size of azure-core's transport, in bytes."""

Transport: TypeAlias = AsyncHttpTransport[Any, Any]


def network(*, read_seconds: float) -> Transport:
    """The transport of one client. The event loop must be running. `read_seconds` is the longest time to wait for more
    bytes of a response."""
    from azure.core.pipeline.transport import AioHttpTransport

    transport: Transport = AioHttpTransport(
        session=session(),
        use_env_settings=False,
        connection_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        connection_data_block_size=BLOCK,
    )
    return transport


def session() -> "ClientSession":
    """The connections of one client. The event loop must be running. The session does not decompress bodies."""
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector

    return ClientSession(
        connector=TCPConnector(limit=0),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": USER_AGENT},
        auto_decompress=False,
    )


SECONDS: Final = 10.0
LARGEST: Final = 2_097_152
"""The most bytes of a response that `ask` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request. `url` is a complete, percent-encoded URL. `headers` may contain keys and tokens."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """An answer. `headers` have lower-case names."""

    status: int
    content: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def may_pass(self) -> bool:
        """Whether the status is that of a temporary failure."""
        return self.status == 429 or self.status >= 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """The reason why there is no readable response."""

    why: Why


async def send(
    request: HttpRequest, session: "ClientSession", *, service: str, seconds: float, most: int
) -> HttpAnswer:
    """Send the request to `service`, and return its answer. The answer may have at most `most` bytes and take at most
    `seconds`. If the content of a temporary failure cannot be read, the answer has empty content. Raises
    BackendTimeout, BackendUnanswered."""
    from aiohttp import ClientTimeout
    from yarl import URL

    from retrieval.outgoing.over_aiohttp import content, our_errors

    with our_errors(service, seconds=seconds):
        async with (
            asyncio.timeout(seconds),
            session.request(
                request.method,
                URL(request.url, encoded=True),
                headers={"Accept-Encoding": ENCODINGS, **request.headers},
                data=request.body or None,
                allow_redirects=False,
                timeout=ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            ) as response,
        ):
            headers = {name.lower(): value for name, value in response.headers.items()}
            answer = HttpAnswer(status=response.status, content=b"", headers=headers)
            try:
                with our_errors(service, seconds=seconds):
                    return replace(answer, content=await content(response, most=most, service=service))
            except BackendUnanswered:
                if not answer.may_pass:
                    raise
            return answer


async def ask(request: HttpRequest, *, seconds: float = SECONDS) -> HttpAnswer | Silence:
    """Send a request on its own connection. The answer may have at most 2 MiB and take at most `seconds`."""
    try:
        async with session() as connections:
            return await send(request, connections, service="The service", seconds=seconds, most=LARGEST)
    except BackendTimeout:
        return Silence(why="timed out")
    except BackendUnanswered as error:
        return Silence(why=error.why)
