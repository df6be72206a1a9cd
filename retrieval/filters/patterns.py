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
    `middle`. `length` is the number of characters that `middle` matches. `middle` is a plain text if it contains no
    `_`, otherwise a regular expression.
    """

    before: int
    middle: str | re.Pattern[str]
    length: int
    after: int

    def fits(self, text: str, at: int) -> bool:
        """Whether the piece fits the text at position `at`. The caller checks that the text is long enough."""
        place = at + self.before
        return (
            text.startswith(self.middle, place)
            if isinstance(self.middle, str)
            else bool(self.middle.match(text, place))
        )

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
        return None if place < 0 else place + self.length + self.after


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
    middle = text.strip("_")
    before = len(text) - len(text.lstrip("_"))
    return _Piece(before, _looked_for(middle), len(middle), len(text) - before - len(middle))


def _looked_for(middle: str) -> str | re.Pattern[str]:
    """The text to search for, or a regular expression if the text contains `_`. The expression skips each run of `_` in
    one step."""
    if "_" not in middle:
        return middle
    parts = (f".{{{len(part)}}}" if part[0] == "_" else re.escape(part) for part in re.findall("_+|[^_]+", middle))
    return re.compile("".join(parts), re.DOTALL)


def _covers(pieces: list[_Piece], text: str) -> bool:
    first, *middle = pieces
    if not middle:
        return len(text) == _length(first) and first.fits(text, 0)
    last = middle.pop()
    position, end = _length(first), len(text) - _length(last)
    if position > end or not first.fits(text, 0) or not last.fits(text, end):
        return False
    for piece in middle:
        place = piece.end(text, position, end)
        if place is None:
            return False
        position = place
    return True


def _length(piece: _Piece) -> int:
    return piece.before + piece.length + piece.after


@lru_cache(maxsize=REMEMBERED)
def fold(text: str) -> str:
    """The text in lower case, character by character."""
    lower = text.lower()
    if len(lower) == len(text) and "Σ" not in text:
        return lower
    return "".join(character.lower()[0] for character in text)
