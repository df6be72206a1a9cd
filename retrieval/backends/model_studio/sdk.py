"""Alibaba's SDK without redirects and with a limit on every answer, for which it has no settings.

A redirect would send the signed headers of a call to another host. The SDK opens a session of aiohttp for every
call; importing this module gives it sessions that fail at a redirect and at an answer that is too long.
"""

from functools import partial
from types import SimpleNamespace
from typing import Final

import aiohttp
from alibabacloud_bailian20231229 import client
from darabonba import core

from retrieval.backends.bodies import ENCODINGS, whole
from retrieval.backends.model_studio.response import SERVICE
from retrieval.errors import BackendUnavailable

__all__ = ["MOST_BYTES", "Redirected", "client"]

MOST_BYTES: Final = 8_388_608
"""Of an answer. Twenty chunks of 6,000 characters each have a tenth of that."""

TOO_MANY: Final = 429
FAILED: Final = 500
"""This status and those above it, as the one before, are failures that may pass."""
NOTHING: Final = b"{}"


class Redirected(aiohttp.ClientError):
    """The service answered with a redirect."""


class Bounded(aiohttp.ClientResponse):
    """An answer that is unpacked in pieces, up to a limit.

    Of a failure that may pass, and whose content is neither JSON nor XML, the status decides: the SDK would take it for
    an answer that cannot be read, and not try again.
    """

    async def read(self) -> bytes:
        """Raises BackendUnavailable for content that is too long or not as encoded."""
        encoding = self.headers.get("content-encoding")
        passing = self.status == TOO_MANY or self.status >= FAILED
        try:
            content = await whole(self.content.iter_any(), encoding=encoding, most=MOST_BYTES, service=SERVICE)
        except BackendUnavailable:
            if not passing:
                raise
            content = b""
        said = content.lstrip().startswith(b"{") or (content and self.content_type == "text/xml")
        self._body = NOTHING if passing and not said else content
        return self._body


async def _end(*_: object) -> None:
    raise Redirected


_trace = aiohttp.TraceConfig()
_trace.on_request_redirect.append(_end)
_session = partial(
    aiohttp.ClientSession,
    trace_configs=[_trace],
    response_class=Bounded,
    auto_decompress=False,
    headers={"accept-encoding": ENCODINGS},
)
core.aiohttp = SimpleNamespace(**{**vars(aiohttp), "ClientSession": _session})
