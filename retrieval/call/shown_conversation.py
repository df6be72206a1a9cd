"""The part of a conversation that prompts show: the guidance (turns before the first user turn) and the latest
turns."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Final

from retrieval.model.conversation import Message, question_place, split
from retrieval.model.json_value import JsonValue
from retrieval.text.clipped import ends
from retrieval.text.languages.known import KNOWN

LONGEST_CONVERSATION: Final = 12_000
LONGEST_ANSWER: Final = 400
"""The most characters of an earlier answer beside a question that stands apart."""

NEAR: Final = 3
"""The most words between "last" and "months", counted with "months"."""

_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SPACED: Final = [language for language in KNOWN if language.spaced]
_NOW: Final = frozenset(chain.from_iterable(language.now for language in _SPACED))
_SIGNS: Final = re.compile(
    "|".join(map(re.escape, sorted({word for language in KNOWN for word in language.now if word > "\u2e80"})))
)


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


def has_relative_date(text: str) -> bool:
    """Whether a text names a time that depends on today's date: it has a word such as "today", or a word such as "last"
    near a word such as "year". The words of all languages count, since a text is often too short for its language to be
    recognised."""
    words = [match[0] for match in _WORD.finditer(text.casefold())]
    return not _NOW.isdisjoint(words) or _beside_a_period(words) or _SIGNS.search(text) is not None


def _beside_a_period(words: list[str]) -> bool:
    known = set(words)
    for language in _SPACED:
        if known.isdisjoint(language.periods) or known.isdisjoint(language.beside_periods):
            continue
        places = [at for at, word in enumerate(words) if word in language.periods]
        if any(
            language.beside_periods.intersection(words[max(at - NEAR, 0) : at + NEAR + 1]) - {words[at]}
            for at in places
        ):
            return True
    return False
