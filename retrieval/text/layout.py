"""The tables, lists and code of a text: where they are, the rows with their headers, the items. Linear in the text.

Code is between two fences of CommonMark. Tables are Markdown's, with a line of dashes under the header. A list is
lines with marks, or a run of numbers from 1 within a paragraph: `1. … 2. …`, `(1) … (2) …`, `① … ② …`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, zip_longest
from typing import Final, NamedTuple

from retrieval.text.sentences import sentences

MOST_ROWS: Final = 60
"""Rows of a text that are read."""

MOST_CELLS: Final = 30
REMEMBERED: Final = 32
LEAST_ITEMS: Final = 2

_RULE: Final = re.compile(r"[|:\- \t]+")
_BAR: Final = re.compile(r"(?<!\\)\|")
_ITEM: Final = re.compile(
    r"[ \t]{0,3}(?:(?:(?P<number>\d{1,2})[.)]|\((?P<round>\d{1,2})\)|(?:[Ss]tep|Schritt)\s(?P<step>\d{1,2})[:.)])[ \t]+"
    r"|(?P<ring>[①-⑳])|(?P<han>[一二三四五六七八九十])[、.]|第(?P<th>[一二三四五六七八九十])步[：:，,]?"
    r"|[-*+•·–][ \t]+)(?=\S)"
)
_WITHIN: Final = re.compile(
    r"(?:\A|(?<=[.!?:;]\s)|(?<=[。！？：；]))(?:(?:(?P<number>\d{1,2})[.)]|\((?P<round>\d{1,2})\)|[Ss]tep\s(?P<step>\d{1,2})[:.])\s+"
    r"|(?P<ring>[①-⑳]))(?=\S)"
)
_FENCE: Final = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^`]*)")
_HAN: Final = " 一二三四五六七八九十"


class Row(NamedTuple):
    """A row of a table without the bars around it. `cells` are pairs of header and cell; empty cells are left out."""

    start: int
    end: int
    cells: tuple[tuple[str, str], ...]


class Block(NamedTuple):
    """A list, a table with its rows, or `code` with its fences. The items of an `ordered` list are numbered from 1."""

    start: int
    end: int
    ordered: bool = False
    rows: tuple[Row, ...] = ()
    code: bool = False


class _Line(NamedTuple):
    start: int
    end: int
    text: str


@lru_cache(maxsize=REMEMBERED)
def blocks(text: str) -> tuple[Block, ...]:
    """The tables, lists and code in their order; none overlaps another."""
    lines = list(_lines(text))
    tables = _tables(lines) if "|" in text else ()
    runs = _runs(text, lines) if "1" in text or "①" in text else ()
    code = _code(lines) if "```" in text or "~~~" in text else ()
    found = [*code, *tables, *_lists(lines), *runs]
    kept: list[Block] = []
    for block in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or block.start >= kept[-1].end:
            kept.append(block)
    return tuple(kept)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, start + len(line.rstrip()), line.rstrip())
        start += len(line) + 1


def _code(lines: Sequence[_Line]) -> Iterator[Block]:
    """Code up to its last fence, or to the end of a text that was cut. A bare fence before one with a language closes
    code whose beginning was cut off."""
    fences = [(line, found) for line in lines if (found := _FENCE.fullmatch(line.text))]
    opened: _Line | None = None
    for place, (line, found) in enumerate(fences):
        following = fences[place + 1][1] if place + 1 < len(fences) else None
        if opened is None:
            opened = line if found["language"] or (following and not following["language"]) else None
        elif not found["language"] and found["fence"][0] == opened.text.lstrip()[0]:
            yield Block(opened.start, line.end, code=True)
            opened = None
    if opened is not None:
        yield Block(opened.start, lines[-1].end, code=True)


def lines_of(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """The lines of code without the blanks around them: where each starts and ends."""
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        said = line.strip()
        if said and _FENCE.fullmatch(line.rstrip()) is None:
            first = start + line.index(said)
            yield first, first + len(said)
        start += len(line) + 1


def _tables(lines: Sequence[_Line]) -> Iterator[Block]:
    end, left = 0, MOST_ROWS
    for place, (above, line) in enumerate(pairwise(lines), 1):
        if not left:
            break
        ruled = "|" in line.text and "-" in line.text and _RULE.fullmatch(line.text) is not None
        if ruled and "|" in above.text and above.start >= end:
            header = [cell.text for cell in _cells(above)]
            rows = tuple(_rows(header, lines, place + 1, most=left))
            if rows:
                end, left = rows[-1].end, left - len(rows)
                yield Block(above.start, end, rows=rows)


def _rows(header: Sequence[str], lines: Sequence[_Line], place: int, *, most: int) -> Iterator[Row]:
    for line in islice(lines, place, place + most):
        if "|" not in line.text:
            break
        cells = list(_cells(line))
        pairs = zip_longest(header, (cell.text for cell in cells), fillvalue="")
        said = [cell for cell in cells if cell.text]
        if said:
            yield Row(said[0].start, said[-1].end, tuple((name, cell) for name, cell in pairs if cell))


def _cells(line: _Line) -> Iterator[_Line]:
    """The cells between the bars of a line, without those at its ends."""
    bars = [bar.start() for bar in islice(_BAR.finditer(line.text), MOST_CELLS + 1)]
    for start, end in pairwise([-1, *bars, len(line.text)]):
        text = line.text[start + 1 : end]
        if text.strip() or (start >= 0 and end < len(line.text)):
            first = line.start + start + 1 + len(text) - len(text.lstrip())
            yield _Line(first, first + len(text.strip()), text.strip())


def _lists(lines: Sequence[_Line]) -> Iterator[Block]:
    """Lines with marks, and the lines that continue them: indented, or in lower case."""
    items: list[_Line] = []
    end = blank = 0
    for line in lines:
        if _ITEM.match(line.text) and (not items or _continues(items[-1], line)):
            items.append(line)
            end, blank = line.end, 0
        elif not line.text:
            blank += 1
        elif items and not blank and (line.text[0] in " \t" or line.text[0].islower()):
            end = line.end
        else:
            yield from _list(items, end)
            items, blank = [line] if _ITEM.match(line.text) else [], 0
            end = line.end
        if blank > 1:
            yield from _list(items, end)
            items = []
    yield from _list(items, end)


def _continues(before: _Line, line: _Line) -> bool:
    """Whether an item follows another: the next number, or a mark without a number after such a mark."""
    one, other = _number(_ITEM.match(before.text)), _number(_ITEM.match(line.text))
    return other == one + 1 if one and other else one == other


def _number(item: re.Match[str] | None) -> int:
    """The number of an item, 0 for a mark without a number."""
    found = "" if item is None else next((part for part in item.groups() if part), "")
    if not found:
        return 0
    return int(found) if found.isdecimal() else _HAN.find(found) if found in _HAN else ord(found) - ord("①") + 1


def _list(items: Sequence[_Line], end: int) -> Iterator[Block]:
    if len(items) >= LEAST_ITEMS:
        yield Block(items[0].start, end, ordered=_number(_ITEM.match(items[0].text)) == 1)


def _runs(text: str, lines: Sequence[_Line]) -> Iterator[Block]:
    """The numbered items within paragraphs; the last ends where its sentence does."""
    for line in lines:
        items: list[re.Match[str]] = []
        for item in _WITHIN.finditer(line.text):
            if _number(item) == 1:
                items = [item]
            elif items and _number(item) == len(items) + 1:
                items.append(item)
        if len(items) >= LEAST_ITEMS:
            last = line.start + items[-1].end()
            end = next((one.end for one in sentences(text) if one.end > last), line.end)
            yield Block(line.start + items[0].start(), min(end, line.end), ordered=True)
