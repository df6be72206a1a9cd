"""Cuts a long text at a word."""

import re
from typing import Final

LONGEST_READ: Final = 4_000
"""The most characters of a message that are read. Only the beginning and the end of a longer message are read."""

LONGEST: Final = 200
MUCH: Final = 10_000
"""LONGEST is the most characters of a quotation. MUCH is the most characters of the original text that are read."""

_TOKEN: Final = re.compile(r"\beyJ[\w.-]{20,}")


def ends(text: str, length: int) -> str:
    """The text, or its beginning and its end if it has more than `length` characters. If the end has no blank, only the
    beginning is returned. The question in a long message is usually at the beginning or at the end."""
    if len(text) <= length:
        return text
    head = clip(text, length // 2)
    _, space, tail = text[-(length - len(head) - 1) :].partition(" ")
    return f"{head} {tail}" if space else clip(text, length)


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


def plain(text: str) -> str:
    """A short quotation of a service's text: one line of printable characters, without anything that looks like a
    token. Only the first MUCH characters are read."""
    return line(_TOKEN.sub("***", " ".join(text[:MUCH].split())), LONGEST)
