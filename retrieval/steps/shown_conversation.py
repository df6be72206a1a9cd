"""The part of a conversation that prompts show: the guidance (turns before the first user turn) and the latest
turns."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from retrieval.model.conversation import Message, split
from retrieval.model.json_value import JsonValue
from retrieval.text.clipped import ends

LONGEST_CONVERSATION: Final = 12_000


def shown_text(messages: Sequence[Message]) -> str:
    """The part of a conversation that prompts show, as one text without the roles."""
    parts = (_latest(part) for part in split(messages))
    return " ".join(turn["text"] for part in parts for turn in part)


def guided(messages: Sequence[Message], instructions: str | None) -> tuple[Message, ...]:
    """The messages, with an administrator's instructions at the end of the guidance, since the beginning of a long
    guidance is cut."""
    if not instructions:
        return tuple(messages)
    guidance, turns = split(messages)
    return (*guidance, Message(role="system", text=instructions), *turns)


def conversation(messages: Sequence[Message], about: Mapping[str, JsonValue]) -> str:
    """One line of JSON: the facts for the step, the guidance and the conversation.

    A long conversation is cut to its latest turns, and a long turn is cut to its beginning and its end.
    """
    guidance, turns = map(_latest, split(messages))
    return json.dumps({**about, "guidance": guidance, "conversation": turns}, ensure_ascii=False)


def latest(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    """The messages as they are shown in so many characters of guidance, and as many of conversation."""
    turns = [turn for part in split(messages) for turn in _latest(part, room)]
    return tuple(Message(role=turn["role"], text=turn["text"]) for turn in turns)


def _latest(messages: Sequence[Message], room: int = LONGEST_CONVERSATION) -> list[dict[str, str]]:
    """The latest turns in order, `room` characters at most."""
    turns: list[dict[str, str]] = []
    for message in reversed(messages):
        if room <= 0:
            break
        text = ends(message.text, room)
        turns.append({"role": message.role, "text": text})
        room -= len(text) if text == message.text else room
    return turns[::-1]
