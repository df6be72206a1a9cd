"""The parts of which prompts are made: instructions from a file, and the evidence with the conversation and the fenced
chunks."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.model.answer import Chunk
from retrieval.model.json_value import JsonValue
from retrieval.model.prompt import Prompt
from retrieval.model.retrieval import RetrievalRequest
from retrieval.steps import fences, shown_conversation
from retrieval.text import links
from retrieval.text.clipped import clip

LONGEST_QUERY: Final = 300
"""The most characters that a prompt about the evidence shows of a query that was searched."""


def instructions(name: str, *, nonce: str) -> str:
    """The text of a prompt, `route-2` for example, with the nonce of its fences."""
    return text(name).replace("{nonce}", nonce)


@cache
def text(name: str) -> str:
    """The prompt's file, unchanged."""
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
    """A prompt of these parts. Its data are one line of JSON with the queries, what the plan wants looked up next, and
    the conversation. The chunks follow, each within a fence.

    Texts of users are JSON strings, which end only at their quotes. The text of a document ends at its fence. Some
    queries come from a model that has read chunks, so the nonce of the fences is replaced in all queries.
    """
    messages, nonce = request.messages, request.nonce
    shown: dict[str, JsonValue] = {
        "queries": [clip(query, LONGEST_QUERY).replace(nonce, "\ufffd") for query in queries],
        **({"next": next} if next else {}),
        **shown_conversation.dated(messages, today),
        **shown_conversation.members(messages),
    }
    targets = links.asked_for(shown_conversation.shown_text(messages))
    fenced = fences.described(chunks, nonce=nonce, targets=targets)
    return Prompt(
        name=name,
        instructions=composed(name, {*parts, *shown}, **numbers).replace("{nonce}", nonce),
        data=f"{json.dumps(shown, ensure_ascii=False)}\n\n{fenced}",
        schema=schema,
    )
