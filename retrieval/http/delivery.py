"""The last step of an answer: its events leave as they happen, or in one body where the host cannot send parts.

The local host's server can send parts; the Functions host takes a whole answer when the function has returned.
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
    """Sends one answer in parts. If the caller leaves, the work of the sender is cancelled."""

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers, once, before any part."""

    async def send(self, part: Part) -> None:
        """Send a part of the body; waits where the caller reads more slowly than parts come."""

    def cut(self) -> None:
        """End the connection in the middle of the answer, since its caller does not read on."""


CARRIER: Final[ContextVar[Carrier | None]] = ContextVar("carrier", default=None)
"""The carrier of the call under way; None where the answer must be whole."""


Failure: TypeAlias = Callable[[Exception], Rendered]
"""Logs an exception, and gives its answer in the envelope of a contract."""


async def deliver(
    answer: Rendered, call: Call, failure: Failure, *, heartbeat: float = HEARTBEAT_SECONDS
) -> tuple[Rendered, int]:
    """The answer with a body of bytes, which is empty where its events have left already; and the number of its bytes.

    A failure before the first event is raised, so that it has a status of its own; a later one is the last event. A
    comment goes out every `heartbeat` seconds. Events that have not left by the answer's `until` are cut.
    """
    if isinstance(answer.body, bytes):
        return answer, len(answer.body)
    async with aclosing(answer.body) as body:
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
