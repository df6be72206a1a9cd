"""What a regular expression is read into: a tree whose leaves are single characters and places."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Test: TypeAlias = Callable[[str], bool]
"""Whether one character belongs to a class."""

Place: TypeAlias = Literal["start", "end", "line start", "line end", "last line end", "word edge", "no word edge"]


@dataclass(frozen=True, slots=True)
class Character:
    """Any one character that passes."""

    test: Test


@dataclass(frozen=True, slots=True)
class At:
    """No character, but a place of the text; `unix` says that only a line feed ends a line."""

    place: Place
    unix: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first part that leads to a match counts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`most` is None where there is no limit; without `greedy` as few as possible."""

    part: "Node"
    least: int
    most: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class Capture:
    """A group that is remembered; the first is 1."""

    group: int
    part: "Node"


Node: TypeAlias = Character | At | Sequence | Choice | Repeat | Capture
EMPTY = Sequence(())
