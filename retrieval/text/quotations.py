"""Quotations: their places in a text, and whether a chunk has them word for word.

They are compared as a reader reads them (`as_read`), and the case of the first letter does not matter. An ellipsis
divides a quotation into parts that follow each other.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

from retrieval.text import as_read
from retrieval.text.reading import ReadChunk

LEAST_WORDS: Final = 3
LEAST_CHARACTERS: Final = 12
MOST_PLACES: Final = 20
"""The most places of a chunk that are checked for the beginning and the end of a word."""

_CLOSED_BY: Final = {
    "“": "”",
    "”": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    "‘": "’",
    '"': '"',
}
_ALONE: Final = frozenset("“„「『«")
"""Marks that always open a quotation; other marks open it where a word begins."""

_SHORTENED: Final = re.compile(r"‘(?:[0-9]{2}s?|tis|twas|til|em)\b", re.IGNORECASE)
"""The apostrophe of “‘90s”, which word processors turn the wrong way. It opens no quotation."""

_POSSESSIVE: Final = re.compile(r"[^\W\d_]s’ [^\W\d_]", re.IGNORECASE)

_MARK: Final = re.compile(r"[“”„«»「」『』‘’\"]")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_OMISSION: Final = re.compile(r"[\[(]?(?:\.\.\.|…)+[\])]?")
_EDGE: Final = " .,;:!?，。；：！？、-'"


def quoted(text: str) -> tuple[tuple[int, int], ...]:
    """The places where the texts of quotations begin and end, if they have at least three words or twelve
    characters."""
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
        closing = _closing(text, marks, at, opened=text[start])
        if closing is None:
            unclosed.add(text[start])
        else:
            yield start + 1, marks[closing]
            at = closing + 1


def _closing(text: str, marks: Sequence[int], start: int, *, opened: str) -> int | None:
    """The mark that closes the quotation before `start`. "farmers’ market" has none, if there is a clearer mark."""
    first = next((one for one in range(start, len(marks)) if _closes(text, marks[one], opened)), None)
    if opened != "‘" or first is None or not _possesses(text, marks[first]):
        return first
    for one in range(first + 1, len(marks)):
        if text[marks[one]] == opened:
            break
        if _closes(text, marks[one], opened) and not _possesses(text, marks[one]):
            return one
    return first


def _possesses(text: str, at: int) -> bool:
    """Whether an apostrophe there could end a plural that the next word belongs to."""
    return _POSSESSIVE.match(text, max(at - 2, 0)) is not None


def _opens(text: str, at: int) -> bool:
    mark = text[at]
    if mark not in _CLOSED_BY or _SHORTENED.match(text, at):
        return False
    return mark in _ALONE or (not _is_letter(text[at - 1 : at]) and not text[at + 1 : at + 2].isspace())


def _closes(text: str, at: int, opened: str) -> bool:
    if text[at] not in _CLOSED_BY[opened]:
        return False
    return opened in _ALONE or (not text[at - 1].isspace() and not _is_letter(text[at + 1 : at + 2]))


def _is_letter(character: str) -> bool:
    """Whether a character is a letter of a script with blanks between words. In other scripts a mark may stand right
    beside a letter."""
    return character.isalnum() and character < "\u2e80"


def _counts(inside: str) -> bool:
    """Whether a quotation is long enough to count. Two characters of a script without blanks between words count as a
    word."""
    unspaced = len(_UNSPACED.findall(inside))
    words = len(_UNSPACED.sub(" ", inside).split()) + unspaced // 2
    return len(inside.strip()) >= LEAST_CHARACTERS or words >= LEAST_WORDS


def stand(text: str, chunks: Sequence[ReadChunk]) -> bool:
    """Whether every quotation of a text is in one of these chunks."""
    sought = [Sought(text[start:end]) for start, end in quoted(text)]
    return all(any(located(part, chunk) is not None for chunk in chunks) for part in sought)


@dataclass(frozen=True, eq=False)
class Sought:
    """The parts of a quotation between ellipses, as they are looked for."""

    text: str

    @cached_property
    def written(self) -> tuple[str, ...]:
        return self._parts(as_read.literal)

    @cached_property
    def joined(self) -> tuple[str, ...]:
        return self._parts(partial(as_read.joined, links=False))

    def _parts(self, form: Callable[[str], as_read.Form]) -> tuple[str, ...]:
        parts = (form(part).text.strip(_EDGE) for part in _OMISSION.split(self.text))
        return tuple(part for part in parts if part)


def located(quotation: Sought, chunk: ReadChunk) -> tuple[tuple[int, int], ...] | None:
    """The places of a quotation's parts in the chunk's text, in order; None if they are not in it.

    Mere punctuation has no places, and neither have words that only the label, the heading or the date has: the tuple
    is empty.
    """
    found = _in_order(quotation.written, chunk.text.written)
    if found is None:
        found = _in_order(quotation.joined, chunk.text.joined)
    beside = (reading.written.text for reading in chunk.beside)
    if found is None and any(all(_find(text, part, 0) is not None for part in quotation.written) for text in beside):
        return ()
    return found


def same(quotation: str) -> str:
    """The form in which two quotations are the same, without case and the punctuation around them."""
    return as_read.joined(quotation, links=False).text.strip(_EDGE).casefold()


def _in_order(parts: Sequence[str], form: as_read.Form) -> tuple[tuple[int, int], ...] | None:
    """The places of the parts, each after the one before it."""
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
    """The first place, from `after` on, where whole words of the text equal that part. The case of its first letter
    does not matter."""
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
    """Whether no word crosses the start or the end."""
    goes_on_before = start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start])
    goes_on_after = end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end])
    return not goes_on_before and not goes_on_after
