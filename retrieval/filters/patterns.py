"""SQL patterns. A pattern becomes a test of texts without backtracking.

Text is put into lower case character by character, as Lucene's lowercase filter does.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from retrieval.filters.tree import Filter, Like, walk

WILDCARDS: Final = frozenset("%_")

MOST_EFFORT: Final = 100
"""The limit for `effort`: the most comparisons of a filter's patterns at one position of a value. A value may have
32,000 characters."""

REMEMBERED: Final = 64
"""The most texts for which the lower case is cached. All patterns of a filter are compared with the same few values."""

_GAPS: Final = re.compile("(?<=[^%_])_+(?=[^%_])")


class _Piece(NamedTuple):
    """One part of a pattern that is split at `%`. `before` and `after` are the numbers of arbitrary characters around
    `middle`. `length` is the number of characters that the whole piece matches. `middle` is a plain text if it contains
    no `_`, otherwise a regular expression.
    """

    before: int
    middle: str | re.Pattern[str]
    after: int
    length: int

    def fits(self, text: str, at: int) -> bool:
        """Whether the piece fits the text at position `at`. The caller checks that the text is long enough."""
        if isinstance(self.middle, str):
            return text.startswith(self.middle, at + self.before)
        return self.middle.match(text, at + self.before) is not None

    def end(self, text: str, start: int, end: int) -> int | None:
        """The end of the first occurrence of the piece between `start` and `end`; None if there is no occurrence."""
        first, last = start + self.before, end - self.after
        if first > last:
            return None
        if isinstance(self.middle, str):
            place = text.find(self.middle, first, last)
        else:
            match = self.middle.search(text, first, last)
            place = -1 if match is None else match.start()
        return None if place < 0 else place - self.before + self.length


def effort(filter: Filter) -> int:
    """The most comparisons that a filter needs at one position of a value. Each pattern counts one, and each run of `_`
    between ordinary characters counts one more."""
    return sum(len(_GAPS.findall(node.pattern)) + 1 for node in walk(filter) if isinstance(node, Like))


def matcher(pattern: str, *, ignore_case: bool) -> Callable[[str], bool]:
    """A function that tells whether a whole text fits the pattern. The pattern is split at `%`. Its outer pieces must
    fit the ends; the inner ones are searched once, from left to right."""
    pieces = [_piece(text) for text in re.split("%+", fold(pattern) if ignore_case else pattern)]
    return lambda text: _covers(pieces, fold(text) if ignore_case else text)


def _piece(text: str) -> _Piece:
    """The piece for a part of a pattern. The regular expression skips each run of `_` in one step."""
    middle: str | re.Pattern[str] = text.strip("_")
    before, after = len(text) - len(text.lstrip("_")), len(text.lstrip("_")) - len(text.strip("_"))
    if "_" in text.strip("_"):
        parts = re.findall("_+|[^_]+", text.strip("_"))
        pattern = "".join(f".{{{len(part)}}}" if part[0] == "_" else re.escape(part) for part in parts)
        middle = re.compile(pattern, re.DOTALL)
    return _Piece(before, middle, after, len(text))


def _covers(pieces: list[_Piece], text: str) -> bool:
    first, *middle = pieces
    if not middle:
        return len(text) == first.length and first.fits(text, 0)
    last = middle.pop()
    position, end = first.length, len(text) - last.length
    if position > end or not first.fits(text, 0) or not last.fits(text, end):
        return False
    for piece in middle:
        place = piece.end(text, position, end)
        if place is None:
            return False
        position = place
    return True


@lru_cache(maxsize=REMEMBERED)
def fold(text: str) -> str:
    """The text in lower case, character by character."""
    lower = text.lower()
    if len(lower) == len(text) and "Σ" not in text:
        return lower
    return "".join(character.lower()[0] for character in text)
