"""Sends the body of an answer. Events are sent as they happen, or in one body if the host cannot send parts. The local
host (`local/application.py`) and `stream_extension` can send parts. Without them, the Functions host sends the whole
answer after the function has returned.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, Protocol, TypeAlias

from retrieval.contracts.rendered import HEARTBEAT, Events, Part, Rendered, event, pieces
from retrieval.http.call import Call, with_ids

HEARTBEAT_SECONDS: Final = 15.0
logger = logging.getLogger(__name__)


class Carrier(Protocol):
    """Sends one answer in parts. If the caller disconnects, the work of the sender is cancelled."""

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status and the headers. This is called once, before the first part."""

    async def send(self, part: Part) -> None:
        """Send a part of the body. Waits if the caller reads too slowly."""

    def cut(self) -> None:
        """Close the connection before the answer is complete, because the caller does not read it in time."""


CARRIER: Final[ContextVar[Carrier | None]] = ContextVar("carrier", default=None)
"""The carrier of the current call; None if the host cannot send parts."""


Failure: TypeAlias = Callable[[Exception], Rendered]
"""Logs an exception, and returns the error answer of the contract."""


async def deliver(
    answer: Rendered, events: Events, call: Call, failure: Failure, *, heartbeat: float = HEARTBEAT_SECONDS
) -> tuple[Rendered, int]:
    """The answer with its events in one body of bytes, and the number of bytes. The body is empty if the events have
    already been sent. A failure before the first event is raised, so that the answer has an error status. A later
    failure becomes the last event. If parts can be sent, a comment is sent every `heartbeat` seconds. The connection is
    closed if sending is not complete by the answer's `until`.
    """
    async with aclosing(events) as body:
        first = await anext(body, b"")
        parts = _parts(first, body, failure, name=answer.failure_event)
        carrier = CARRIER.get()
        if carrier is None:
            whole = b"".join([piece async for part in parts for piece in pieces(part)])
            return replace(answer, body=whole), len(whole)
        size = 0
        try:
            async with asyncio.timeout_at(answer.until):
                await carrier.begin(answer.status, with_ids(answer, call).headers)
                async with _heartbeats(carrier, every=heartbeat):
                    async for part in parts:
                        await carrier.send(part)
                        size += sum(map(len, pieces(part)))
        except TimeoutError:
            carrier.cut()
            logger.warning("events were not read in time and are cut, request-id %s", call.request_id)
    return replace(answer, body=b""), size


async def _parts(first: Part, events: Events, failure: Failure, *, name: str) -> AsyncIterator[Part]:
    yield first
    try:
        async for part in events:
            yield part
    except Exception as error:
        yield event(name, failure(error).content)


@asynccontextmanager
async def _heartbeats(carrier: Carrier, *, every: float) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(every)
            await carrier.send(HEARTBEAT)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.wait([beating])
