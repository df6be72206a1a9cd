"""Finds quotations in a text, and checks that a chunk contains them word for word. Quotations are compared in the form
of `normal_form`, and the case of the first letter is ignored. An ellipsis divides a quotation into parts, which must
occur in the same order in the chunk's text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

from retrieval.text import normal_form
from retrieval.text.text_values import ReadChunk

LEAST_WORDS: Final = 3
LEAST_CHARACTERS: Final = 12
MOST_PLACES: Final = 20
"""The most occurrences of a part that are checked for word boundaries, for each case of its first letter."""

_CLOSED_BY: Final = {pair[0]: pair[1:] for pair in '“” ”” „“” «» »« 「」 『』 ‘’ ""'.split()}
"""The marks that close a quotation, by the mark that opens it."""

_ALONE: Final = frozenset("“„「『«")
"""Marks that can open a quotation at any position. The other keys of `_CLOSED_BY` open one only at the beginning of a
word."""

_MARK: Final = re.compile(r"[“”„«»「」『』‘’\"]")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_OMISSION: Final = re.compile(r"[\[(]?(?:\.\.\.|…)+[\])]?")
_EDGE: Final = " .,;:!?，。；：！？、-'"


def quoted(text: str) -> tuple[tuple[int, int], ...]:
    """The start and end of each quotation in a text, without its marks. A quotation counts only with at least three
    words or twelve characters."""
    return tuple(span for span in _spans(text) if _counts(text[slice(*span)]))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    marks = [match.start() for match in _MARK.finditer(text)]
    unclosed: set[str] = set()
    at = 0
    while at < len(marks):
        start = marks[at]
        at += 1
        if text[start] in unclosed or not _opens(text, start):
            continue
        closing = next((end for end in range(at, len(marks)) if _closes(text, marks[end], text[start])), None)
        if closing is None:
            unclosed.add(text[start])
        else:
            yield start + 1, marks[closing]
            at = closing + 1


def _opens(text: str, at: int) -> bool:
    mark = text[at]
    return mark in _ALONE or (
        mark in _CLOSED_BY and not _is_letter(text[at - 1 : at]) and not text[at + 1 : at + 2].isspace()
    )


def _closes(text: str, at: int, opened: str) -> bool:
    if text[at] not in _CLOSED_BY[opened]:
        return False
    return opened in _ALONE or (not text[at - 1].isspace() and not _is_letter(text[at + 1 : at + 2]))


def _is_letter(character: str) -> bool:
    """Whether a character is a letter or digit outside East Asian scripts. In those scripts, a quotation mark may stand
    directly beside a letter."""
    return character.isalnum() and character < "\u2e80"


def _counts(inside: str) -> bool:
    """Whether a quotation is long enough to count. Two characters of a script without blanks between words count as a
    word."""
    unspaced = len(_UNSPACED.findall(inside))
    words = len(_UNSPACED.sub(" ", inside).split()) + unspaced // 2
    return len(inside.strip()) >= LEAST_CHARACTERS or words >= LEAST_WORDS


def stand(text: str, chunks: Sequence[ReadChunk]) -> bool:
    """Whether each quotation in a text occurs in one of the chunks."""
    sought = [Sought(text[start:end]) for start, end in quoted(text)]
    return all(any(located(part, chunk) is not None for chunk in chunks) for part in sought)


@dataclass(frozen=True, eq=False)
class Sought:
    """A quotation to find in chunks. `written` and `joined` are its parts between ellipses in the two forms of
    `normal_form`."""

    text: str

    @cached_property
    def written(self) -> tuple[str, ...]:
        return self._parts(normal_form.literal)

    @cached_property
    def joined(self) -> tuple[str, ...]:
        return self._parts(partial(normal_form.joined, links=False))

    def _parts(self, form: Callable[[str], normal_form.Form]) -> tuple[str, ...]:
        parts = (form(part).text.strip(_EDGE) for part in _OMISSION.split(self.text))
        return tuple(part for part in parts if part)


def located(quotation: Sought, chunk: ReadChunk) -> tuple[tuple[int, int], ...] | None:
    """The start and end of each part of a quotation in the chunk's text, in order; None if the chunk does not contain
    the quotation. The tuple is empty if the quotation has only punctuation, or occurs only in the label, the heading or
    the date.
    """
    found = _in_order(quotation.written, chunk.text.written)
    if found is None:
        found = _in_order(quotation.joined, chunk.text.joined)
    beside = (reading.written.text for reading in chunk.beside)
    if found is None and any(all(_find(text, part, 0) is not None for part in quotation.written) for text in beside):
        return ()
    return found


def same(quotation: str) -> str:
    """The form in which two quotations are compared, without case and without the punctuation around them."""
    return normal_form.joined(quotation, links=False).text.strip(_EDGE).casefold()


def _in_order(parts: Sequence[str], form: normal_form.Form) -> tuple[tuple[int, int], ...] | None:
    """The start and end of each part, in order; None if a part is missing."""
    text, at = form
    places: list[tuple[int, int]] = []
    after = 0
    for part in parts:
        found = _find(text, part, after)
        if found is None:
            return None
        after = found + len(part)
        places.append((at[found], at[after - 1] + 1))
    return tuple(places)


def _find(text: str, part: str, after: int) -> int | None:
    """The first position from `after` on at which the text contains the part as whole words; None if there is none. The
    other case of the first letter is tried second."""
    for wanted in dict.fromkeys((part, part[0].swapcase() + part[1:])):
        at = text.find(wanted, after)
        for _ in range(MOST_PLACES):
            if at < 0:
                break
            if _whole(text, at, at + len(wanted)) and len(wanted) == len(part):
                return at
            at = text.find(wanted, at + 1)
    return None


def _whole(text: str, start: int, end: int) -> bool:
    """Whether `start` and `end` are word boundaries."""
    goes_on_before = start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start])
    goes_on_after = end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end])
    return not goes_on_before and not goes_on_after
