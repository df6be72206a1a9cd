"""Reads the strings of a JSON list while a model is writing it.

The list is the first member of an object, because it is the first property in the strict JSON schema of the model's
reply.
"""

import json
import re
from functools import cache
from typing import Final

LONGEST_OPENING: Final = 200
"""The most characters up to and including the bracket that opens the list."""

_SPACE: Final = " \t\r\n"
_PLAIN: Final = re.compile(r'[^"\\]+')


@cache
def _opening(name: str) -> re.Pattern[str]:
    return re.compile(rf"[{_SPACE}]*\{{[{_SPACE}]*{re.escape(json.dumps(name))}[{_SPACE}]*:[{_SPACE}]*\[")


class GrowingList:
    """Reads an object whose first member is `name`. The text comes in pieces, which may end at any character. The time
    is linear in the length of the text. Reading stops at the end of the list, at wrong punctuation or an item that is
    not a string, after 200 characters without a list, and after `longest` characters.
    """

    def __init__(self, name: str, *, longest: int) -> None:
        self._opening = _opening(name)
        self._left = longest
        self._head: str | None = ""
        self._parts: list[str] | None = None
        self._escaped = False
        self._wanted = '"]'
        self._open = True

    def feed(self, piece: str) -> tuple[str, ...]:
        """The strings that this piece of the text completes, in their order."""
        piece, self._left = piece[: self._left], self._left - len(piece[: self._left])
        text = self._after_opening(piece) if self._head is not None else piece
        strings: list[str] = []
        at = 0
        while self._open and at < len(text):
            at = self._outside(text, at) if self._parts is None else self._inside(text, at, strings)
        return tuple(strings)

    def _after_opening(self, piece: str) -> str:
        """Reads the text up to the bracket that opens the list. Returns the text after the bracket; empty without a
        bracket."""
        head = f"{self._head}{piece}"
        match = self._opening.match(head[:LONGEST_OPENING])
        if match is None:
            self._head, self._open = head, len(head) < LONGEST_OPENING
            return ""
        self._head = None
        return head[match.end() :]

    def _outside(self, text: str, at: int) -> int:
        """Reads one character between strings."""
        sign = text[at]
        if sign in _SPACE:
            return at + 1
        self._open = sign in self._wanted and sign != "]"
        self._wanted = '"'
        if sign == '"':
            self._parts = []
        return at + 1

    def _inside(self, text: str, at: int, strings: list[str]) -> int:
        """Reads ordinary characters of a string, or one other character."""
        assert self._parts is not None
        if self._escaped:
            self._parts.append(text[at])
            self._escaped = False
            return at + 1
        plain = _PLAIN.match(text, at)
        if plain is not None:
            self._parts.append(plain[0])
            return plain.end()
        if text[at] == "\\":
            self._parts.append("\\")
            self._escaped = True
        else:
            self._end(strings)
        return at + 1

    def _end(self, strings: list[str]) -> None:
        raw, self._parts, self._wanted = "".join(self._parts or ()), None, ",]"
        try:
            strings.append(json.loads(f'"{raw}"'))
        except ValueError:
            self._open = False
