"""XLSX by openpyxl, of the extra `documents`: a part a row, `column: value` on each line."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from retrieval.local.documents import headers, titles
from retrieval.local.documents.archives import check
from retrieval.local.documents.formulas import Coordinates, Formulas, not_calculated
from retrieval.local.documents.parts import LONGEST_TEXT, Part, Unreadable
from retrieval.text.counted_noun import how_many

ELEMENTS: Final = 2_500_000
"""Whatever the size of the file; a row of a sheet is packed well. An element takes up to 5 µs."""

MOST_WHOLE: Final = 1_000_000
"""Bytes of a file that is read as a whole, with merged cells, hidden rows and notes; a larger one is read by rows."""

MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
MOST_CELLS: Final = 3_000_000
"""Of all rows, the empty ones before a value too."""

MOST_MERGED: Final = 100_000
"""Cells of all merged ranges of a file that is read as a whole; of its rows too."""

MOST_SPREAD: Final = 500_000
"""Cells of the sheets of such a file, the empty ones between values counted."""

MOST_HEADER_ROWS: Final = 3
LONGEST_FORM: Final = 255
_UNIT: Final = re.compile(r"\[\$([^\]-]+)[^\]]*\]|\"([^\"]*[^\W\d_][^\"]*|[^\"]*[€$£¥₹][^\"]*)\"|([€$£¥₹])(?![-\]])")
_DRAWN: Final = {"chartSpace": "chart", "pic": "picture", "txBody": "text box"}
FIRST_ROWS: Final = 20
"""Among these is the header."""


def read_xlsx(path: Path) -> Iterator[Part]:
    """Values as they were last calculated; hidden sheets and rows are left out and named. Raises Unreadable.

    A formula that was never calculated stands for its value, and is named.
    """
    shape = _Shape()
    check(path, elements=ELEMENTS, least=ELEMENTS, see=shape.see)
    with path.open("rb") as file:
        book = _book(file, by_rows=path.stat().st_size > MOST_WHOLE or shape.is_large)
        title = titles.given(book.properties.title)
        room, formulas = _Room(), not_calculated(path) if shape.has_formulas else {}
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                yield Part(blocks=(), left_out=f"the hidden sheet {sheet.title}")
            else:
                of_sheet = formulas.get(sheet.title, Formulas())
                yield from _sheet(sheet, title, room, of_sheet.cells, by_rows=book.read_only)
                if of_sheet.count:
                    cells = of_sheet.named()
                    yield Part(blocks=(), left_out=f"the values of formulas on the sheet {sheet.title}: {cells}")
        yield from (Part(blocks=(), left_out=how_many(count, noun)) for noun, count in sorted(shape.drawn.items()))
        if book.read_only:
            yield Part(blocks=(), left_out="notes of cells; hidden rows and columns were not told from the others")


def _book(file: BinaryIO, *, by_rows: bool) -> Any:
    """By its rows too where a sheet has more cells than are read, the empty ones between its values counted."""
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=by_rows, data_only=True, keep_links=False)
    if by_rows or sum(sheet.max_row * sheet.max_column for sheet in book.worksheets) <= MOST_SPREAD:
        return book
    return load_workbook(file, read_only=True, data_only=True, keep_links=False)


class _Shape:
    """Counts rows, and the cells of merged ranges, before a package makes an object of each."""

    def __init__(self) -> None:
        self._rows = self._merged = 0
        self.has_formulas = False
        self.drawn = Counter[str]()

    @property
    def is_large(self) -> bool:
        return max(self._rows, self._merged) > MOST_MERGED

    def see(self, name: str, attributes: Mapping[str, str]) -> None:
        """Raises Unreadable."""
        if name == "row":
            self._rows += 1
        elif name == "f":
            self.has_formulas = True
        elif name in _DRAWN:
            self.drawn[_DRAWN[name]] += 1
        elif name == "mergeCell":
            from openpyxl.utils import range_boundaries

            try:
                left, top, right, bottom = (end or 0 for end in range_boundaries(attributes.get("ref", "")))
            except (TypeError, ValueError):
                raise Unreadable("a merged range of it is none") from None
            self._merged += (right - left + 1) * (bottom - top + 1)


class _Room:
    """What the workbook's rows may still have."""

    def __init__(self) -> None:
        self.cells = MOST_CELLS
        self.characters = LONGEST_TEXT

    def take(self, *, cells: int = 0, row: Sequence[str] = ()) -> None:
        """Raises Unreadable."""
        self.cells -= cells
        self.characters -= sum(map(len, row))
        if self.cells < 0:
            raise Unreadable(f"its rows have more than {MOST_CELLS:,} cells")
        if self.characters < 0:
            raise Unreadable(f"its text has more than {LONGEST_TEXT:,} characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What of a sheet is hidden, which cell's value each cell of a merged range shows, and formulas without one."""

    merged: Mapping[Coordinates, Any] = field(default_factory=dict)
    formulas: Mapping[Coordinates, str] = field(default_factory=dict)
    rows: Set[int] = frozenset()
    columns: Set[int] = frozenset()


def _sheet(
    sheet: Any, title: str, room: _Room, formulas: Mapping[Coordinates, str], *, by_rows: bool
) -> Iterator[Part]:
    look = _Look(formulas=formulas) if by_rows else replace(_look(sheet), formulas=formulas)
    if by_rows:
        sheet.reset_dimensions()
    if look.rows or look.columns:
        yield Part(blocks=(), left_out=f"hidden rows or columns of the sheet {sheet.title}")
    rows = _rows(sheet, look, room)
    first = list(islice(rows, FIRST_ROWS))
    start = _header(first)
    height, names = _named(first[start:], look.merged)
    below = headers.with_headers(chain(first[start + height :], rows), first[start + height - 1][0] if height else 0)
    for number, row, kind in chain(((number, row, "title") for number, row in first[:start]), below):
        names = row if kind == "header" else names
        lines = _lines(names, row) if names and kind == "row" else dict.fromkeys(filter(None, row))
        if kind != "header":
            yield Part(blocks=["\n".join(lines)], title=title, heading_path=(sheet.title, f"row {number}"))


def _rows(sheet: Any, look: _Look, room: _Room) -> Iterator[tuple[int, list[str]]]:
    """The rows that have a value, with their numbers. Raises Unreadable."""
    for number, cells in enumerate(sheet.iter_rows(), 1):
        if number > MOST_ROWS:
            raise Unreadable(f"a sheet has at most {MOST_ROWS:,} rows")
        room.take(cells=len(cells))
        row = [""] * len(cells)
        for column, cell in enumerate(cells, 1):
            place = number, column
            if (cell.value is not None or place in look.merged) and column not in look.columns:
                row[column - 1] = _said(cell, look.merged.get(place, cell))
            elif place in look.formulas and column not in look.columns:
                row[column - 1] = look.formulas[place]
        if number not in look.rows and any(row):
            room.take(row=row)
            yield number, row


def _look(sheet: Any) -> _Look:
    from openpyxl.utils import column_index_from_string

    merged: dict[tuple[int, int], Any] = {}
    for cells in sheet.merged_cells.ranges:
        first = sheet.cell(cells.min_row, cells.min_col)
        for row in range(cells.min_row, cells.max_row + 1):
            merged |= {(row, column): first for column in range(cells.min_col, cells.max_col + 1)}
    columns: set[int] = set()
    for letters, column in sheet.column_dimensions.items():
        if column.hidden:
            first_column = column.min or column_index_from_string(letters)
            columns.update(range(first_column, min(column.max or first_column, MOST_COLUMNS) + 1))
    rows = frozenset(number for number, row in sheet.row_dimensions.items() if row.hidden)
    return _Look(merged=merged, rows=rows, columns=columns)


def _said(cell: Any, shown: Any) -> str:
    """The value as a reader sees it, with the note of the cell. `shown` is the cell whose value it shows."""
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
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        return _with_unit(str(int(value)) if whole else str(value), form)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(str(value).split())


def _with_unit(number: str, form: str) -> str:
    """The number with the currency or the unit that its format writes."""
    found = _UNIT.search(form.partition(";")[0][:LONGEST_FORM])
    unit = "".join(filter(None, found.groups())).strip() if found else ""
    if found is None or not unit:
        return number
    is_before = not any(sign in form[: found.start()] for sign in "0#?")
    return f"{unit} {number}" if is_before else f"{number} {unit}"


def _header(rows: Sequence[tuple[int, list[str]]]) -> int:
    """Where the header is: the first row that has as many different values as half of the widest has."""
    widest = max((len(set(filter(None, row))) for _, row in rows), default=0)
    return next((at for at, (_, row) in enumerate(rows) if 2 * len(set(filter(None, row))) >= widest), 0)


def _height(rows: Sequence[tuple[int, list[str]]], merged: Mapping[tuple[int, int], Any]) -> int:
    """How many rows the header has: those over which its merged cells go, and one below a cell that goes wide.

    None where no row is below it, and for a row of one value.
    """
    if len(set(filter(None, rows[0][1] if rows else ()))) < 2:
        return 0
    height = min(1, len(rows) - 1)
    for at, (number, row) in enumerate(rows[:MOST_HEADER_ROWS]):
        if at >= height:
            break
        cells = {column: merged.get((number, column)) for column in range(1, len(row) + 1)}
        below = any(cell is not None and cell is merged.get((number + 1, column)) for column, cell in cells.items())
        wide = any(cell is not None and cell is cells.get(column + 1) for column, cell in cells.items())
        height += below or wide
    return max(min(height, MOST_HEADER_ROWS, len(rows) - 1), 0)


def _named(rows: Sequence[tuple[int, list[str]]], merged: Mapping[Coordinates, Any]) -> tuple[int, Sequence[str]]:
    """How many rows name the columns, and the names."""
    height, cells = _height(rows, merged), [row for _, row in rows]
    if height == 1 and headers.is_data(cells[0]):
        return 0, ()
    if height == 1 and headers.has_second(cells[0], cells[1:]):
        return 2, headers.joined(cells[0], cells[1])
    return height, _names(cells[:height])


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
