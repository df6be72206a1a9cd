"""The parts of which prompts are made: instructions from a file, and the evidence with the conversation and the fenced
chunks."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.call import prompt_parts
from retrieval.call.prompt_parts import described
from retrieval.model.conversation import Message, Prompt
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import Chunk, RetrievalRequest
from retrieval.text import links
from retrieval.text.length import clip

LONGEST_QUERY: Final = 300
"""The most characters that a prompt about the evidence shows of a query that was searched."""


@cache
def text(name: str) -> str:
    """The file of a prompt, `route-3` for example, unchanged."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")


def composed(name: str, parts: Collection[str], **numbers: int) -> str:
    """The parts of a prompt's file that a call needs, between its first and its last. `numbers` replace their names in
    braces."""
    first, *others, last = _parts(name)
    chosen = [first, *(part for part in others if part[0] in parts), last]
    whole = "\n\n".join(text for _, text in chosen)
    for number, value in numbers.items():
        whole = whole.replace(f"{{{number}}}", str(value))
    return whole


@cache
def _parts(name: str) -> Sequence[tuple[str, str]]:
    """The parts of a prompt's file, each with the name that stands before it in brackets."""
    named = re.split(r"^\[([a-z_ ]+)\]\n", text(name), flags=re.MULTILINE)[1:]
    return [(part, words.strip()) for part, words in zip(named[::2], named[1::2], strict=True)]


def about_evidence(
    name: str,
    request: RetrievalRequest,
    chunks: Sequence[Chunk],
    *,
    parts: Collection[str],
    schema: Mapping[str, JsonValue],
    today: date,
    queries: Sequence[str],
    next: str = "",
    **numbers: int,
) -> Prompt:
    """A prompt for an answer, of these parts, over chunks that the queries found. Some queries come from a model that
    has read chunks, so the nonce of the fences is replaced in all queries."""
    messages, nonce = request.messages, request.nonce
    shortened = [clip(query, LONGEST_QUERY).replace(nonce, "\ufffd") for query in queries]
    shown = searched(shortened, messages, today=today, next=next)
    targets = links.asked_for(prompt_parts.shown_text(messages))
    return over_chunks(name, chunks, shown, parts=parts, schema=schema, nonce=nonce, targets=targets, **numbers)


def searched(queries: Sequence[str], messages: Sequence[Message], *, today: date, next: str) -> dict[str, JsonValue]:
    """The queries, what the plan wants looked up `next`, and the conversation."""
    return {
        "queries": [*queries],
        **({"next": next} if next else {}),
        **prompt_parts.dated(messages, today),
        **prompt_parts.members(messages),
    }


def over_chunks(
    name: str,
    chunks: Sequence[Chunk],
    shown: Mapping[str, JsonValue],
    *,
    parts: Collection[str],
    schema: Mapping[str, JsonValue],
    nonce: str,
    targets: bool = True,
    **numbers: int,
) -> Prompt:
    """A prompt of these parts and those that `shown` has. Its data are one line of JSON with what is shown, and the
    chunks, each within a fence.

    Texts of users are JSON strings, which end only at their quotes. The text of a document ends at its fence.
    """
    fenced = described(chunks, nonce=nonce, targets=targets)
    return Prompt(
        name=name,
        instructions=composed(name, {*parts, *shown}, **numbers).replace("{nonce}", nonce),
        data=f"{json.dumps(shown, ensure_ascii=False)}\n\n{fenced}",
        schema=schema,
    )
