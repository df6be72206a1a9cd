"""Reads a chat completion while it arrives: one JSON object, or server-sent events with pieces of the text. Reads why
Azure OpenAI refuses a prompt, by its code, or without one by the beginning of its message, and its answers that report
a fault in this service's setup, by status and code.

Azure sends its content filter's results about the prompt in an event without choices. With
`stream_options.include_usage` it sends the token counts in an event before `[DONE]`.

Sources: Azure OpenAI in Microsoft Foundry Models, REST reference, Chat Completions - Create;
https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter, the error codes of
https://platform.openai.com/docs/guides/error-codes and https://learn.microsoft.com/azure/ai-foundry/openai/reference,
and answers that users of the service have quoted.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, suppress
from math import inf
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from retrieval.errors import BackendMisconfigured, BackendUnanswered, BackendUnavailable, Ended, Lack, Refusal
from retrieval.model.conversation import LONGEST_REPLY, Reply
from retrieval.outgoing.bodies import EventStream
from retrieval.ports import Hear
from retrieval.text import strict_json

if TYPE_CHECKING:
    from httpx2 import Response

SERVICE: Final = "The chat model"

REFUSALS: Final[Mapping[str, Refusal]] = {
    "content_filter": "content filter",
    "ResponsibleAIPolicyViolation": "content filter",
    "context_length_exceeded": "context length",
    "string_above_max_length": "context length",
    "unsupported_parameter": "unsupported parameter",
    "unsupported_value": "unsupported parameter",
    "unknown_parameter": "unsupported parameter",
    "invalid_json_schema": "unsupported parameter",
    "The response was filtered": "content filter",
    "This model's maximum context length": "context length",
    "Input tokens exceed": "context length",
    "Unsupported parameter": "unsupported parameter",
    "Unsupported value": "unsupported parameter",
    "Unrecognized request argument": "unsupported parameter",
    "Unknown parameter": "unsupported parameter",
    "Invalid parameter": "unsupported parameter",
}
"""The reason of a refusal, by the beginning of its code or of its message."""


def refusal(error: object) -> Refusal | None:
    """The reason in the JSON of an error; None if it is not known."""
    members = error if isinstance(error, dict) else {}
    texts = [text for text in (members.get("code"), members.get("message")) if isinstance(text, str)]
    return next((reason for text in texts for words, reason in REFUSALS.items() if text.startswith(words)), None)


DEPLOYMENT: Final = "Make the deployment, or correct AZURE_OPENAI_DEPLOYMENT, ALLOWED_MODELS or the agent's model."
MODEL: Final = "Deploy a model that is served and chats: MODEL_NAME, then azd provision."

LACKING: Final[Mapping[tuple[int, str], tuple[Lack, str]]] = {
    (404, "DeploymentNotFound"): ("deployment", DEPLOYMENT),
    (404, "model_not_found"): ("deployment", DEPLOYMENT),
    (404, ""): ("address", "Set AZURE_OPENAI_ENDPOINT to https://<resource>.openai.azure.com."),
    (410, ""): ("model", MODEL),
    (400, "OperationNotSupported"): ("model", MODEL),
    (429, "insufficient_quota"): ("quota", "Look at the subscription's quota and billing."),
}
"""The answers with a known meaning, by status and code. If the code is empty, the status alone is known."""


def lacking(status: int, code: str) -> BackendMisconfigured | None:
    """The error for an answer in LACKING; None for any other answer."""
    known = LACKING.get((status, code)) or LACKING.get((status, ""))
    return known and BackendMisconfigured(SERVICE, status=status, lack=known[0], hint=known[1])


MOST_BYTES: Final = 16_777_216
"""The most bytes of a reply. In a reply of events, each token takes half a kilobyte."""

MOST_TOKENS: Final = 1_000_000_000
"""The most tokens that a reply may count. The numbers are the service's own."""

EVENTS_PER_TOKEN: Final = 2

REFUSAL_BYTES: Final = 65_536
"""The most bytes of a refusal. The `openai` package parses it on the event loop."""

END: Final = b"[DONE]"

_ENDED_BY: Final[Mapping[str | None, Ended]] = {"length": "length", "content_filter": "content filter"}


class Usage(TypedDict, total=False):
    prompt_tokens: int
    completion_tokens: int


class ReplyMessage(TypedDict, total=False):
    """A message, or a piece of one. Endpoints send a model's thinking as `reasoning` or as `reasoning_content`, which
    is not kept."""

    content: str | None
    refusal: str | None
    reasoning: object
    reasoning_content: object


class Choice(TypedDict, total=False):
    index: int
    message: ReplyMessage
    delta: ReplyMessage
    finish_reason: str | None


@with_config(ConfigDict(defer_build=True))
class Completion(TypedDict, total=False):
    """A whole chat completion, or an event of one. An `error` stands in the place of a completion, or of its end. A
    reply has hundreds of events, and a dictionary is read in less than half the time of a Pydantic model."""

    choices: list[Choice]
    usage: Usage | None
    error: object


COMPLETION: Final = TypeAdapter(Completion)
CONTENTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
NO_COMPLETION: Final = "answered with something other than a chat completion."


class ReplyFailed(BackendUnavailable):
    """The reply has an error in the place of a completion, or of its end. `error` is the error's JSON."""

    def __init__(self, reason: str, *, error: object) -> None:
        super().__init__(SERVICE, reason)
        self.error = error
        self.detail = refusal(error)


