"""Sentences: the places in a text where they begin and end, as it stands. For every script; linear in the text.

A line that was broken only because it was full goes on in the next one. Marks of lists and headings belong to no
sentence. What has no end for too long is cut at a blank.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST: Final = 600
FULL_LINE: Final = 60
"""Characters after which a line may have been broken because it was full."""

_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*|[。！？｡]+[”’」』）》]*|[\r\n]+")
_ABBREVIATIONS: Final = frozenset(
    "dr mr mrs ms prof st vs eg ie e.g i.e cf fig figs no nos vol pp al ca approx inc ltd co corp jr sr dept est u.s "
    "u.k u.n d.c a.m p.m ph.d bzw ca usw z.b d.h nr str bd".split()
)
_WORD_BEFORE: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*$")
_MARK: Final = re.compile(r"\s*(?:(?:[-*+•·>|]|#{1,6}|\d{1,3}[.)])\s+)*")
_LONGEST_WORD: Final = 24
_LONGEST_MARK: Final = 40


class Span(NamedTuple):
    """Characters from `start` up to `end`."""

    start: int
    end: int


def sentences(text: str) -> tuple[Span, ...]:
    """Every sentence without the blanks and list marks around it; at most 600 characters each."""
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        spans += _pieces(text, _after_mark(text, start, end), end)
        start = end
    return tuple(spans)


def _ends(text: str) -> Iterator[int]:
    line = 0
    for match in _END.finditer(text):
        if match[0][0] in "\r\n":
            if _ends_line(text, line, match):
                yield match.end()
            line = match.end()
        elif _ends_sentence(text, line, match):
            yield match.end()
    yield len(text)


def _ends_line(text: str, line: int, match: re.Match[str]) -> bool:
    """Whether a line end ends a sentence: after an empty line, before a mark of a list, or where the line was short."""
    if match[0].count("\n") > 1 or match[0].count("\r") > 1:
        return True
    following = text[match.end() : match.end() + _LONGEST_MARK].lstrip(" \t")
    mark = _MARK.match(following)
    if mark is not None and mark.end():
        return True
    return match.start() - line < FULL_LINE and not following[:1].islower()


def _ends_sentence(text: str, line: int, match: re.Match[str]) -> bool:
    """Whether punctuation ends a sentence: not within a word, an abbreviation, an initial, or the number of a list."""
    sign = match[0][0]
    if sign in "。！？｡":
        return True
    if match.end() < len(text) and not text[match.end()].isspace():
        return False
    if sign != "." or len(match[0]) > 1:
        return not text[match.end() : match.end() + 2].strip()[:1].islower()
    before = text[max(line, match.start() - _LONGEST_WORD) : match.start()]
    word = _WORD_BEFORE.search(before)
    if word is None:
        return True
    if word[0].isdigit() and not before[: word.start()].strip():
        return False
    initial = len(word[0]) == 1 and word[0].isalpha() and word[0].isupper()
    return not initial and word[0].casefold() not in _ABBREVIATIONS


def _after_mark(text: str, start: int, end: int) -> int:
    mark = _MARK.match(text, start, min(end, start + _LONGEST_MARK))
    return start if mark is None else mark.end()


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > LONGEST:
        blank = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = blank if blank > start else start + LONGEST
        yield from _stripped(text, start, cut)
        start = cut
    yield from _stripped(text, start, end)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    span = Span(start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip())))
    if span.start < span.end:
        yield span
