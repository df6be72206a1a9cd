"""Reads a JSON object while a model is writing it: its inner objects, or the strings of its first list.

An inner object is the value of a member of the outer object, or an item of a list that is such a value. A deeper object
is not returned separately.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal["start", "first key", "key", "colon", "value", "first item", "item", "after", "after item"]

MOST_AT_ONCE: Final = 1_000

LONGEST_OPENING: Final = 200
"""The most characters up to and including the bracket that opens a list of strings."""

_IN_STRING: Final = re.compile(r'[^"\\]+|.', re.DOTALL)
_IN_VALUE: Final = re.compile(r'[^"{}\[\]]+|.', re.DOTALL)
_BETWEEN: Final = re.compile(r"[\w.+-]+|[ \t\r\n]+|.", re.DOTALL)
_SPACE: Final = " \t\r\n"
_KINDS: Final = {'"': "string", "{": "object", "[": "list"}

_STRINGS: Final[Mapping[tuple[State, str], State]] = {
    ("start", "object"): "first key",
    ("first key", "string"): "colon",
    ("colon", ":"): "value",
    ("value", "list"): "first item",
    ("first item", "string"): "after item",
    ("item", "string"): "after item",
    ("after item", ","): "item",
}
"""The place after a sign or the beginning of a value, in an object whose first member is a list of strings."""

_ANY: Final[Mapping[tuple[State, str], State]] = {
    **_STRINGS,
    ("key", "string"): "colon",
    **dict.fromkeys(product(("value",), ("string", "object", "scalar")), "after"),
    **dict.fromkeys(product(("first item", "item"), ("object", "list", "scalar")), "after item"),
    ("first item", "]"): "after",
    ("after item", "]"): "after",
    ("after", ","): "key",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """An inner object, or a string with its escapes read. It is the value of the member with the name `member`, or an
    item of the list that is this value."""

    member: str
    is_item: bool
    text: str


class GrowingObject:
    """Reads an object. The text comes in pieces, which may end at any character. The time is linear in the length of
    the text. Reading stops at the end of the object, at invalid punctuation or names in the outer object, at a repeated
    name, after `longest` characters, and where one piece completes more than MOST_AT_ONCE values. Inner objects are not
    checked. `ended` has the names of the members whose lists have ended.

    With `strings`, only the strings of the list of this name are read. The list must be the first member, and begin
    within LONGEST_OPENING characters. Reading stops at its end, and at an item that is not a string.
    """

    def __init__(self, *, longest: int, strings: str | None = None) -> None:
        self._longest = longest
        self._strings = strings
        self.ended: set[str] = set()
        self._count = 0
        self._place: State | None = "start"
        self._names = [""]
        self._parts: list[str] = []
        self._depth = 0
        self._in_string = self._escaped = self._in_scalar = False

    def feed(self, piece: str) -> tuple[Inner, ...]:
        """The values that this piece completes, in their order."""
        text = piece[: self._longest - self._count]
        inners: list[Inner] = []
        at = 0
        while self._place is not None and at < len(text):
            pattern = _IN_STRING if self._in_string else _IN_VALUE if self._depth else _BETWEEN
            match = pattern.match(text, at)
            assert match is not None
            at = match.end()
            self._count += len(match[0])
            if self._in_string or self._depth:
                inners.extend(self._inside(match[0]))
            else:
                self._outside(match[0], self._place)
            if len(inners) > MOST_AT_ONCE:
                self._place = None
        return tuple(inners)

    def _outside(self, run: str, place: State) -> None:
        """Reads a sign of the outer object, the beginning of a value, white space, or a part of a number, true, false
        or null."""
        kind = "scalar" if run[0].isalnum() or run[0] in "_.+-" else _KINDS.get(run, run)
        was_scalar, self._in_scalar = self._in_scalar, kind == "scalar"
        if (was_scalar and self._in_scalar) or run[0] in _SPACE:
            return
        self._place = (_ANY if self._strings is None else _STRINGS).get((place, kind))
        if self._place == "first item":
            if self._strings is not None and self._count > LONGEST_OPENING:
                self._place = None
        elif kind in _KINDS.values() and self._place != "first key":
            self._in_string, self._depth, self._parts = run == '"', int(run != '"'), [run]
        elif run == "]" and self._place == "after":
            self.ended.add(self._names[-1])

    def _inside(self, run: str) -> Iterator[Inner]:
        """Reads a part of a string, of an inner object or of an inner list. Returns the value that ends here."""
        self._parts.append(run)
        if self._in_string:
            self._in_string = self._escaped or run != '"'
            self._escaped = not self._escaped and run == "\\"
        else:
            self._in_string = run == '"'
            self._depth += (run in "{[") - (run in "}]")
        if not self._in_string and not self._depth:
            yield from self._end("".join(self._parts))

    def _end(self, text: str) -> Iterator[Inner]:
        is_object, is_name, is_item = text[0] == "{", self._place == "colon", self._place == "after item"
        if is_name or self._strings is not None:
            try:
                text = json.loads(text)
            except ValueError:
                self._place = None
                return
        if is_name:
            is_wrong = text in self._names[1:] or self._strings not in (None, text)
            self._place = None if is_wrong else self._place
            self._names.append(text)
        elif is_object or self._strings is not None:
            yield Inner(member=self._names[-1], is_item=is_item, text=text)
