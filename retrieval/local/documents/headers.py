"""Which rows of a sheet or a CSV name its columns, by what stands in them. A wrong name is a wrong fact."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

Row: TypeAlias = tuple[int, Sequence[str]]
"""The number of a row, and its cells."""

AHEAD: Final = 3
"""Rows below a header that are looked at."""

_VALUE: Final = re.compile(r"[^\w\s]{0,3}\s?\d[\d\s.,:'/%€$£¥()-]{0,40}")
_MISSING: Final = frozenset({"", "-", "–", "—", "n/a", "na", "null", "none", "?"})
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def is_value(cell: str) -> bool:
    """Whether a cell is a number, a date or a time."""
    return bool(_VALUE.fullmatch(cell.strip()))


def is_data(row: Sequence[str]) -> bool:
    """Whether a row has values alone, and so no names. Different years name columns, as do those after a gap."""
    filled = [cell.strip() for cell in row if cell.strip()]
    years = len(set(filled)) == len(filled) and all(map(_YEAR.fullmatch, filled))
    return bool(filled) and bool(row[0].strip()) and all(map(is_value, filled)) and not years


def _has_values(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column has values, and nothing else but signs that one is missing."""
    cells = [row[column].strip() for row in rows if column < len(row)]
    return any(map(is_value, cells)) and all(is_value(cell) or cell.lower() in _MISSING for cell in cells)


def has_second(header: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row below names columns too: under a name that is there once for several columns of values."""
    if len(below) < 2:
        return False
    second, *others = below
    tops = Counter(filter(None, _above(header, second)))
    grouped = [at for at, top in enumerate(_above(header, second)) if tops[top] > 1 and second[at].strip()]
    values = all(_has_values(others[:AHEAD], at) for at in grouped)
    return len(grouped) > 1 and values and not any(map(is_value, second))


def joined(header: Sequence[str], second: Sequence[str]) -> list[str]:
    """The names of both rows; one that stands once for several columns is in each of them."""
    below = [*second, *[""] * (len(header) - len(second))]
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(_above(header, below), below, strict=True)]


def _above(header: Sequence[str], second: Sequence[str]) -> list[str]:
    """What stands above each cell of the second row: the name, or the one to its left that goes on."""
    names, above = list[str](), ""
    for at, below in enumerate(second):
        own = header[at].strip() if at < len(header) else ""
        above = own or (above if below.strip() else "")
        names.append(above)
    return names


def with_headers(rows: Iterable[Row], before: int) -> Iterator[tuple[int, Sequence[str], str]]:
    """Each row that has a cell, and what it is: `row`; after an empty row `header`, or `title`, one cell alone.

    `before` is the number of the row before them.
    """
    rest = ((number, row) for number, row in rows if any(map(str.strip, row)))
    ahead, is_fresh, width = deque(islice(rest, AHEAD + 1)), False, 0
    while ahead:
        number, row = ahead.popleft()
        width = max(width, len(row))
        ahead.extend(islice(rest, 1))
        is_fresh = is_fresh or number > before + 1
        below = [cells for at, (place, cells) in enumerate(ahead, 1) if place == number + at]
        kind = _kind(row, below, width) if is_fresh else "row"
        is_fresh = kind == "title"
        yield number, row, kind
        before = number


def _kind(row: Sequence[str], below: Sequence[Sequence[str]], width: int) -> str:
    names = [at for at, cell in enumerate(row) if cell.strip() and not is_value(cell)]
    filled = sum(bool(cell.strip()) for cell in row)
    if filled == 1 and width > 1:
        return "title"
    above_values = any(_has_values(below, at) for at in names)
    return "header" if filled > 1 and len(names) == filled and above_values else "row"
