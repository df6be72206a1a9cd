"""The numbers in the rows and columns of tables. `|` separates the cells."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import TypeAlias

from retrieval.text import figures

Table: TypeAlias = Sequence[Mapping[int, Decimal]]
"""The rows of a table, with the number of each cell that has exactly one."""


def tables(text: str) -> tuple[Table, ...]:
    if "|" not in text:
        return ()
    by_kind = groupby(figures.normalized(text).split("\n"), key=lambda line: "|" in line)
    return tuple([dict(_cells(row)) for row in rows] for is_row, rows in by_kind if is_row)


def totals(tables: Iterable[Table]) -> frozenset[Decimal]:
    """The total of each column with two or more numbers."""
    columns = (column for rows in tables for column in _columns(rows))
    return frozenset(sum(column, Decimal(0)) for column in columns if len(column) > 1)


def lines(tables: Iterable[Table]) -> tuple[frozenset[Decimal], ...]:
    """The numbers of each row and of each column with two or more."""
    every = (line for rows in tables for line in (*(row.values() for row in rows), *_columns(rows)))
    return tuple(frozenset(line) for line in every if len(line) > 1)


def _cells(row: str) -> Iterator[tuple[int, Decimal]]:
    for place, cell in enumerate(row.strip().strip("|").split("|")):
        value = figures.only(cell)
        if value is not None:
            yield place, value


def _columns(rows: Table) -> Iterator[list[Decimal]]:
    columns = defaultdict[int, list[Decimal]](list)
    for row in rows:
        for place, value in row.items():
            columns[place].append(value)
    return iter(columns.values())
