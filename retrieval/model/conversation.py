"""The turns of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass


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
