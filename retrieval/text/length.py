"""How long a text is, in tokens or characters, and a long text cut to a length at a word. Tokens are estimated from the
UTF-8 bytes."""

import re
from collections.abc import Sequence
from typing import Final

from retrieval.model.conversation import Prompt
from retrieval.model.search import LONGEST_SEARCH, Hit

BYTES_PER_TOKEN: Final = 4
_SUMMARY_TOKENS: Final = 2_048
_LONGEST_SUMMARY: Final = _SUMMARY_TOKENS * BYTES_PER_TOKEN
"""The most characters of a text that are counted. More are not needed for a summary, because each character has at
least one byte."""

LONGEST_READ: Final = 4_000
"""The most characters of a message that are read. Only the beginning and the end of a longer message are read."""

_LONGEST_QUOTATION: Final = 200
_MOST_QUOTED: Final = 10_000
"""The most characters of a text that are read for a quotation."""

_ACCESS_TOKEN: Final = re.compile(r"\beyJ[\w.-]{20,}")


def tokens(text: str | None) -> int:
    """The number of tokens of a text: a quarter of its UTF-8 bytes, rounded up."""
    if not text:
        return 0
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def tokens_of_each(*texts: str) -> tuple[int, ...]:
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
        summary = tokens(terms[:_LONGEST_SUMMARY]) if terms else 0
        if title:
            summary += -(-len(title) // BYTES_PER_TOKEN) if title.isascii() else tokens(title[:_LONGEST_SUMMARY])
        if content and summary < _SUMMARY_TOKENS:
            summary += -(-len(content) // BYTES_PER_TOKEN) if content.isascii() else tokens(content[:_LONGEST_SUMMARY])
        count += query + (summary if summary < _SUMMARY_TOKENS else _SUMMARY_TOKENS)
    return count


def ends(text: str, length: int) -> str:
    """The text, or its beginning and its end if it has more than `length` characters. If the end has no blank, only the
    beginning is returned. The question in a long message is usually at the beginning or at the end."""
    if len(text) <= length:
        return text
    head = clip(text, length // 2)
    _, space, tail = text[-(length - len(head) - 1) :].partition(" ")
    return f"{head} {tail}" if space else clip(text, length)


def as_search(text: str) -> str:
    """A message as it is searched: on one line, a long one cut to its beginning and its end."""
    return ends(" ".join(ends(text, LONGEST_READ).split()), LONGEST_SEARCH)


def clip(text: str, length: int) -> str:
    """At most `length` characters of a text, cut at a blank if there is one."""
    if len(text) <= length:
        return text
    head, _, _ = text[: length + 1].rpartition(" ")
    return head or text[:length]


def line(text: str, length: int) -> str:
    """At most `length` characters of a text on one line, without control characters. Only the first 2 × `length`
    characters are read."""
    head = text[: 2 * length]
    if not head.isprintable():
        head = "".join(character if character.isprintable() else " " for character in head)
    return clip(" ".join(head.split()), length)


def quotation(text: str) -> str:
    """A short quotation of a service's text: one line of printable characters, without anything that looks like a
    token. Only the first 10,000 characters are read."""
    return line(_ACCESS_TOKEN.sub("***", " ".join(text[:_MOST_QUOTED].split())), _LONGEST_QUOTATION)
