"""Sends the body of an answer. Events are sent as they happen, or in one body if the host cannot send parts. The local
host (`local/application.py`) and `stream_extension` can send parts. Without them, the Functions host sends the whole
answer after the function has returned.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias

from retrieval.contracts.rendered import EVENT_STREAM, HEARTBEAT, Events, Part, Rendered, event, pieces
from retrieval.http.call import Call, with_ids

HEARTBEAT_SECONDS: Final = 15.0

Parts: TypeAlias = "asyncio.Queue[bytes]"
"""The events of an answer that are not sent yet."""

GATHERING_SECONDS: Final = 0.02
"""The seconds for which events are gathered after each part. Sending several events costs as much CPU time as sending
one."""

READING_SECONDS: Final = 5.0
"""The seconds after a call's deadline in which the caller can still read the last events."""

logger = logging.getLogger(__name__)


class Carrier(Protocol):
    """Sends one answer in parts. If the caller disconnects, the work on the answer is cancelled."""

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
        refusal = failure(error)
        yield refusal.content if EVENT_STREAM.items() <= refusal.headers.items() else event(name, refusal.content)


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


def streamed(parts: Parts, run: Callable[[], Coroutine[Any, Any, list[Part]]], *, until: float) -> Rendered:
    """An answer of events. First come the events that `run` puts into `parts`, then the events that `run` returns.
    `until` is the deadline of the work on the event loop's clock."""
    body = _gathered(parts, run)
    return Rendered(status=200, headers=EVENT_STREAM, body=body, until=until + READING_SECONDS)


async def _gathered(parts: Parts, run: Callable[[], Coroutine[Any, Any, list[Part]]]) -> Events:
    """The events in their order. Events that arrive within GATHERING_SECONDS are sent together. If the consumer stops,
    the work is cancelled. An event that `run` returns is not kept after the consumer has taken it."""
    task = asyncio.create_task(run())
    task.add_done_callback(lambda _: parts.put_nowait(b""))
    try:
        while not (task.done() and parts.empty()):
            ready = [await parts.get()]
            while not parts.empty():
                ready.append(parts.get_nowait())
            if part := b"".join(ready):
                yield part
                await asyncio.wait((task,), timeout=GATHERING_SECONDS)
        last = await task
        while last:
            yield last.pop(0)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
