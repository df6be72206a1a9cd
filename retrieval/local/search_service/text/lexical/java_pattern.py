"""Java's regular expressions, as the parts of analyzers take them, read into a tree.

https://docs.oracle.com/javase/8/docs/api/java/util/regex/Pattern.html. What cannot be matched in time linear in the
text is refused by name: back references, look-around, and the possessive and atomic groups that go with it.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from retrieval.local.search_service.errors import InvalidArgument, Unsupported
from retrieval.local.search_service.text.lexical import character_classes as classes
from retrieval.local.search_service.text.lexical.pattern_signs import QUOTED, Signs
from retrieval.local.search_service.text.lexical.pattern_tree import (
    EMPTY,
    At,
    Capture,
    Character,
    Choice,
    Node,
    Place,
    Repeat,
    Sequence,
    Test,
)

FLAGS: Final = (
    "CASE_INSENSITIVE",
    "COMMENTS",
    "DOTALL",
    "LITERAL",
    "MULTILINE",
    "UNICODE_CASE",
    "UNIX_LINES",
    "CANON_EQ",
)
MAX_LENGTH: Final = 1000
"""Characters of an expression."""

MAX_COUNT: Final = 1000

_INLINE: Final = {
    "i": "CASE_INSENSITIVE",
    "x": "COMMENTS",
    "s": "DOTALL",
    "m": "MULTILINE",
    "u": "UNICODE_CASE",
    "d": "UNIX_LINES",
}
_COUNT = re.compile(r"\{(\d{1,9})(?:(,)(\d{1,9})?)?\}")
_GROUP = re.compile(
    r"\?(?:(?P<plain>:)|<(?P<name>[A-Za-z][A-Za-z0-9]*)>|(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]+))?(?P<end>[:)]))"
)
_PLACES: Final[dict[str, Place]] = {
    "b": "word edge",
    "B": "no word edge",
    "A": "start",
    "z": "end",
    "Z": "last line end",
}
_REFUSED_GROUPS: Final = {
    "?=": "look-ahead",
    "?!": "look-ahead",
    "?<=": "look-behind",
    "?<!": "look-behind",
    "?>": "an atomic group",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """`groups` counts those that are remembered."""

    tree: Node
    groups: int


def read(expression: str, flags: Collection[str] = ()) -> Pattern:
    """`flags` are names of FLAGS.

    Raises InvalidArgument for what is no expression or too large, Unsupported naming what cannot be matched here.
    """
    if len(expression) > MAX_LENGTH:
        raise InvalidArgument(f"A regular expression of an analyzer has at most {MAX_LENGTH} characters.")
    for flag in flags:
        if flag not in FLAGS:
            raise InvalidArgument(f"The flag {flag[:40]!r} of a regular expression is none of {', '.join(FLAGS)}.")
    if "CANON_EQ" in flags:
        raise Unsupported("the flag CANON_EQ of a regular expression")
    reader = _Reader(expression, frozenset(flags))
    if "LITERAL" in flags:
        return Pattern(reader.literal(expression), 0)
    return Pattern(reader.whole(), reader.groups)


class _Reader(Signs):
    def __init__(self, expression: str, flags: frozenset[str]) -> None:
        super().__init__(expression)
        self.groups = 0
        self._flags = flags

    def whole(self) -> Node:
        node = self._choice()
        if self.at < len(self.text):
            raise self.broken("a parenthesis that was not opened")
        return node

    def literal(self, text: str) -> Node:
        return Sequence(tuple(self._character(classes.among(sign)) for sign in text))

    def _next(self) -> str:
        """The sign at this place, "" at the end; blanks and remarks are passed over where they are comments."""
        while "COMMENTS" in self._flags and self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in " \t\n\v\f\r":
                self.at += 1
            else:
                break
        return self.text[self.at : self.at + 1]

    def _choice(self) -> Node:
        self.enter()
        around = self._flags
        parts = [self._sequence()]
        while self._next() == "|":
            self.at += 1
            parts.append(self._sequence())
        self._flags = around
        self.leave()
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        while (sign := self._next()) and sign in "?*+{":
            least, most = self._bounds(sign)
            if self.takes("+"):
                raise Unsupported("a possessive repetition in a regular expression of an analyzer")
            part = Repeat(part, least, most, not self.takes("?"))
        return part

    def _bounds(self, sign: str) -> tuple[int, int | None]:
        if sign != "{":
            self.at += 1
            return int(sign == "+"), 1 if sign == "?" else None
        match = self.match(_COUNT)
        if match is None:
            raise self.broken("a repetition that cannot be read")
        least = int(match[1])
        most = int(match[3]) if match[3] else (None if match[2] else least)
        if max(least, most or 0) > MAX_COUNT or (most is not None and most < least):
            raise self.broken(f"a repetition that counts backwards or beyond {MAX_COUNT}")
        return least, most

    def _atom(self) -> Node:
        sign = self._next()
        self.at += 1
        match sign:
            case "(":
                return self._group()
            case "[":
                return self._character(self.bracketed())
            case "\\":
                return self._escaped()
            case ".":
                across = "DOTALL" in self._flags
                return Character(classes.anything(across_lines=across, unix="UNIX_LINES" in self._flags))
            case "^":
                return self._place("line start" if "MULTILINE" in self._flags else "start")
            case "$":
                return self._place("line end" if "MULTILINE" in self._flags else "last line end")
            case "?" | "*" | "+" | "{":
                self.at -= 1
                raise self.broken(f"nothing that {sign!r} could repeat")
            case _:
                return self._character(classes.among(sign))

    def _place(self, place: Place) -> At:
        return At(place, unix="UNIX_LINES" in self._flags)

    def _character(self, test: Test) -> Character:
        if "CASE_INSENSITIVE" not in self._flags:
            return Character(test)
        return Character(classes.either_case(test, everywhere="UNICODE_CASE" in self._flags))

    def _group(self) -> Node:
        for start, what in _REFUSED_GROUPS.items():
            if self.text.startswith(start, self.at):
                raise Unsupported(f"{what} in a regular expression of an analyzer")
        around = self._flags
        if self.text.startswith("?", self.at):
            match = self.match(_GROUP)
            if match is None:
                raise self.broken("a group that cannot be read")
            if match["name"] is None:
                self._switch(match["on"] or "", match["off"] or "")
                if match["end"] == ")":
                    return EMPTY
                return self._closed(self._choice(), around)
        self.groups += 1
        group = self.groups
        return Capture(group, self._closed(self._choice(), around))

    def _closed(self, part: Node, around: frozenset[str]) -> Node:
        if not self.takes(")"):
            raise self.broken("a parenthesis that is not closed")
        self._flags = around
        return part

    def _switch(self, on: str, off: str) -> None:
        for letter in on + off:
            if letter not in _INLINE:
                raise Unsupported(f"the flag {letter!r} within a regular expression of an analyzer")
        added, removed = ({_INLINE[letter] for letter in letters} for letters in (on, off))
        self._flags = (self._flags | added) - removed

    def _escaped(self) -> Node:
        sign = self.text[self.at : self.at + 1]
        if sign in _PLACES:
            self.at += 1
            return self._place(_PLACES[sign])
        if quoted := self.match(QUOTED):
            return self.literal(quoted[1])
        return self._character(self.escape())
