"""Turns aiohttp's errors into the errors of `retrieval.errors`, and reads the content of a response up to a size
limit."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import aiohttp

from retrieval.errors import BackendTimeout, BackendUnanswered, Why
from retrieval.outgoing.bodies import whole

REASONS: Final[tuple[tuple[type[Exception], Why], ...]] = (
    (TimeoutError, "timed out"),
    (aiohttp.ClientConnectorDNSError, "name"),
    (aiohttp.ClientConnectorCertificateError, "certificate"),
    (aiohttp.ClientSSLError, "certificate"),
    (aiohttp.ClientConnectorError, "refused"),
    (aiohttp.ClientPayloadError, "unreadable"),
    (aiohttp.ClientResponseError, "unreadable"),
    (aiohttp.InvalidURL, "address"),
    (aiohttp.ClientError, "cut"),
    (OSError, "cut"),
    (ValueError, "address"),
)
"""The `Why` of each error class. The first matching class is used, so a subclass comes before its base class."""

SENTENCES: Final[Mapping[Why, str]] = {
    "name": "could not be reached: the name of its host is not known.",
    "certificate": "could not be reached: its certificate is not accepted.",
    "refused": "could not be reached: it takes no connection.",
    "unreadable": "could not be reached: its answer broke off or cannot be read.",
    "timed out": "could not be reached: it did not answer in time.",
    "address": "could not be reached: its address is not valid.",
    "cut": "could not be reached: the connection broke off.",
}
"""What users read of an error."""

MOST_CAUSES: Final = 10
"""The most causes of an SDK's error that are read."""


@contextmanager
def our_errors(service: str, *, seconds: float) -> Iterator[None]:
    """Turns TimeoutError and the errors in REASONS within the block into errors of `retrieval.errors`, which name
    `service`. `seconds` is the time limit that a BackendTimeout states.

    Raises BackendTimeout and BackendUnanswered.
    """
    try:
        yield
    except TimeoutError as error:
        raise BackendTimeout(service, seconds=seconds) from error
    except tuple(kind for kind, _ in REASONS) as error:
        raise unanswered(service, error) from error


def unanswered(service: str, error: BaseException) -> BackendUnanswered:
    """The error of a call without an answer. An SDK's `error` has aiohttp's error among its causes."""
    reasons = (why for cause in _causes(error) for kind, why in REASONS if isinstance(cause, kind))
    why: Why = next(reasons, "cut")
    return BackendUnanswered(service, SENTENCES[why], why=why)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(MOST_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


async def content(response: aiohttp.ClientResponse, *, most: int, service: str) -> bytes:
    """The whole decompressed content, at most `most` bytes. If it is not read to its end, the connection is closed.
    Raises the same errors as `bodies.unpack`."""
    encoding, length = response.headers.get("content-encoding"), response.content_length
    try:
        if encoding is None and length is not None and length <= most:
            return await response.read()
        return await whole(response.content.iter_any(), encoding=encoding, most=most, service=service)
    except BaseException:
        response.close()
        raise
