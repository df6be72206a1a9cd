"""The JWKS of an authority, over HTTP. Reference: RFC 7517, section 5."""

from typing import Final

from retrieval.errors import BackendTimeout, BackendUnavailable

SERVICE: Final = "Microsoft Entra ID"
SECONDS: Final = 5.0
LARGEST: Final = 262_144
_CHUNK: Final = 65_536


class KeyDocument:
    """The document at an address. It is read once an hour, so no connection is kept."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def read(self) -> bytes:
        """At most 256 KiB, within five seconds, without following redirects. Raises BackendError."""
        from aiohttp import ClientError, ClientSession, ClientTimeout

        try:
            async with (
                ClientSession(timeout=ClientTimeout(total=SECONDS)) as session,
                session.get(self._url, allow_redirects=False) as response,
            ):
                if response.status != 200:
                    raise BackendUnavailable(SERVICE, f"did not return its keys ({response.status}).")
                body = bytearray()
                async for chunk in response.content.iter_chunked(_CHUNK):
                    body += chunk
                    if len(body) > LARGEST:
                        raise BackendUnavailable(SERVICE, f"returned keys of more than {LARGEST} bytes.")
        except TimeoutError:
            raise BackendTimeout(SERVICE, seconds=SECONDS) from None
        except ClientError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached ({type(error).__name__}).") from None
        return bytes(body)
