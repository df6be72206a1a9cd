"""The network of the SDKs: connections without a common limit, no proxy or cookies from the environment.

aiohttp's default limit is a hundred connections for all hosts together, so calls of one hanging index would keep
all others waiting. `guarded` sets the limit of each target.
"""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from azure.core.pipeline.transport import AsyncHttpTransport

from retrieval.version import USER_AGENT

if TYPE_CHECKING:
    from aiohttp import ClientSession

CONNECT_SECONDS: Final = 5
BLOCK: Final = 65_536
"""Bytes that are read of an answer at once."""

Transport: TypeAlias = AsyncHttpTransport[Any, Any]


def network(*, read_seconds: float) -> Transport:
    """The transport of one client. The loop must be running. `read_seconds` is the longest silence within an answer."""
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
    """The connections of one client. The loop must be running. A compressed body is not unpacked."""
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector

    return ClientSession(
        connector=TCPConnector(limit=0),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": USER_AGENT},
        auto_decompress=False,
    )
