"""What a regular expression is replaced by: `$1` stands for a group, a backslash takes a meaning away."""

import re
from collections.abc import Iterator
from typing import Final

from retrieval.local.search_service.errors import InvalidArgument
from retrieval.local.search_service.text.lexical.java_pattern import Spans, compiled
from retrieval.local.search_service.text.lexical.read_text import ReadText, Replacement

MAX_REPLACEMENT: Final = 1000
"""Characters."""

_PIECE = re.compile(r"\$(?P<group>\d+)|\\(?P<escaped>.)|(?P<bad>[$\\])|(?P<plain>[^$\\]+)", re.DOTALL)


class Replacing:
    """Raises InvalidArgument for a replacement that names a group which is not there."""

    def __init__(self, pattern: str, replacement: str) -> None:
        self._pattern = compiled(pattern)
        self._pieces = list(_pieces(replacement, self._pattern.groups))

    def replacements(self, text: str) -> Iterator[Replacement]:
        """Raises InvalidArgument for a pattern with too many matches."""
        for spans in self._pattern.matches(text):
            new = [piece if isinstance(piece, str) else _group(text, spans, piece) for piece in self._pieces]
            yield spans[0], spans[1], "".join(new)

    def applied(self, text: str) -> str:
        return ReadText(text, len(text)).replaced(self.replacements(text)).text


def _group(text: str, spans: Spans, group: int) -> str:
    start, end = spans[2 * group], spans[2 * group + 1]
    return text[start:end] if start >= 0 else ""


def _pieces(replacement: str, groups: int) -> Iterator[str | int]:
    if len(replacement) > MAX_REPLACEMENT:
        raise InvalidArgument(f"A replacement of an analyzer has at most {MAX_REPLACEMENT} characters.")
    for match in _PIECE.finditer(replacement):
        if match["bad"]:
            raise InvalidArgument(f"The replacement {replacement[:80]!r} has a {match['bad']!r} that means nothing.")
        if match["group"] is None:
            yield match["escaped"] or match["plain"]
        else:
            yield from _numbered(match["group"], groups, replacement)


def _numbered(digits: str, groups: int, replacement: str) -> Iterator[str | int]:
    """As many of the digits name a group as there is such a group; the others are text."""
    used = next((used for used in range(min(len(digits), 3), 0, -1) if int(digits[:used]) <= groups), 0)
    if not used:
        raise InvalidArgument(f"The replacement {replacement[:80]!r} names a group that its pattern has not.")
    yield int(digits[:used])
    if digits[used:]:
        yield digits[used:]
