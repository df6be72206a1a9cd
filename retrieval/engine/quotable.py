"""What of a text can be quoted: where a quote is, its line, and what Markdown would show as more than text.

A passage is never quoted if Markdown would show more than text: brackets (a citation, a link, an image), addresses,
tags, code, character references, halves of surrogate pairs. So no document can fake one of our citations. Reference
marks are cut off at the ends of a sentence, and left out within it. Headings are not quoted. A line of a code block is
quoted whole, as code, which may have everything but brackets, backticks and addresses with a scheme.
"""

import re
from typing import Final, NamedTuple, TypeAlias

from retrieval.engine.passages import Passage
from retrieval.engine.relevance import Text
from retrieval.text import addresses
from retrieval.text.sentences import REFERENCES
from retrieval.text.source_labels import LONGEST_TITLE

LEAST_CHARACTERS: Final = 8
LONGEST_ROWS: Final = 1_000
"""Characters of the rows of a quote with their headers."""

OMITTED: Final = "…"

_REFERENCES: Final = re.compile(rf"{REFERENCES}+")
_FIRST: Final = re.compile(rf"(?:{REFERENCES}\s*)+")
_REFERENCE: Final = re.compile(REFERENCES)
_LONGEST_REFERENCE: Final = 64
_STOPS: Final = frozenset(".!?…。！？｡")
_POINTS: Final = re.compile(
    r"(?:it|its|he|his|she|her|they|their|this|these|that|those|yes|no|er|sie|es|dies\w*|ja|nein)\b|[它他她这這其]",
    re.IGNORECASE,
)
"""The beginning of a sentence that does not say of what it speaks."""

_MARKS: Final = frozenset("“”")
"""Our quotation marks, which no title and no header may bring."""

_BLOCK: Final = re.compile(r"[^\w(]|\d{1,9}[.)]")
_NOT_TEXT: Final = re.compile(
    rf"{addresses.BARE}|"
    r"[\[\]【】`|\\]|<[a-zA-Z/!?]|://|www\.|&[#\w]{1,32};|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]",
    re.IGNORECASE,
)

_NOT_CODE: Final = re.compile(
    r"[\[\]【】`“”]|://|www\.|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", re.IGNORECASE
)

Rows: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]


class Place(NamedTuple):
    """Where a quote is: the number of its text, and the members of the quote."""

    number: int
    start: int
    end: int
    line: str
    rows: Rows
    title: str
    share: float
    named: float = 0.0
    code: bool = False


def place_of(text: Text, passage: Passage, number: int, *, says: bool, share: float) -> Place | None:
    """The quote of a passage; None if it is not plain text, or too short."""
    start, end = passage.start, passage.end
    if passage.rows:
        if sum(len(name) + len(cell) for row in passage.rows for name, cell in row) > LONGEST_ROWS:
            return None
        rows = (", ".join(f"{name}: {cell}" if name else cell for name, cell in row) for row in passage.rows)
        line = "; ".join(rows)
    else:
        start, end = _unmarked(text.text, passage)
        last = text.goes_on and not text.text[passage.end :].strip()
        line = _line(text.text[start:end], before=passage.before, after=passage.after or last)
    short = end - start < LEAST_CHARACTERS and not passage.whole
    more = _NOT_CODE if passage.code else _NOT_TEXT
    if short or start >= end or more.search(line) or (passage.rows and not _is_plain(line)):
        return None
    title = "" if says and not _POINTS.match(line) else _line(text.title[:LONGEST_TITLE])
    title = title if _NOT_TEXT.search(title) is None and _is_plain(title) else ""
    return Place(number, start, end, line, passage.rows, title, share, code=passage.code)


def _is_plain(text: str) -> bool:
    """Whether a title or a row of headers neither begins a block of Markdown nor has our quotation marks."""
    return _MARKS.isdisjoint(text) and _BLOCK.match(text) is None


def _unmarked(text: str, span: Passage) -> tuple[int, int]:
    """Where the sentence begins and ends without the reference marks at its ends."""
    if span.code or text.find("[", span.start, span.end) < 0:
        return span.start, span.end
    first = _FIRST.match(text, span.start, span.end)
    start = span.start if first is None else first.end()
    return start, _before_marks(text, start, span.end)


def _before_marks(text: str, start: int, end: int) -> int:
    """Where the reference marks at the end of a sentence begin, with or without a stop after them; else its end."""
    at, found = end, False
    while at > start and text[at - 1] in _STOPS:
        at -= 1
    while at > start and text[at - 1] == "]":
        opens = text.rfind("[", max(start, at - _LONGEST_REFERENCE), at)
        if opens < 0 or _REFERENCE.fullmatch(text, opens, at) is None:
            break
        at, found = opens, True
        while at > start and text[at - 1].isspace():
            at -= 1
    return at if found else end


def _line(text: str, *, before: bool = False, after: bool = False) -> str:
    shown = " ".join(_REFERENCES.sub(OMITTED, text).split())
    return f"{OMITTED if before else ''}{shown}{OMITTED if after else ''}"
