"""A transport that sends azure-core's requests with aiohttp, and reads each response at once.

azure-core's own transport would take 4 to 6 % more of the CPU time of a retrieve (tests/benchmarks/pieces.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from aiohttp import BytesPayload, ClientSession, ClientTimeout
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import HttpRequest

from retrieval.outgoing.connections import CONNECT_SECONDS, session
from retrieval.outgoing.over_aiohttp import content, our_errors
from retrieval.sources.search_index.query import SERVICE

MOST_BYTES: Final = 33_554_432
"""The most bytes of an answer. Fifty documents of 16,000 characters each take at most a tenth of this size."""
READABLE: Final = frozenset({200, 206, 400, 402, 413})
"""The content of a response is read only if its status is in this set. For any other status, the error does not depend
on the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """The parts of a response that the policies and this backend read. They have the same names as in azure-core."""

    request: HttpRequest
    status_code: int
    reason: str | None
    headers: Mapping[str, str]
    content: bytes


class SearchTransport(AsyncHttpTransport[HttpRequest, SearchResponse]):
    """The transport of one client. The event loop must be running.

    `read_seconds` is the longest time to wait for more bytes of a response.
    """

    def __init__(self, *, read_seconds: float) -> None:
        self._session: ClientSession = session()
        self._read_seconds = read_seconds
        self._seconds = ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=read_seconds)

    async def send(self, request: HttpRequest, **options: Any) -> SearchResponse:
        """Raises BackendTimeout and BackendUnanswered."""
        with our_errors(SERVICE, seconds=self._read_seconds):
            async with self._session.request(
                request.method,
                request.url,
                headers=request.headers,
                data=request.content and BytesPayload(request.content),
                allow_redirects=False,
                timeout=self._seconds,
            ) as response:
                is_readable = response.status in READABLE
                return SearchResponse(
                    request=request,
                    status_code=response.status,
                    reason=response.reason,
                    headers=response.headers,
                    content=await content(response, most=MOST_BYTES, service=SERVICE) if is_readable else b"",
                )

    async def open(self) -> None:
        """Does nothing, because the session opens its connections itself."""

    async def close(self) -> None:
        await self._session.close()

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self.close()
