"""The parts of which prompts are made: instructions from a file, and the evidence with the conversation and the fenced
chunks."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from retrieval.model.answer import Chunk
from retrieval.model.json_value import JsonValue
from retrieval.model.retrieval import RetrievalRequest
from retrieval.steps import fences, shown_conversation
from retrieval.text import links
from retrieval.text.clipped import clip

LONGEST_QUERY: Final = 300
"""The most characters that a judge or a writer reads of a query that was searched."""


def instructions(name: str, *, nonce: str) -> str:
    """The text of a prompt, `judge-3` for example, with the nonce of its fences."""
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


def rules(name: str) -> str:
    """A prompt without its first paragraph and its last two. The first is about the input, and the last two say which
    part is data and describe the reply."""
    return "\n\n".join(text(name).split("\n\n")[1:-2])


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
    facts = {"today": today.isoformat(), "queries": query_texts, **about}
    line = shown_conversation.conversation(request.messages, facts)
    targets = links.asked_for(shown_conversation.shown_text(request.messages))
    return f"{line}\n\n{fences.evidence(chunks, nonce=request.nonce, targets=targets)}"
