"""Finds the places where sentences begin and end in a text. The time is linear in the length of the text. If a line was
broken only because it was full, its sentence continues in the next line.

The marks of lists and headings do not belong to a sentence. A reference mark belongs to the sentence before it. A
sentence that is too long is cut, if possible at a blank. Abbreviations and ordinals (`31. März`) are recognised in the
text's language.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from retrieval.text.languages.language import Language, language_of

LONGEST: Final = 600
MOST: Final = 250
"""The most sentences of a text that are read. A chunk that consists of lists has about a hundred sentences."""

FULL_LINE: Final = 60
"""The fewest characters of a line that counts as full."""

REFERENCES: Final = r"(?:\[(?:\d{1,3}(?: ?[,;–-] ?\d{1,3}){0,9}|[a-z]|(?:note|nb) \d{1,3}|citation needed)\])"
"""A reference mark: `[1]`, `[2, 3]`, `[a]`, `[note 1]`, `[citation needed]`."""

_END: Final = re.compile(rf"[.!?…]+[\"'”’»)\]]*{REFERENCES}*|[。！？｡]+[”’」』）》]*{REFERENCES}*|[\r\n]+")
_WORD_BEFORE: Final = re.compile(r"[^\W_]+(?:\.[^\W_]+)*$")
_WORD_AFTER: Final = re.compile(r"\s*([^\W_]+)")
_ORDINAL: Final = re.compile(r"\d{1,2}|[ivx]{1,5}")
_MARK: Final = re.compile(r"\s*(?:(?:[-*+•·>|]|#{1,6}|\d{1,3}[.)])\s+)*")
_UNDERLINE: Final = r"[ \t]*(?:={2,}|-{3,})[ \t]*(?=[\r\n]|\Z)"
_HEADING: Final = re.compile(rf"[ \t>]*#{{1,6}}[ \t]|{_UNDERLINE}")
_UNDERLINED: Final = re.compile(rf"[ \t]*(?:\r\n|\r|\n){_UNDERLINE}")
_STOPS: Final = frozenset(".!?…。！？｡")
_LONGEST_WORD: Final = 24
_LONGEST_MARK: Final = 40


class Span(NamedTuple):
    """A sentence, or a piece of a long sentence, from the character `start` up to `end`. `before` and `after` tell
    whether other pieces of the same sentence come before or after."""

    start: int
    end: int
    before: bool = False
    after: bool = False


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text without the blanks and list marks around them. There are at most 250, with at most 600
    characters each."""
    return tuple(islice(_sentences(text), MOST))


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for end in _ends(text):
        mark = _MARK.match(text, start, min(end, start + _LONGEST_MARK))
        first = start if mark is None else mark.end()
        yield from (span for span in _pieces(text, first, end) if span.start < span.end)
        start = end


def stops(text: str) -> bool:
    """Whether the last three characters of a text include the punctuation of a sentence."""
    return not _STOPS.isdisjoint(text.rstrip()[-3:])


def _ends(text: str) -> Iterator[int]:
    line, language = 0, language_of(text)
    for match in _END.finditer(text):
        if match[0][0] in "\r\n":
            if _ends_line(text, line, match):
                yield match.end()
            line = match.end()
        elif _ends_sentence(text, line, match, language):
            yield match.end()
    yield len(text)


def _ends_line(text: str, line: int, match: re.Match[str]) -> bool:
    """Whether a sentence ends at the end of a line. A sentence ends at an empty line, after a heading and before the
    mark of a list or heading. It also ends after a short line, unless the next line begins in lower case."""
    if match[0].count("\n") > 1 or match[0].count("\r") > 1:
        return True
    if _HEADING.match(text, line) or _UNDERLINED.match(text, match.start()):
        return True
    following = text[match.end() : match.end() + _LONGEST_MARK].lstrip(" \t")
    mark = _MARK.match(following)
    if mark is not None and mark.end():
        return True
    return match.start() - line < FULL_LINE and not following[:1].islower()


def _ends_sentence(text: str, line: int, match: re.Match[str], language: Language) -> bool:
    """Whether punctuation ends a sentence. No sentence ends within a word, or after an abbreviation, an ordinal, an
    initial or a list number. After `!`, `?` or `…`, no sentence ends before a lower-case letter."""
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
    if len(word[0]) == 1 and word[0].isalpha() and word[0].isupper():
        return False
    return not _is_abbreviated(word[0].casefold(), text[match.end() : match.end() + _LONGEST_MARK], language)


def _is_abbreviated(word: str, following: str, language: Language) -> bool:
    """Whether a full stop after a word belongs to an abbreviation or an ordinal."""
    if word in language.abbreviations:
        return True
    after = _WORD_AFTER.match(following)
    if after is None:
        return False
    if word in language.numbered:
        return after[1][0].isdigit()
    ordinal = bool(language.ordinals) and _ORDINAL.fullmatch(word) is not None
    return ordinal and (not after[1][0].isupper() or after[1].casefold() in language.ordinals)


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    before, (_, end) = False, stripped(text, start, end)
    while end - start > LONGEST:
        blank = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = blank if blank > start else start + LONGEST
        yield Span(*stripped(text, start, cut), before=before, after=True)
        start, before = cut, True
    yield Span(*stripped(text, start, end), before=before)


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The span from `start` to `end`, without the blanks at its ends. The result is empty if there are only blanks."""
    content = text[start:end].rstrip()
    return start + len(content) - len(content.lstrip()), start + len(content)
