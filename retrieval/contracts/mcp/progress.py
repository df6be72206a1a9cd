"""Progress notifications. A client that asks for progress gets these notifications as events while a tool works, before
the answer.

https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable
from contextlib import suppress
from typing import Final, Literal, TypeAlias

from retrieval.contracts.mcp.rpc_errors import Message
from retrieval.contracts.rendered import EVENT_STREAM, MESSAGE, Part, Rendered, event
from retrieval.model.progress import BlockAdded, BlocksRevised, Planned, Progress, RoundEnded, SearchEnded
from retrieval.text.counted_noun import how_many
from retrieval.text.length import clip

LONGEST_TOKEN: Final = 200
LONGEST_MESSAGE: Final = 300

Token: TypeAlias = str | int


def token_of(message: bytes) -> Token | None:
    """The progress token of a message. None if the message has no token, or if its token is invalid or too long."""
    value: object = json.loads(message)
    for name in ("params", "_meta", "progressToken"):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return value if len(str(value)) <= LONGEST_TOKEN else None


class ProgressParams(Message):
    """The parameters of a notification. `progress` is the number of the notification, from 1."""

    progressToken: Token
    progress: int
    message: str


class ProgressNotification(Message):
    """A progress notification."""

    jsonrpc: Literal["2.0"] = "2.0"
    method: Literal["notifications/progress"] = "notifications/progress"
    params: ProgressParams


class Notifications:
    """The notifications of one request."""

    def __init__(self, token: Token) -> None:
        self._token = token
        self._count = 0
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()

    def tell(self, progress: Progress) -> None:
        """Queues a notification of this progress, if `_sentence` has a sentence for the progress."""
        text = _sentence(progress)
        if text:
            self._count += 1
            message = clip(text, LONGEST_MESSAGE).encode("utf-8", "replace").decode()
            params = ProgressParams(progressToken=self._token, progress=self._count, message=message)
            notification = ProgressNotification(params=params)
            self._parts.put_nowait(event(MESSAGE, notification.model_dump_json().encode()))

    async def before(self, answer: Awaitable[Rendered]) -> Rendered:
        """Waits for the first notification or for `answer`. If there are notifications, the response is a stream of
        events: first the notifications, then the answer. Otherwise it is the answer alone."""
        work = asyncio.ensure_future(answer)
        work.add_done_callback(lambda _: self._parts.put_nowait(None))
        try:
            first = await self._parts.get()
        except asyncio.CancelledError:
            work.cancel()
            raise
        if first is None:
            return await work
        body = self._events(first, work)
        return Rendered(status=200, headers=EVENT_STREAM, body=body, failure_event=MESSAGE)

    async def _events(self, first: bytes, work: "asyncio.Future[Rendered]") -> AsyncGenerator[Part, None]:
        part: bytes | None = first
        try:
            while part is not None:
                yield part
                part = await self._parts.get()
            yield event(MESSAGE, (await work).content)
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await work


def _sentence(progress: Progress) -> str:
    match progress:
        case Planned(is_complete=True):
            return f"To be searched: {'; '.join(query.query for query in progress.plan.queries)}"
        case SearchEnded():
            return f"{how_many(progress.search.found, 'document')} for {progress.search.searched.subquery.search}"
        case RoundEnded():
            return f"{how_many(progress.record.gathered, 'chunk')} to answer from"
        case BlockAdded() if progress.block.place is not None:
            return progress.block.markdown.strip()
        case BlocksRevised():
            return f"{how_many(len(progress.blocks), 'block')} revised"
    return ""
