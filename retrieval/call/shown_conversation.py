"""The part of a conversation that prompts show: the guidance (turns before the first user turn) and the latest
turns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from retrieval.model.conversation import Message, question_place, split
from retrieval.model.json_value import JsonValue
from retrieval.text.clipped import ends
from retrieval.text.relative_dates import has_relative_date

LONGEST_CONVERSATION: Final = 12_000
LONGEST_ANSWER: Final = 400
"""The most characters of an earlier answer beside a question that stands apart."""


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


def members(messages: Sequence[Message]) -> dict[str, JsonValue]:
    """The `guidance`, the earlier turns as `conversation`, and last the last user message as `question`. The first two
    are left out where there are none. The question takes the room first, then the latest turns."""
    guidance, turns = split(messages)
    place = question_place(turns)
    question = ends(turns[place].text, LONGEST_CONVERSATION)
    others = [*turns[:place], *turns[place + 1 :]]
    earlier = _latest([*map(_shortened, others)], LONGEST_CONVERSATION - len(question))
    parts: dict[str, JsonValue] = {"guidance": [*map(dict, _latest(guidance))], "conversation": [*map(dict, earlier)]}
    return {**{name: part for name, part in parts.items() if part}, "question": question}


def _shortened(message: Message) -> Message:
    """The message; of a long answer its beginning and its end."""
    return message if message.role == "user" else replace(message, text=ends(message.text, LONGEST_ANSWER))


def dated(messages: Sequence[Message], today: date) -> dict[str, JsonValue]:
    """`today` if a message of the user names a time that depends on it."""
    said = " ".join(message.text for message in messages if message.role == "user")
    return {"today": today.isoformat()} if has_relative_date(ends(said, LONGEST_CONVERSATION)) else {}


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
