"""Passages: the parts of a text that can be quoted as an answer, and what each of them is about.

A passage is a sentence; a question with what is said after it; a whole list with the sentence that leads to it; a row
of a table; a line of code; a short text. Headings, and a question or a lead without its answer, are none. Linear in
the text.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from retrieval.text import layout
from retrieval.text.layout import Block
from retrieval.text.sentences import Span, sentences, stops

REMEMBERED: Final = 32
MOST: Final = 250
LONGEST_LIST: Final = 1_200
MOST_ROWS: Final = 8
"""Rows of a table that is quoted as a whole."""

LONGEST_REPLY: Final = 400
"""Characters of a question and what is said after it, beyond the first sentence of that."""

LONGEST_CODE: Final = 600
"""Characters of a line of code; a longer one is not quoted, since no line is cut."""

LONGEST_CAPTION: Final = 80
SHORT: Final = 300
"""A text of at most so many characters can be an answer as a whole, under a title that is the question."""

_ASKS: Final = "?？"
_LEADS: Final = ":："
_CLOSING: Final = 8
"""Characters at the end of a sentence where its sign is."""

_AFTER: Final = "\"'”’»)]*_"
"""Characters that may be after the sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a text from `start` to `end`; `told` is where its lead or question ends, and the answer begins.

    A piece of a sentence goes on `before` it or `after` it. `under` is the heading, question or lead above it.
    `rows` are those of a table, of each the cells with their headers; `listed` is a whole table or list, `ordered` a
    list of steps; `code` is a line of code; `whole` is a whole text. `following` is
    where the next sentence of the paragraph ends, 0 without it.
    """

    start: int
    end: int
    told: int
    before: bool = False
    after: bool = False
    under: str = ""
    rows: tuple[tuple[tuple[str, str], ...], ...] = ()
    ordered: bool = False
    listed: bool = False
    following: int = 0
    whole: bool = False
    code: bool = False


@lru_cache(maxsize=REMEMBERED)
def passages(text: str) -> tuple[Passage, ...]:
    """The first 250 passages of a text, the larger first where two begin together; a list overlaps its items."""
    spans, blocks = sentences(text), layout.blocks(text)
    above = _Above(text, spans, blocks)
    found = [*_short(text, spans, blocks), *_of_blocks(text, spans, blocks, above), *_of_spans(text, spans, above)]
    return tuple(sorted(found, key=lambda one: (one.start, -one.end))[:MOST])


class _Above:
    """The headings and questions of a text, and the places where blocks begin."""

    def __init__(self, text: str, spans: Sequence[Span], blocks: Sequence[Block]) -> None:
        self.blocks, self._starts = blocks, [block.start for block in blocks]
        self.captions = {
            span.start
            for span, after in zip_longest(spans, spans[1:])
            if (span.heading and not self.is_code(span.start))
            or (self.block(span.start) is None and _is_caption(text, span, after))
        }
        self._titles = [
            span
            for span in spans
            if span.start in self.captions or (_asks(text, span) and not self.is_code(span.start))
        ]
        self._places = [span.start for span in self._titles]
        self._text = text

    def under(self, start: int) -> str:
        """The nearest heading above a place, or the question that is near enough to be answered there."""
        place = bisect_right(self._places, start - 1)
        while place and not self._heads(self._titles[place - 1], start):
            place -= 1
        return self._text[self._titles[place - 1].start : self._titles[place - 1].end] if place else ""

    def _heads(self, title: Span, start: int) -> bool:
        return title.start in self.captions or start - title.end <= LONGEST_REPLY

    def block(self, start: int) -> Block | None:
        """The list or table that has the place."""
        place = bisect_right(self._starts, start)
        return self.blocks[place - 1] if place and start < self.blocks[place - 1].end else None

    def is_code(self, start: int) -> bool:
        block = self.block(start)
        return block is not None and block.code

    def next_block(self, end: int) -> Block | None:
        """The list or table that begins right after a place, but for blanks."""
        place = bisect_right(self._starts, end - 1)
        following = self.blocks[place] if place < len(self.blocks) else None
        follows = following and not following.code and not self._text[end : following.start].strip()
        return following if follows else None


def _short(text: str, spans: Sequence[Span], blocks: Sequence[Block]) -> Iterator[Passage]:
    if spans and len(text) <= SHORT and not blocks and not any(span.heading for span in spans):
        yield Passage(start=spans[0].start, end=spans[-1].end, told=spans[0].start, whole=True)


def _of_blocks(text: str, spans: Sequence[Span], blocks: Sequence[Block], above: _Above) -> Iterator[Passage]:
    """The rows of tables, the lines of code, and the lists that are not too long."""
    starts = [span.start for span in spans]
    for block in blocks:
        place = bisect_right(starts, block.start - 1)
        lead = spans[place - 1] if place and _leads(text, spans[place - 1], block) else None
        start = block.start if lead is None else lead.start
        said = above.under(start)
        if block.code:
            yield from _of_code(text, block, under=said)
        elif block.rows:
            told = said if lead is None else f"{said} {text[lead.start : lead.end]}"
            yield from _of_table(block, under=told)
        elif block.end - start <= LONGEST_LIST:
            yield Passage(start=start, end=block.end, told=block.start, under=said, ordered=block.ordered, listed=True)


def _of_code(text: str, code: Block, *, under: str) -> Iterator[Passage]:
    for start, end in layout.lines_of(text, code):
        if end - start <= LONGEST_CODE:
            yield Passage(start=start, end=end, told=start, under=under, code=True)


def _of_table(table: Block, *, under: str) -> Iterator[Passage]:
    """Each row, and a small table as a whole."""
    first, last = table.rows[0], table.rows[-1]
    if 1 < len(table.rows) <= MOST_ROWS and last.end - first.start <= LONGEST_LIST:
        rows = tuple(row.cells for row in table.rows)
        yield Passage(start=first.start, end=last.end, told=first.start, under=under, rows=rows, listed=True)
    for row in table.rows:
        yield Passage(start=row.start, end=row.end, told=row.start, under=under, rows=(row.cells,))


def _of_spans(text: str, spans: Sequence[Span], above: _Above) -> Iterator[Passage]:
    for place, span in enumerate(spans):
        block = above.block(span.start)
        if span.start in above.captions or (block is not None and (block.rows or block.code)):
            continue
        if _asks(text, span):
            yield from _replied(text, spans, place, above)
        elif not (_ends(text, span, _LEADS) and above.next_block(span.end)) and not _cuts_into(span, above):
            yield _sentence(text, span, above, following=spans[place + 1 : place + 2])


def _sentence(text: str, span: Span, above: _Above, *, following: Sequence[Span]) -> Passage:
    goes_on = (
        one.end
        for one in following
        if "\n" not in text[span.end : one.start] and not above.block(one.end - 1) and not above.block(span.start)
        if one.end - span.start <= LONGEST_REPLY and not _asks(text, one)
    )
    return Passage(
        following=next(goes_on, 0),
        start=span.start,
        end=span.end,
        told=span.start,
        before=span.before,
        after=span.after,
        under=above.under(span.start),
    )


def _replied(text: str, spans: Sequence[Span], place: int, above: _Above) -> Iterator[Passage]:
    """A question with the next sentence, and with one more of the same paragraph; alone, or before a list, nothing."""
    asked, end = spans[place], 0
    for span in spans[place + 1 : place + 3]:
        apart = "\n" in text[spans[place].end : span.start] if end else False
        ended = span.start in above.captions or _asks(text, span) or above.block(span.start) is not None
        if ended or (end and (apart or span.end - asked.start > LONGEST_REPLY)):
            break
        place, end = place + 1, span.end
    if end:
        yield Passage(
            start=asked.start, end=end, told=asked.end, after=spans[place].after, under=above.under(asked.start)
        )


def _cuts_into(span: Span, above: _Above) -> bool:
    """Whether a block begins within a sentence, which then is its lead."""
    block = above.block(span.end - 1)
    return block is not None and span.start < block.start


def _leads(text: str, span: Span, block: Block) -> bool:
    """Whether a sentence leads to a block: it runs into it, or ends right before it with a colon or a question mark."""
    if span.end > block.start:
        return True
    return not text[span.end : block.start].strip() and (_ends(text, span, _LEADS) or _asks(text, span))


def _is_caption(text: str, span: Span, after: Span | None) -> bool:
    """Whether it is a short line without a stop over a sentence with one; beyond the first line, without a figure."""
    if after is None or span.end - span.start > LONGEST_CAPTION or "\n" not in text[span.end : after.start]:
        return False
    said = text[span.start : span.end]
    if stops(said) or _ends(text, span, _LEADS) or (span.start and any(map(str.isdigit, said))):
        return False
    return stops(text[after.start : after.end])


def _asks(text: str, span: Span) -> bool:
    return _ends(text, span, _ASKS)


def _ends(text: str, span: Span, signs: str) -> bool:
    return text[max(span.start, span.end - _CLOSING) : span.end].rstrip(_AFTER)[-1:] in (*signs,)
