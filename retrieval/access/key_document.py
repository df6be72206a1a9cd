"""Reads the JWKS (key set) of an authority over HTTP. Reference: RFC 7517, section 5."""

from typing import Final

from retrieval.errors import BackendUnavailable
from retrieval.outgoing.connections import session
from retrieval.outgoing.plain_http import HttpRequest, send

SERVICE: Final = "Microsoft Entra ID"
SECONDS: Final = 5.0
LARGEST: Final = 262_144


class KeyDocument:
    """The document at an address. It is usually read once an hour, so no connection is kept."""

    def __init__(self, url: str) -> None:
        self._request = HttpRequest(method="GET", url=url)

    async def read(self) -> bytes:
        """Read at most 256 KiB, within five seconds. Raises BackendError."""
        async with session() as connections:
            answer = await send(self._request, connections, service=SERVICE, seconds=SECONDS, most=LARGEST)
        if answer.status != 200:
            raise BackendUnavailable(SERVICE, f"did not return its keys ({answer.status}).", status=answer.status)
        return answer.content
