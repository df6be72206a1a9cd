"""The HTTP connections to the services that this service calls, except MCP servers and the endpoints from which
`azure.identity` gets tokens. They have no common limit. They use no proxy from the environment and keep no cookies.

aiohttp's default limit is a hundred connections for all hosts together. With this limit, calls to one hanging index
could block the calls to all other indexes of the same service. `guarded` sets a limit for each target instead.
"""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from azure.core.pipeline.transport import AsyncHttpTransport

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
