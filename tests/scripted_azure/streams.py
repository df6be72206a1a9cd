"""Chat completions that are written while they are read: events in parts, with what happens between them."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from retrieval.http.delivery import CARRIER
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse, WireService

EVENTS: Final = {"content-type": "text/event-stream"}
DONE: Final = b"data: [DONE]\n\n"
FILTERED: Final = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}]

Part: TypeAlias = bytes | Callable[[], Awaitable[object]]
"""What is sent, or what is awaited before the next part."""


def event(**members: object) -> bytes:
    """An event of a chat completion."""
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [], **members}).encode() + b"\n\n"


def piece(text: str) -> bytes:
    """An event with a piece of the text."""
    return event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": None}], usage=None)


def ending(finish: str = "stop", *, usage: tuple[int, int] | None = (100, 20)) -> bytes:
    """The events after the text: why it ended, and with `usage` the prompt's and the completion's tokens."""
    finished = event(choices=[{"index": 0, "delta": {}, "finish_reason": finish}], usage=None)
    counted = b"" if usage is None else event(usage={"prompt_tokens": usage[0], "completion_tokens": usage[1]})
    return finished + counted + DONE


def pieces(text: str, length: int) -> Sequence[bytes]:
    """A text in events, as Azure begins them: with what its filters say of the prompt."""
    texts = [text[at : at + length] for at in range(0, len(text), length)]
    return [event(prompt_filter_results=FILTERED), *map(piece, texts)]


def streaming(*parts: Part, status: int = 200, **headers: str) -> WireService:
    """An answer of events, sent part by part. `headers` in snake case."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(request: WireRequest) -> WireResponse:
        carrier = CARRIER.get()
        assert carrier is not None
        await carrier.begin(status, {**EVENTS, **more})
        for part in parts:
            await (carrier.send(part) if isinstance(part, bytes) else part())
        return WireResponse(status=200)

    return answer


def paced(seconds: float, *parts: bytes) -> WireService:
    """Answers with parts that come evenly over so many seconds. For benchmarks: a test holds instead."""

    async def answer(request: WireRequest) -> WireResponse:
        clock = asyncio.get_running_loop().time
        start = clock()

        def pause(number: int) -> Part:
            return lambda: asyncio.sleep(start + seconds * number / len(parts) - clock())

        timed = [one for number, part in enumerate(parts, 1) for one in (pause(number), part)]
        return await streaming(*timed)(request)

    return answer


async def cut() -> None:
    """A part that breaks the connection."""
    raise ConnectionCut("scripted")
