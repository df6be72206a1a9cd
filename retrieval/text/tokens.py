"""Estimates the tokens of a text from its UTF-8 bytes."""

from collections.abc import Sequence
from typing import Final

from retrieval.model.conversation import Prompt
from retrieval.model.search import Hit

BYTES_PER_TOKEN: Final = 4
SUMMARY_TOKENS: Final = 2_048
LONGEST_SUMMARY: Final = SUMMARY_TOKENS * BYTES_PER_TOKEN
"""The most characters of a text that are counted. More are not needed for a summary, because each character has at
least one byte."""


def tokens(text: str | None) -> int:
    """The number of tokens of a text: a quarter of its UTF-8 bytes, rounded up."""
    if not text:
        return 0
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def each(*texts: str) -> tuple[int, ...]:
    """The number of tokens of each text."""
    return tuple(map(tokens, texts))


def prompt_tokens(prompt: Prompt) -> int:
    """The number of tokens of a prompt's texts."""
    return tokens(prompt.instructions) + tokens(prompt.data)


def ranked_tokens(search: str, hits: Sequence[Hit]) -> int:
    """An estimate of the tokens that semantic ranking reads. For each document with a score, it reads the query and a
    summary of at most 2,048 tokens.

    A request may find 250 documents. For speed, ASCII titles and contents are counted without a function call.
    """
    query, count = tokens(search), 0
    for _, score, _, title, terms, content, *_ in hits:
        if score is None:
            continue
        summary = tokens(terms[:LONGEST_SUMMARY]) if terms else 0
        if title:
            summary += -(-len(title) // BYTES_PER_TOKEN) if title.isascii() else tokens(title[:LONGEST_SUMMARY])
        if content and summary < SUMMARY_TOKENS:
            summary += -(-len(content) // BYTES_PER_TOKEN) if content.isascii() else tokens(content[:LONGEST_SUMMARY])
        count += query + (summary if summary < SUMMARY_TOKENS else SUMMARY_TOKENS)
    return count
