"""The turns of a conversation; the prompt for a chat model, and its reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.errors import BadModelReply, Ended
from retrieval.model.json_value import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation. `role` is lower-case, e.g. `user`."""

    role: str
    text: str


def split(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The guidance, and the conversation. The guidance has the turns before the first user turn, and is never searched.
    The conversation begins with the first user turn."""
    first = next((i for i, message in enumerate(messages) if message.role == "user"), len(messages))
    return tuple(messages[:first]), tuple(messages[first:])


def up_to_question(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation up to the last user message, without the guidance."""
    return split(messages[: question_place(messages) + 1])[1]


def question_place(messages: Sequence[Message]) -> int:
    """The place of the last user message."""
    return max(place for place, message in enumerate(messages) if message.role == "user")


def question_of(messages: Sequence[Message]) -> str:
    """The last user message."""
    return messages[question_place(messages)].text


LONGEST_REPLY: Final = 12_000
"""The most tokens of any reply that a step needs, thinking included."""

LONGEST_BOUNDED_TEXT: Final = 800
"""The most characters of a text in a reply of a server that takes bounds in a schema. A text of this length
that does not end a sentence was cut."""

_BOUNDS: Final = frozenset({"maxItems", "maxLength"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The prompt for a chat model: the instructions, their data, and the JSON schema of the reply. The schema may state
    the most items of a list and the most characters of a text, which `strict_schema` does not.

    `most_tokens` limits the tokens of the reply and of the reasoning before it; None sets no limit.
    """

    name: str
    instructions: str
    data: str
    schema: Mapping[str, JsonValue]
    most_tokens: int | None = None

    @property
    def strict_schema(self) -> JsonValue:
        """The schema without the bounds of lists and texts, which strict services refuse."""
        return _unbounded(self.schema)

    @property
    def longest(self) -> int:
        """The tokens of the longest reply."""
        return LONGEST_REPLY if self.most_tokens is None else self.most_tokens


_ENDED: Final[Mapping[Ended, str]] = {
    "length": "it was cut off at the most tokens that it may have",
    "content filter": "the content filter ended it",
    "refusal": "the model declined",
}


def _unbounded(schema: JsonValue) -> JsonValue:
    if isinstance(schema, Mapping):
        return {name: _unbounded_member(name, value) for name, value in schema.items() if name not in _BOUNDS}
    return [*map(_unbounded, schema)] if isinstance(schema, list) else schema


def _unbounded_member(name: str, value: JsonValue) -> JsonValue:
    """A member of a schema. The names of `properties` may be any."""
    if name == "properties" and isinstance(value, Mapping):
        return {property: _unbounded(schema) for property, schema in value.items()}
    return _unbounded(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A chat model's reply, and the numbers of tokens that its service counted, or 0. `ended_by` says why the reply is
    incomplete; None if it is complete. `notes` say what else is to be known of it."""

    text: str
    input_tokens: int
    output_tokens: int
    ended_by: Ended | None = None
    notes: tuple[str, ...] = ()

    def whole(self) -> str:
        """The text of the reply. Raises BadModelReply when the reply is incomplete."""
        if self.ended_by is not None:
            raise BadModelReply(_ENDED[self.ended_by], ended=self.ended_by)
        return self.text
