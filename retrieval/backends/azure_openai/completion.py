"""Reading a chat completion: one JSON, or server-sent events with a piece of its text each, while it is written.

Azure sends what its filters say of the prompt in an event without choices, and with `stream_options.include_usage` the
tokens in a last one. Source: Azure OpenAI in Microsoft Foundry Models, REST reference, Chat Completions - Create.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.errors import BackendUnavailable
from retrieval.model.prompt import Reply

SERVICE: Final = "The chat model"
MOST_BYTES: Final = 16_777_216
"""A token takes half a kilobyte in an event."""

END: Final = b"[DONE]"

EndedBy = Literal["length", "filter", "refusal"]
_ENDED_BY: Final[dict[str | None, EndedBy]] = {"length": "length", "content_filter": "filter"}


class Part(BaseModel):
    """A part of a chat completion, with the members that are read here."""

    model_config = ConfigDict(defer_build=True)


class Message(Part):
    """A message, or a piece of it."""

    content: str | None = None
    refusal: str | None = None


class Choice(Part):
    message: Message
    finish_reason: str | None = None


class Piece(Part):
    index: int = 0
    delta: Message = Message()
    finish_reason: str | None = None


class Usage(Part):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(Part):
    """A whole chat completion."""

    choices: Annotated[list[Choice], Field(min_length=1)]
    usage: Usage | None = None


class Event(Part):
    """An event of a chat completion. With an `error` there will be no more."""

    choices: list[Piece] = Field(default_factory=list)
    usage: Usage | None = None
    error: object = None


def whole(content: bytes) -> Reply:
    """The reply in the JSON of a chat completion. Raises BackendUnavailable."""
    try:
        completion = Completion.model_validate_json(content)
    except ValidationError:
        raise _no_completion() from None
    choice = completion.choices[0]
    return _reply(choice.message.content or "", choice.finish_reason, bool(choice.message.refusal), completion.usage)


class Streamed:
    """Reads the events. Bytes may end anywhere. It is `finished` when the text is, with a reason, and has `ended` when
    the last event was read."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._texts: list[str] = []
        self._refused = False
        self._finished: str | None = None
        self._usage: Usage | None = None
        self.ended = False

    def feed(self, content: bytes) -> Iterator[str]:
        """The pieces of the text in it. Raises BackendUnavailable for what is no event of a chat completion."""
        *lines, rest = content.split(b"\n")
        for line in lines:
            if not (line or self._line or self._data):
                continue
            whole_line, self._line = b"".join((*self._line, line)).removesuffix(b"\r"), []
            if text := self._read(whole_line):
                self._texts.append(text)
                yield text
        if rest:
            self._line.append(rest)

    @property
    def finished(self) -> bool:
        return self.ended or self._finished is not None

    def reply(self) -> Reply:
        """The whole reply. Raises BackendUnavailable where it broke off."""
        if self._finished is None:
            raise BackendUnavailable(SERVICE, "broke off its answer.")
        return _reply("".join(self._texts), self._finished, self._refused, self._usage)

    def _read(self, line: bytes) -> str:
        """The text of the event that a line ends; an empty line ends one."""
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        if line or not self._data or self.ended:
            return ""
        data, self._data = b"\n".join(self._data), []
        self.ended = data == END
        return "" if self.ended else self._event(data)

    def _event(self, data: bytes) -> str:
        try:
            event = Event.model_validate_json(data)
        except ValidationError:
            raise _no_completion() from None
        if event.error is not None:
            raise BackendUnavailable(SERVICE, "broke off its answer with an error.")
        self._usage = event.usage or self._usage
        piece = next((one for one in event.choices if one.index == 0), None)
        if piece is None:
            return ""
        self._finished = piece.finish_reason or self._finished
        self._refused = self._refused or bool(piece.delta.refusal)
        return piece.delta.content or ""


def _reply(text: str, finished: str | None, refused: bool, usage: Usage | None) -> Reply:
    used = usage or Usage()
    return Reply(
        text=text,
        input_tokens=max(used.prompt_tokens, 0),
        output_tokens=max(used.completion_tokens, 0),
        ended_by="refusal" if refused else _ENDED_BY.get(finished),
    )


def _no_completion() -> BackendUnavailable:
    return BackendUnavailable(SERVICE, "answered with something other than a chat completion.")
