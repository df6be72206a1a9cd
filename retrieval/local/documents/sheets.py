"""XLSX by openpyxl, of the extra `documents`: a part a row, `column: value` on each line."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from retrieval.local.documents.archives import check
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable

ELEMENTS: Final = 4_000_000
LEAST_ELEMENTS: Final = 3_000_000
"""Whatever the size; a row of a sheet is packed well. An element takes 1 to 5 µs."""

MOST_WHOLE: Final = 1_000_000
"""Bytes of a file whose merged cells, hidden rows and notes are read; a larger one is read row by row."""

MOST_ROWS: Final = 1_048_576
MOST_CELLS: Final = 3_000_000
"""Of all rows, the empty ones before a value too."""

MOST_FILLED: Final = 100_000
"""Cells of all merged ranges of a sheet."""

MOST_HEADER_ROWS: Final = 3
FIRST_ROWS: Final = 20
"""Among these is the header."""


def read_xlsx(path: Path) -> Iterator[Part]:
    """Values as they were last calculated; hidden sheets and rows are left out and named. Raises Unreadable."""
    from openpyxl import load_workbook

    check(path, elements=ELEMENTS, least=LEAST_ELEMENTS)
    by_rows = path.stat().st_size > MOST_WHOLE
    with path.open("rb") as file:
        book = load_workbook(file, read_only=by_rows, data_only=True, keep_links=False)
        title = str(book.properties.title or "")
        room = _Room()
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                yield Part(blocks=(), left_out=f"the hidden sheet {sheet.title}")
            else:
                yield from _sheet(sheet, title, room, by_rows=by_rows)
        if by_rows:
            yield Part(blocks=(), left_out="notes of cells; hidden rows and columns were not told from the others")


class _Room:
    """What the workbook's rows may still have."""

    def __init__(self) -> None:
        self.cells = MOST_CELLS
        self.characters = LONGEST_TEXT

    def take(self, row: Sequence[str], cells: int) -> None:
        """Raises Unreadable."""
        self.cells -= cells
        self.characters -= sum(map(len, row))
        if self.cells < 0:
            raise Unreadable(f"its rows have more than {MOST_CELLS:,} cells")
        if self.characters < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")


def _sheet(sheet: Any, title: str, room: _Room, *, by_rows: bool) -> Iterator[Part]:
    if by_rows:
        sheet.reset_dimensions()
        merged, hidden = {}, frozenset[int]()
    else:
        merged = _merged(sheet)
        hidden = frozenset(number for number, row in sheet.row_dimensions.items() if row.hidden)
        if hidden or any(column.hidden for column in sheet.column_dimensions.values()):
            yield Part(blocks=(), left_out=f"hidden rows or columns of the sheet {sheet.title}")
    rows = _rows(sheet, merged, hidden, room)
    first = list(islice(rows, FIRST_ROWS))
    start = _header(first)
    height = _height(first[start:], merged)
    names = _names([row for _, row in first[start : start + height]])
    for number, row in chain(first[:start], first[start + height :], rows):
        lines = _lines(names, row) if number > first[start][0] else dict.fromkeys(filter(None, row))
        yield Part(blocks=["\n".join(lines)], title=title, heading_path=(sheet.title, f"row {number}"))


def _rows(
    sheet: Any, merged: Mapping[tuple[int, int], Any], hidden: frozenset[int], room: _Room
) -> Iterator[tuple[int, list[str]]]:
    """The rows that have a value, with their numbers. Raises Unreadable."""
    unseen = frozenset(_hidden_columns(sheet)) if hasattr(sheet, "column_dimensions") else frozenset[int]()
    for number, cells in enumerate(sheet.iter_rows(), 1):
        if number > MOST_ROWS:
            raise Unreadable(f"a sheet has at most {MOST_ROWS:,} rows")
        if number in hidden or not cells:
            continue
        row = [
            "" if column in unseen else _said(cell, merged.get((number, column)))
            for column, cell in enumerate(cells, 1)
        ]
        room.take(row, len(row))
        if any(row):
            yield number, row


def _hidden_columns(sheet: Any) -> Iterator[int]:
    from openpyxl.utils import column_index_from_string

    for letter, column in sheet.column_dimensions.items():
        if column.hidden:
            first = column.min or column_index_from_string(letter)
            yield from range(first, (column.max or first) + 1)


def _merged(sheet: Any) -> dict[tuple[int, int], Any]:
    """The cell whose value each cell of a merged range shows. Raises Unreadable."""
    cells: dict[tuple[int, int], Any] = {}
    room = MOST_FILLED
    for merged in sheet.merged_cells.ranges:
        last = min(merged.max_row, sheet.max_row)
        room -= (last - merged.min_row + 1) * (merged.max_col - merged.min_col + 1)
        if room < 0:
            raise Unreadable(f"its merged ranges have more than {MOST_FILLED:,} cells")
        first = sheet.cell(merged.min_row, merged.min_col)
        for row in range(merged.min_row, last + 1):
            cells |= {(row, column): first for column in range(merged.min_col, merged.max_col + 1)}
    return cells


def _said(cell: Any, merged: Any) -> str:
    """The value as a reader sees it, with the note of the cell."""
    shown = merged or cell
    said = _value(shown.value, shown.number_format or "") if shown.value is not None else ""
    comment = getattr(shown, "comment", None)
    return f"{said} (note: {' '.join(comment.text.split())})" if comment and shown is cell else said


def _value(value: object, form: str) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, float | int):
        if "%" in form and abs(value) < 1e9:
            return f"{round(value * 100, 10):.15g} %"
        return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(str(value).split())


def _header(rows: Sequence[tuple[int, list[str]]]) -> int:
    """Where the header is: the first row that has as many different values as half of the widest has."""
    widest = max((len(set(filter(None, row))) for _, row in rows), default=0)
    return next((at for at, (_, row) in enumerate(rows) if 2 * len(set(filter(None, row))) >= widest), 0)


def _height(rows: Sequence[tuple[int, list[str]]], merged: Mapping[tuple[int, int], Any]) -> int:
    """How many rows the header has: those over which its merged cells go, and one below a cell that goes wide.

    None where no row is below it.
    """
    height = min(1, len(rows) - 1)
    for at, (number, row) in enumerate(rows[:MOST_HEADER_ROWS]):
        if at >= height:
            break
        cells = {column: merged.get((number, column)) for column in range(1, len(row) + 1)}
        below = any(cell is not None and cell is merged.get((number + 1, column)) for column, cell in cells.items())
        wide = any(cell is not None and cell is cells.get(column + 1) for column, cell in cells.items())
        height += below or wide
    return max(min(height, MOST_HEADER_ROWS, len(rows) - 1), 0)


def _names(rows: Sequence[Sequence[str]]) -> list[str]:
    """The name of each column: what its rows of the header say, each word once."""
    width = max(map(len, rows), default=0)
    columns = [[row[at] for row in rows if at < len(row)] for at in range(width)]
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns]


def _lines(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for at, value in enumerate(row):
        if value:
            name = names[at] if at < len(names) else ""
            yield f"{name}: {value}" if name else value
