"""The transport that sends azure-core's requests over aiohttp: an answer is read at once, and no more is made of it.

azure-core's own response offers a dozen ways to read it, which takes as much CPU time as the request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from aiohttp import (
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
)
from azure.core.exceptions import (
    ServiceRequestError,
    ServiceRequestTimeoutError,
    ServiceResponseError,
    ServiceResponseTimeoutError,
)
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import HttpRequest

from retrieval.backends.azure_search.body import SERVICE
from retrieval.backends.bodies import whole
from retrieval.backends.connections import CONNECT_SECONDS, session

MOST_BYTES: Final = 33_554_432
"""Of an answer. Fifty documents of 16,000 characters each have a tenth of that."""
READ: Final = frozenset({200, 206, 400, 413})
"""The statuses whose content says something. Of the others the status decides, whatever becomes of their content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the policies and this backend read of a response, by azure-core's names."""

    request: HttpRequest
    status_code: int
    reason: str | None
    headers: Mapping[str, str]
    content: bytes


class OverAiohttp(AsyncHttpTransport[HttpRequest, Answer]):
    """For one client; within a running loop. Redirects are not followed.

    `read_seconds` is the longest silence within an answer.
    """

    def __init__(self, *, read_seconds: float) -> None:
        self._session: ClientSession = session()
        self._seconds = ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=read_seconds)

    async def send(self, request: HttpRequest, **options: Any) -> Answer:
        """Raises AzureError, of the request, which may be sent again, or of its answer.

        Raises BackendUnavailable for content that is too long or not as encoded.
        """
        try:
            async with self._session.request(
                request.method,
                request.url,
                headers=request.headers,
                data=request.content,
                allow_redirects=False,
                timeout=self._seconds,
            ) as response:
                content = await _content(response) if response.status in READ else b""
        except ConnectionTimeoutError as error:
            raise ServiceRequestTimeoutError(error, error=error) from error
        except TimeoutError as error:
            raise ServiceResponseTimeoutError(error, error=error) from error
        except (ClientResponseError, ClientPayloadError) as error:
            raise ServiceResponseError(error, error=error) from error
        except (ClientError, OSError) as error:
            raise ServiceRequestError(error, error=error) from error
        return Answer(
            request=request,
            status_code=response.status,
            reason=response.reason,
            headers=response.headers,
            content=content,
        )

    async def open(self) -> None:
        """The session opens its connections."""

    async def close(self) -> None:
        await self._session.close()

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        await self.close()


async def _content(response: ClientResponse) -> bytes:
    """Raises BackendUnavailable for content that is too long or not as encoded."""
    encoding, length = response.headers.get("content-encoding"), response.content_length
    if encoding is None and length is not None and length <= MOST_BYTES:
        return await response.read()
    return await whole(response.content.iter_any(), encoding=encoding, most=MOST_BYTES, service=SERVICE)
