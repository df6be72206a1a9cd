"""A text that is too long, cut at a word: its beginning, or its beginning and its end, or its beginning on one line."""

from typing import Final

LONGEST_READ: Final = 4_000
"""The characters of a message that are read. Of a longer message the beginning and the end are read."""


def ends(text: str, length: int) -> str:
    """A text of at most `length` characters, or its beginning and its end, since a long message asks at one of them."""
    if len(text) <= length:
        return text
    head = clip(text, length // 2)
    _, space, tail = text[-(length - len(head) - 1) :].partition(" ")
    return f"{head} {tail}" if space else clip(text, length)


def clip(text: str, length: int) -> str:
    """At most `length` characters of a text, ending at a word where there is one."""
    if len(text) <= length:
        return text
    head, _, _ = text[: length + 1].rpartition(" ")
    return head or text[:length]


def line(text: str, length: int) -> str:
    """At most `length` characters of a text on one line, without control characters. It reads twice as many."""
    head = text[: 2 * length]
    if not head.isprintable():
        head = "".join(character if character.isprintable() else " " for character in head)
    return clip(" ".join(head.split()), length)
