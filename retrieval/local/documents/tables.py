"""Tables of HTML, Word, slides and sheets as tables of Markdown, with each value below its own header."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from retrieval.local.documents.parts import Unreadable

MOST_CELLS: Final = 500_000
"""Of a table, where merged cells count as often as they are shown."""

MOST_COLUMNS: Final = 1_000
"""That a cell spans: https://html.spec.whatwg.org/#attr-tdth-colspan"""

BELOW: Final = " > "
"""Between a header and the header below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell, which may span several columns and rows. `header` is what the file says."""

    text: str
    columns: int = 1
    rows: int = 1
    header: bool = False


_Line: TypeAlias = Mapping[int, Cell]
"""A row by its columns; a merged cell stands in each of its own."""


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows that are not empty; the first is the header. One row alone is a line, since Markdown has no such table.

    Rows before the header that have one cell alone are lines above the table. Only the header is filled up to the
    widest row: a hostile table would grow without bound.
    """
    lines = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows if any(map(str.strip, row))]
    above = list[str]()
    while len(lines) > 2 and _is_alone(lines[0]) and not _is_alone(lines[1]):
        above.append("".join(lines.pop(0)))
    if len(lines) < 2:
        return "\n\n".join([*above, " | ".join(cell for line in lines for cell in line if cell)])
    header, *others = lines
    width = max(map(len, lines))
    header += [""] * (width - len(header))
    written = "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * width, *others))
    return "\n\n".join([*above, written])


def _is_alone(line: Sequence[str]) -> bool:
    return len(line) > 1 and bool(line[0]) and not any(line[1:])


def merged(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """The rows that span the whole table above its header, then the table; several rows of headers are one.

    Raises Unreadable.
    """
    lines, columns = _grid(rows)
    while len(lines) > 1 and (title := _title(lines[0], columns)) is not None:
        yield title
        lines = lines[1:]
    headers = _headers(lines, columns)
    header = [_path(lines[:headers], column) for column in columns]
    yield table([header, *(_values(line, columns) for line in lines[headers:])])


def in_a_line(rows: Sequence[Sequence[Cell]]) -> str:
    """A table within a cell: each value after its header, where a row is one of headers. Raises Unreadable."""
    lines, columns = _grid(rows)
    headers = _marked(lines)
    names = [_path(lines[:headers], column) for column in columns]
    named = [zip(names, _values(line, columns), strict=False) for line in lines[headers:]]
    return "; ".join(", ".join(f"{name}: {value}" if name else value for name, value in row if value) for row in named)


def _grid(rows: Sequence[Sequence[Cell]]) -> tuple[list[_Line], list[int]]:
    """The rows by their columns, and the columns in which any cell begins. Raises Unreadable."""
    lines, begun, below = list[_Line](), set[int](), dict[int, tuple[Cell, int]]()
    count = 0
    for row in rows:
        line = {column: cell for column, (cell, _) in below.items()}
        below = {column: (cell, left - 1) for column, (cell, left) in below.items() if left > 1}
        column = 0
        for cell in row:
            while column in line:
                column += 1
            begun.add(column)
            for at in range(column, column + max(1, min(cell.columns, MOST_COLUMNS))):
                line.setdefault(at, cell)
                if cell.rows > 1:
                    below[at] = (cell, cell.rows - 1)
                column = at + 1
        count += len(line)
        if count > MOST_CELLS:
            raise Unreadable(f"a table of it has more than {MOST_CELLS:,} cells")
        if any(cell.text.strip() for cell in line.values()):
            lines.append(line)
    return lines, sorted(begun)


def _title(line: _Line, columns: Sequence[int]) -> str | None:
    """The text of the only cell of a row that spans the table; None for other rows."""
    cells = {id(line.get(column)) for column in columns}
    return line[columns[0]].text if len(columns) > 1 and len(cells) == 1 and columns[0] in line else None


def _headers(lines: Sequence[_Line], columns: Sequence[int]) -> int:
    """How many rows are headers: those that the file marks, else one; a second where the first has groups of columns
    and names stand below them, above numbers."""
    count = max(1, _marked(lines))
    groups = [one for before, one in pairwise(columns) if lines and _same(lines[0], before, one)]
    if count > 1 or not groups or len(lines) < 3:
        return count
    second, third = ([line[column].text[:1] for column in groups if column in line] for line in lines[1:3])
    return 2 if "".join(second) and not any(map(str.isdigit, second)) and any(map(str.isdigit, third)) else 1


def _same(line: _Line, column: int, other: int) -> bool:
    return column in line and line[column] is line.get(other)


def _marked(lines: Sequence[_Line]) -> int:
    """How many rows at the beginning have headers alone, or one that begins above; one, where all have."""
    above: _Line = {}
    for number, line in enumerate(lines):
        goes_on = any(cell.header and above.get(column) is cell for column, cell in line.items())
        if not goes_on and not all(cell.header for cell in line.values()):
            return number
        above = line
    return min(1, len(lines))


def _path(headers: Sequence[_Line], column: int) -> str:
    """The headers of a column from above, each once."""
    texts = [line[column].text for line in headers if column in line and line[column].text]
    return BELOW.join(dict.fromkeys(texts))


def _values(line: _Line, columns: Sequence[int]) -> list[str]:
    """The cells up to the last that the row has."""
    title = _title(line, columns)
    last = max(line)
    values = (line[column].text if column in line else "" for column in columns if column <= last)
    return list(values) if title is None else [title]
