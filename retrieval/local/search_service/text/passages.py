"""A text cut into passages, each a piece of it as it is: sentences, and pieces of those that are too long."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+|\n+|(?<=[。！？])")


class Span(NamedTuple):
    """Characters from `start` up to `end`."""

    start: int
    end: int


def sentences(text: str, longest: int) -> list[Span]:
    """Every sentence without the blanks around it; longer ones are cut at blanks into pieces of at most `longest`."""
    spans: list[Span] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        spans += _pieces(text, start, match.end(), longest)
        start = match.end()
    return spans + _pieces(text, start, len(text), longest)


def _pieces(text: str, start: int, end: int, longest: int) -> list[Span]:
    spans: list[Span] = []
    while end - start > longest:
        blank = text.rfind(" ", start + longest // 2, start + longest)
        cut = blank if blank > start else start + longest
        spans.append(_stripped(text, start, cut))
        start = cut
    spans.append(_stripped(text, start, end))
    return [span for span in spans if span.end > span.start]


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip())))


def joined(spans: Sequence[Span], longest: int) -> list[Span]:
    """Every sequence of neighbours that is at most `longest` characters, as long as it can be: one from each start."""
    runs: list[Span] = []
    last = 0
    for first, span in enumerate(spans):
        last = max(last, first)
        while last + 1 < len(spans) and spans[last + 1].end - span.start <= longest:
            last += 1
        runs.append(Span(span.start, spans[last].end))
    return runs


def marked(text: str, span: Span, words: Sequence[tuple[int, int]], tags: tuple[str, str]) -> str:
    """The passage with its `words`, given by start and end within `text` and in order, between the two tags."""
    parts: list[str] = []
    at = span.start
    for start, end in words:
        if start < at or end > span.end:
            continue
        parts += [text[at:start], tags[0], text[start:end], tags[1]]
        at = end
    return "".join([*parts, text[at : span.end]])
