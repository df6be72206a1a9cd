"""The numbers in the rows and columns of tables. `|` separates the cells."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby

from retrieval.text import figures


def totals(text: str) -> frozenset[Decimal]:
    """The total of each column with two or more numbers."""
    columns = (column for rows in _tables(text) for column in _columns(rows))
    return frozenset(sum(column, Decimal(0)) for column in columns if len(column) > 1)


def lines(text: str) -> tuple[frozenset[Decimal], ...]:
    """The numbers of each row and of each column with two or more."""
    every = (line for rows in _tables(text) for line in (*(row.values() for row in rows), *_columns(rows)))
    return tuple(frozenset(line) for line in every if len(line) > 1)


def _tables(text: str) -> Iterator[list[dict[int, Decimal]]]:
    """The rows of each table, with the number of each cell that has exactly one."""
    if "|" in text:
        for is_row, rows in groupby(text.split("\n"), key=lambda line: "|" in line):
            if is_row:
                yield [dict(_cells(row)) for row in rows]


def _cells(row: str) -> Iterator[tuple[int, Decimal]]:
    for place, cell in enumerate(row.strip().strip("|").split("|")):
        value = figures.only(cell)
        if value is not None:
            yield place, value


def _columns(rows: Sequence[Mapping[int, Decimal]]) -> Iterator[list[Decimal]]:
    columns = defaultdict[int, list[Decimal]](list)
    for row in rows:
        for place, value in row.items():
            columns[place].append(value)
    return iter(columns.values())
