"""One HTTP request to any service, and its answer as it came, or why there is none: for finding out what is wrong.

Nothing is retried and no redirect is followed, which would take keys and tokens to another host.
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from aiohttp import ClientError, ClientResponse

SECONDS: Final = 10.0
LARGEST: Final = 2_097_152
"""Bytes of an answer that are read."""
_CHUNK: Final = 65_536

Why: TypeAlias = Literal["name", "refused", "certificate", "timeout", "size", "unreadable", "address", "connection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """`url` is whole; `headers` may hold keys and tokens."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`headers` have lower-case names."""

    status: int
    content: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """There is no answer that can be read."""

    why: Why


async def ask(request: Request, *, seconds: float = SECONDS) -> Answer | Silence:
    """At most 2 MiB, within `seconds`."""
    from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

    try:
        async with (
            asyncio.timeout(seconds),
            ClientSession(timeout=ClientTimeout(total=None), cookie_jar=DummyCookieJar()) as session,
            session.request(
                request.method, request.url, headers=request.headers, data=request.body or None, allow_redirects=False
            ) as response,
        ):
            return await _read(response)
    except TimeoutError:
        return Silence(why="timeout")
    except ClientError as error:
        return Silence(why=_why(error))
    except ValueError:
        return Silence(why="address")


async def _read(response: "ClientResponse") -> Answer | Silence:
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > LARGEST:
            return Silence(why="size")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status=response.status, content=bytes(body), headers=headers)


def _why(error: "ClientError") -> Why:
    """The most specific kind: those of aiohttp are subclasses of one another."""
    import aiohttp

    kinds: tuple[tuple[type[Exception], Why], ...] = (
        (aiohttp.ClientConnectorDNSError, "name"),
        (aiohttp.ClientConnectorCertificateError, "certificate"),
        (aiohttp.ClientSSLError, "certificate"),
        (aiohttp.ClientConnectorError, "refused"),
        (aiohttp.ClientPayloadError, "unreadable"),
        (aiohttp.ClientResponseError, "unreadable"),
        (aiohttp.InvalidURL, "address"),
    )
    return next((why for kind, why in kinds if isinstance(error, kind)), "connection")
