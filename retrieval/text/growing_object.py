"""Reads the inner objects of a JSON object while it is being written.

An inner object is the value of a member of the outer object, or an item of a list that is such a value. A deeper object
is not returned separately.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Place: TypeAlias = Literal["start", "first key", "key", "colon", "value", "first item", "item", "after", "after item"]

MOST_AT_ONCE: Final = 1_000

_SPACE: Final = " \t\r\n"
_IN_STRING: Final = re.compile(r'[^"\\]+')
_BETWEEN_STRINGS: Final = re.compile(r'[^"{}\[\]]+')
_SCALAR: Final = re.compile(r"[\w.+-]+")
_VALUES: Final[Mapping[Place, Place]] = {"value": "after", "first item": "after item", "item": "after item"}
"""The places at which a value may stand, with the place that follows the value."""

_NEXT: Final[Mapping[tuple[Place, str], Place]] = {
    ("start", "{"): "first key",
    ("colon", ":"): "value",
    ("value", "["): "first item",
    ("first item", "]"): "after",
    ("after", ","): "key",
    ("after item", ","): "item",
    ("after item", "]"): "after",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """An inner object. It is the value of the member with the name `member`, or an item of the list that is this
    value."""

    member: str
    is_item: bool
    text: str


class GrowingObject:
    """Reads an object. The text comes in pieces, which may end at any character. The time is linear in the length of
    the text. Reading stops at the end of the object, at invalid punctuation or names in the outer object, at a repeated
    name, after `longest` characters, and where one piece completes more than MOST_AT_ONCE objects. Values are not
    checked. `ended` has the names of the members whose lists have ended.
    """

    def __init__(self, *, longest: int) -> None:
        self._left = longest
        self.ended: set[str] = set()
        self._place: Place | None = "start"
        self._names: set[str] = set()
        self._name = ""
        self._parts: list[str] = []
        self._depth = 0
        self._in_string = False
        self._is_key = False
        self._escaped = False
        self._in_scalar = False

    def feed(self, piece: str) -> tuple[Inner, ...]:
        """The objects that this piece completes, in their order."""
        text, self._left = piece[: self._left], self._left - len(piece[: self._left])
        objects: list[Inner] = []
        at = 0
        while self._place is not None and at < len(text):
            if self._in_string:
                at = self._string(text, at)
            else:
                at = self._inside(text, at, objects) if self._depth else self._outside(text, at)
            if len(objects) > MOST_AT_ONCE:
                self._place = None
        return tuple(objects)

    def _string(self, text: str, at: int) -> int:
        """Reads ordinary characters of a string, or one other character."""
        plain = None if self._escaped else _IN_STRING.match(text, at)
        run = text[at] if plain is None else plain[0]
        if self._depth or self._is_key:
            self._parts.append(run)
        if plain is None:
            self._in_string = self._escaped or run != '"'
            self._escaped = not self._escaped and run == "\\"
        if self._is_key and not self._in_string:
            self._end_key()
        return at + len(run)

    def _inside(self, text: str, at: int, objects: list[Inner]) -> int:
        """Reads a part of an inner object or of an inner list."""
        between = _BETWEEN_STRINGS.match(text, at)
        run = text[at] if between is None else between[0]
        self._parts.append(run)
        if between is None:
            self._in_string = run == '"'
            self._depth += (run in "{[") - (run in "}]")
        if not self._depth and self._parts[0] == "{":
            is_item = self._place == "after item"
            objects.append(Inner(member=self._name, is_item=is_item, text="".join(self._parts)))
        return at + len(run)

    def _outside(self, text: str, at: int) -> int:
        """Reads one character of the outer object, or a part of a number, true, false or null."""
        sign, place = text[at], self._place
        assert place is not None
        scalar = _SCALAR.match(text, at) if self._in_scalar or place in _VALUES else None
        if scalar is not None:
            self._in_scalar, self._place = True, _VALUES.get(place, place)
            return scalar.end()
        self._in_scalar = False
        if sign in _SPACE:
            return at + 1
        if sign == '"' and place in ("first key", "key"):
            self._is_key = self._in_string = True
            self._parts = []
        elif place in _VALUES and (sign in '"{' or (sign == "[" and place != "value")):
            self._in_string, self._depth, self._parts = sign == '"', int(sign != '"'), [sign]
            self._place = _VALUES[place]
        else:
            self._place = _NEXT.get((place, sign))
            if sign == "]" and self._place == "after":
                self.ended.add(self._name)
        return at + 1

    def _end_key(self) -> None:
        self._is_key = False
        try:
            self._name = str(json.loads('"' + "".join(self._parts)))
        except ValueError:
            self._place = None
            return
        self._place = None if self._name in self._names else "colon"
        self._names.add(self._name)
