"""Carries an answer's parts to the caller while it is still being made, as the local host's server can.

The Functions host cannot: it takes an answer whole, when the function has returned.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, Protocol

from retrieval.contracts.rendered import Part


class Carrier(Protocol):
    """One answer on its way. Where the caller leaves, the sender's work is cancelled."""

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers, once, before any part."""

    async def send(self, part: Part) -> None:
        """Send a part of the body; waits where the caller reads more slowly than parts come."""

    def cut(self) -> None:
        """End the connection where the answer stands: its caller does not read on."""


CARRIER: Final[ContextVar[Carrier | None]] = ContextVar("carrier", default=None)
"""The carrier of the call under way; None where the answer must be whole."""
