"""Tables of AsciiDoc: cells that go over columns and rows, cells on lines of their own, and tables written as CSV."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from retrieval.local.documents.parts import Unreadable
from retrieval.local.documents.tables import MOST_CELLS, MOST_COLUMNS, Cell, merged

SIGNS: Final = {"|===": "|", "!===": "!", ",===": ",", ":===": ":"}
"""The line around a table, and what separates its cells."""

_FORMATS: Final = {"csv": ",", "tsv": "\t", "dsv": ":"}
_ATTRIBUTE: Final = re.compile(r"\b(cols|format|separator)=(?:\"([^\"]{1,300})\"|([^,\"\]]{1,100}))")
_REPEATED: Final = re.compile(r"[ \t]*(\d{1,3})\*")
_CELL: Final = re.compile(r"(?:^|(?<=\s))(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?[<^>]?(?:\.[<^>])?[aehlmdsv]?\|")


def table(lines: Sequence[str], sign: str, about: str, inline: Callable[[str], str]) -> str:
    """The table in Markdown; `about` is the line of attributes above it, `inline` makes the text of a cell.

    Raises Unreadable.
    """
    given = {name: quoted or plain for name, quoted, plain in _ATTRIBUTE.findall(about)}
    is_separated = sign in ",:" or given.get("format") in _FORMATS
    sign = given.get("separator") or _FORMATS.get(given.get("format", ""), sign)
    if is_separated:
        rows = [[Cell(text=cell) for cell in row] for row in _separated(lines, sign[0])]
    else:
        rows = _in_rows([list(_cells(line, sign)) for line in lines], _columns(given.get("cols", "")))
    shown = [[Cell(text=inline(cell.text), columns=cell.columns, rows=cell.rows) for cell in row] for row in rows]
    return "\n\n".join(merged(shown))


def _columns(cols: str) -> int:
    """How many columns that attribute tells; 0 for none."""
    count = 0
    for one in re.split("[,;]", cols) if cols else ():
        repeated = _REPEATED.match(one)
        count += int(repeated[1]) if repeated else 1
    return min(count, MOST_COLUMNS)


def _separated(lines: Sequence[str], sign: str) -> Iterator[list[str]]:
    """Raises Unreadable."""
    try:
        yield from csv.reader(lines, delimiter=sign, skipinitialspace=True)
    except csv.Error as error:
        raise Unreadable(f"a table of it cannot be read: {str(error)[:100]}") from None


def _cells(line: str, sign: str) -> Iterator[tuple[Cell, int]]:
    """The cells of a line, and how often each stands; what is before the first one belongs to the cell before it."""
    text = line.replace("\\|", "\ue002").replace(sign, "|") if sign != "|" else line.replace("\\|", "\ue002")
    found = list(_CELL.finditer(text))
    ends = [*(one.start() for one in found), len(text)]
    if before := text[: ends[0]].strip():
        yield Cell(text=before.replace("\ue002", "|")), 0
    for one, end in zip(found, ends[1:], strict=True):
        columns, rows, kind = int(one[1] or 1), int(one[2] or 1), one[3]
        said = text[one.end() : end].strip().replace("\ue002", "|")
        if kind == "*":
            yield Cell(text=said), min(columns, MOST_COLUMNS)
        else:
            yield Cell(text=said, columns=min(columns, MOST_COLUMNS), rows=rows), 1


def _in_rows(lines: Sequence[Sequence[tuple[Cell, int]]], columns: int) -> list[list[Cell]]:
    """Cells flow into rows of as many columns as are told, or as the first line has. Raises Unreadable."""
    first = next((line for line in lines if line), ())
    columns = columns or sum(cell.columns * max(times, 1) for cell, times in first)
    rows, taken, held, count = [list[Cell]()], 0, Counter[int](), 0
    for cell, times in (one for line in lines for one in line):
        if not times and rows[-1]:
            last = rows[-1][-1]
            rows[-1][-1] = Cell(text=f"{last.text} {cell.text}".strip(), columns=last.columns, rows=last.rows)
        for _ in range(times):
            if rows[-1] and taken + held[len(rows) - 1] >= columns:
                rows.append([])
                taken = 0
            rows[-1].append(cell)
            taken += cell.columns
            count += cell.rows
            if count > MOST_CELLS:
                raise Unreadable(f"a table of it has more than {MOST_CELLS:,} cells")
            for below in range(1, cell.rows):
                held[len(rows) - 1 + below] += cell.columns
    return rows