def _read(content: bytes, *, failed: str) -> Completion:
    """A completion, or an event of one. Raises ReplyFailed with the reason `failed` for an error in its place, and
    BackendUnanswered."""
    try:
        completion = None if strict_json.holds_too_much(content) else COMPLETION.validate_json(content)
    except ValidationError:
        completion = None
    if completion is None:
        raise BackendUnanswered(SERVICE, NO_COMPLETION, why="unreadable")
    if completion.get("error") is not None:
        raise ReplyFailed(failed, error=completion["error"])
    return completion


def whole(content: bytes) -> Reply:
    """The reply in the JSON of a chat completion. Raises ReplyFailed and BackendUnavailable."""
    completion = _read(content, failed=NO_COMPLETION)
    choice = _first(completion)
    message = choice.get("message")
    if message is None:
        raise BackendUnanswered(SERVICE, NO_COMPLETION, why="unreadable")
    text, is_refused = message.get("content") or "", bool(message.get("refusal"))
    return _reply(text, choice.get("finish_reason"), is_refused, completion.get("usage"))


class CompletionStream:
    """Reads a chat completion from events. The bytes for `feed` may end in the middle of an event. `finished` is true
    once the finish reason or `[DONE]` was read. `ended` is true once `[DONE]` was read.

    An event has a token or more, so a reply of `longest` tokens has at most EVENTS_PER_TOKEN times as many events. The
    content filter's events are among them.
    """

    def __init__(self, longest: int = LONGEST_REPLY) -> None:
        self._stream = EventStream(most=EVENTS_PER_TOKEN * longest, service=SERVICE)
        self._texts: list[str] = []
        self._refused = False
        self._finish_reason: str | None = None
        self._usage: Usage | None = None
        self.ended = False

    def feed(self, content: bytes) -> Iterator[str]:
        """The pieces of the text in these bytes. Raises BackendUnavailable for an invalid event, for an event with an
        error, and for more events than a reply has."""
        for data in self._stream.feed(content):
            self.ended = self.ended or data.strip() == END
            if not self.ended and (text := self._event(data)):
                self._texts.append(text)
                yield text

    @property
    def finished(self) -> bool:
        return self.ended or self._finish_reason is not None

    def reply(self) -> Reply:
        """The whole reply. Raises BackendUnavailable if the stream ended without a finish reason."""
        if self._finish_reason is None:
            raise BackendUnanswered(SERVICE, "broke off its answer.", why="cut")
        return _reply("".join(self._texts), self._finish_reason, self._refused, self._usage)

    def _event(self, data: bytes) -> str:
        event = _read(data, failed="broke off its answer with an error.")
        usage, choice = event.get("usage"), _first(event)
        delta, reason = choice.get("delta", {}), choice.get("finish_reason")
        self._usage, self._finish_reason = usage or self._usage, reason or self._finish_reason
        self._refused = self._refused or bool(delta.get("refusal"))
        if not (usage or reason or any(map(delta.get, CONTENTS))):
            self._stream.count_empty()
        return delta.get("content") or ""


def _first(completion: Completion) -> Choice:
    """The first choice; empty if there is none."""
    return next((choice for choice in completion.get("choices", ()) if choice.get("index", 0) == 0), Choice())


def _reply(text: str, finish_reason: str | None, is_refused: bool, usage: Usage | None) -> Reply:
    tokens = usage or Usage()
    return Reply(
        text=text,
        input_tokens=min(max(tokens.get("prompt_tokens", 0), 0), MOST_TOKENS),
        output_tokens=min(max(tokens.get("completion_tokens", 0), 0), MOST_TOKENS),
        ended_by="refusal" if is_refused else _ENDED_BY.get(finish_reason),
    )


EVENTS: Final = "text/event-stream"
BEGINNINGS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
"""An answer that begins with one of these is read as events, even if its content type is different. JSON does not begin
with any of them."""

END_SECONDS: Final = 0.2
"""The longest wait for the end of the body after the last event. A connection that is closed before that end cannot be
reused.
"""
USAGE_SECONDS: Final = 1.0
"""The longest wait for the token counts and the last event, counted from the end of the text. Some endpoints do not
send them."""


async def read_response(response: "Response", hear: Hear | None, longest: int) -> Reply:
    """The reply, of `longest` tokens at most. If the reply arrives in events, `hear` is called with each piece of the
    text. Raises BackendTimeout and BackendUnavailable."""
    async with aclosing(response):
        contents, first = response.aiter_bytes(), b""
        async for content in contents:
            if first := content.lstrip():  # leading whitespace has no meaning in JSON or in events
                break
        if response.headers.get("content-type", "").partition(";")[0] != EVENTS and not first.startswith(BEGINNINGS):
            return whole(b"".join([first, *[content async for content in contents]]))
        return await _read_events(first, contents, hear, CompletionStream(longest))


async def _read_events(
    first: bytes, contents: AsyncIterator[bytes], hear: Hear | None, stream: CompletionStream
) -> Reply:
    """The reply, read from events. `first` has the bytes that were already read."""
    clock, until = asyncio.get_running_loop().time, inf
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as patience:
            content: bytes | None = first
            while content is not None:
                pieces: list[str] = []
                try:
                    pieces.extend(stream.feed(content))  # the pieces before an error are kept
                finally:
                    if pieces and hear is not None:
                        hear("".join(pieces))
                if stream.finished:
                    until = min(until, clock() + (END_SECONDS if stream.ended else USAGE_SECONDS))
                    patience.reschedule(until)
                content = await anext(contents, None)
    return stream.reply()
