"""The server: its list of models and its completions, and a record of what was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from tests.scripted_azure.scripts import answering
from tests.scripted_azure.streams import DONE, event, streaming

NAME: Final = "qwen2.5:3b"
BYTES_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What a completion is made of: the text before and after the thinking, and the tokens that are counted. `answer`
    is another answer in its place."""

    text: str
    thought: str = ""
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 20)
    streams: bool = True
    answer: WireService | None = None


Trait: TypeAlias = Callable[[Mapping[str, Any], Spoken], Spoken]
"""Changes what is spoken to a request."""

Text: TypeAlias = str | Callable[[Mapping[str, Any]], str]


class ScriptedChat:
    """A server whose completions have a text, which may depend on the request."""

    def __init__(self, text: Text, *traits: Trait, models: tuple[str, ...] = (NAME,)) -> None:
        self.text = text
        self.traits = traits
        self.models: WireService = answering({"object": "list", "data": [{"id": name} for name in models]})
        self.chat: WireService = self._complete
        self.requests: list[WireRequest] = []
        self.given_up = 0
        self.most_open = 0
        self.url = ""
        self._open: set[asyncio.Task[object]] = set()
        self._changed = asyncio.Event()

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the completions that were asked for."""
        return [json.loads(request.body) for request in self.requests if request.method == "POST"]

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.requests.append(request)
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.most_open = max(self.most_open, len(self._open))
        self._tell()
        try:
            if (request.method, request.target) == ("GET", "/v1/models"):
                return await self.models(request)
            if (request.method, request.target) == ("POST", "/v1/chat/completions"):
                return await self.chat(request)
            return WireResponse(status=404, body=b"404 page not found")
        except asyncio.CancelledError:
            self.given_up += 1
            self._tell()
            raise
        finally:
            self._open.discard(task)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Be at `url`, a free port of this machine. At the end, calls that are still held are cut."""
        async with serving(self) as address:
            self.url = f"{address}/v1"
            try:
                yield
            finally:
                for task in self._open:
                    task.cancel()

    async def came(self, count: int) -> None:
        """Return when that many requests have come in."""
        while len(self.requests) < count:
            await self._changed.wait()

    async def abandoned(self, count: int) -> None:
        """Return when callers have abandoned that many requests that were not answered."""
        while self.given_up < count:
            await self._changed.wait()

    async def _complete(self, request: WireRequest) -> WireResponse:
        asked = json.loads(request.body)
        text = self.text if isinstance(self.text, str) else self.text(asked)
        spoken = Spoken(text=text, usage=(size(asked), size_of(text)), streams=bool(asked.get("stream")))
        for trait in self.traits:
            spoken = trait(asked, spoken)
            if spoken.answer is not None:
                return await spoken.answer(request)
        return await completion(spoken)(request)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def size(asked: Mapping[str, Any]) -> int:
    """The tokens of a prompt."""
    return sum(size_of(message["content"]) for message in asked["messages"])


def size_of(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def completion(spoken: Spoken) -> WireService:
    """A completion, in events or as a whole."""
    counts = (
        None if spoken.usage is None else dict(zip(("prompt_tokens", "completion_tokens"), spoken.usage, strict=True))
    )
    if not spoken.streams:
        message = {"role": "assistant", "content": spoken.text}
        choice = {"index": 0, "finish_reason": spoken.finish, "message": message}
        return answering({"object": "chat.completion", "choices": [choice], **({"usage": counts} if counts else {})})
    return streaming(*_events(spoken), *([event(usage=counts)] if counts else []), DONE)


def _events(spoken: Spoken) -> list[bytes]:
    def chosen(delta: Mapping[str, str], finish: str | None = None) -> bytes:
        return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])

    thought = [chosen({"reasoning_content": spoken.thought})] if spoken.thought else []
    texts = [spoken.text[at : at + 5] for at in range(0, len(spoken.text), 5)]
    return [*thought, *(chosen({"content": text}) for text in texts), chosen({}, spoken.finish)]


def refusing(body: object, *, status: int = 400) -> WireService:
    """A refusal with that body."""
    return answering(body, status=status)


def refused(spoken: Spoken, body: object, *, status: int = 400) -> Spoken:
    """What is spoken where the request is refused."""
    return replace(spoken, answer=refusing(body, status=status))
