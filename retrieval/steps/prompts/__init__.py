"""The parts of which prompts are made: instructions from a file, the conversation, the fenced chunks."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.model.answer import Chunk
from retrieval.model.conversation import Message, split
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import RetrievalRequest
from retrieval.steps import fences
from retrieval.text import links
from retrieval.text.clipped import clip, ends

LONGEST_CONVERSATION: Final = 12_000
LONGEST_QUERY: Final = 300
"""The most characters that a judge or a writer reads of a query that was searched."""


def instructions(name: str, *, nonce: str) -> str:
    """The text of a prompt, `judge-3` for example, with the nonce of its fences."""
    return text(name).replace("{nonce}", nonce)


@cache
def text(name: str) -> str:
    """The prompt's file, unchanged."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")


def rules(name: str) -> str:
    """A prompt without its first paragraph and its last two. The first is about the input, and the last two say which
    part is data and describe the reply."""
    return "\n\n".join(text(name).split("\n\n")[1:-2])


def shown_text(messages: Sequence[Message]) -> str:
    """The part of a conversation that prompts show, as one text without the roles."""
    parts = (_latest(part) for part in split(messages))
    return " ".join(turn["text"] for part in parts for turn in part)


def evidence(
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    about: Mapping[str, JsonValue],
    *,
    today: date,
    queries: Sequence[str],
) -> str:
    """One line of JSON with the queries, the facts for the step, and the conversation. The chunks follow, each within a
    fence.

    Texts of users are JSON strings, which end only at their quotes. The text of a document ends at its fence. Some
    queries come from a model that has read chunks, so the nonce of the fences is replaced in all queries.
    """
    query_texts: list[JsonValue] = [clip(query, LONGEST_QUERY).replace(request.nonce, "\ufffd") for query in queries]
    line = conversation(request.messages, {"today": today.isoformat(), "queries": query_texts, **about})
    targets = links.asked_for(shown_text(request.messages))
    return f"{line}\n\n{fences.evidence(chunks, nonce=request.nonce, targets=targets)}"


def guided(messages: Sequence[Message], instructions: str | None) -> tuple[Message, ...]:
    """The messages with an administrator's instructions. They come last in the guidance, since the beginning of a long
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


def _latest(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The latest turns in order, 12,000 characters at most."""
    turns: list[dict[str, str]] = []
    room = LONGEST_CONVERSATION
    for message in reversed(messages):
        if room <= 0:
            break
        text = ends(message.text, room)
        turns.append({"role": message.role, "text": text})
        room -= len(text) if text == message.text else room
    return turns[::-1]
