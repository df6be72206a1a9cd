"""The HTTP client of the `openai` package over aiohttp, by which this process calls everything else.

The package makes the request and reads the response; only the sending in between is done here, at a third less CPU time
for the whole call than with the package's own client. Its aiohttp client takes a connection that is cut for a timeout.
"""

from typing import Any, Final

import httpx2
from aiohttp import ClientError, ClientSession, ClientTimeout
from openai import APIConnectionError, APITimeoutError
from yarl import URL

TRANSPORT: Final = httpx2.AsyncBaseTransport()
"""Without one the client would make one, and read the certificates of this machine for it."""


class OverAiohttp(httpx2.AsyncClient):
    """Sends by `session`, once: without redirects, cookies, retries, or a proxy from the environment.

    `seconds` are the most for a connection, and for a silence within an answer.
    """

    def __init__(self, session: ClientSession, *, seconds: float) -> None:
        super().__init__(transport=TRANSPORT, timeout=seconds, trust_env=False)
        self._session = session
        self._seconds = ClientTimeout(total=None, sock_connect=seconds, sock_read=seconds)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Raises APITimeoutError, APIConnectionError, and httpx2.DecodingError for a body that is not as encoded."""
        try:
            async with self._session.request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=request.headers,
                data=request.content or None,
                allow_redirects=False,
                timeout=self._seconds,
            ) as response:
                status, headers, content = response.status, response.raw_headers, await response.read()
        except TimeoutError as error:
            raise APITimeoutError(request=request) from error
        except (ClientError, OSError, ValueError) as error:
            raise APIConnectionError(request=request) from error
        return httpx2.Response(status, headers=headers, content=content, request=request)

    async def aclose(self) -> None:
        await self._session.close()
        await super().aclose()
