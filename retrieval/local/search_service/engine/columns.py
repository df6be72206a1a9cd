"""Filterable fields as columns of the text engine, so that it can answer a `$filter` itself.

Each field has a column of terms, for equality and null, and where it has an order one of numbers, for ranges:

    "n"              null; in a collection: empty
    "v" and a text   a value; numbers and dates are spelt in one way only
    number           Edm.Int32, Edm.Int64; Edm.Double without NaN, which is in no range; dates in ticks of 100 ns

What a filter means is settled by `retrieval.filters.evaluate`; a property test holds both together.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import tantivy

from retrieval.filters import values as read
from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.index import IndexDefinition

NULL: Final = "n"

Number: TypeAlias = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`terms` and `numbers` name columns of the text engine; `numbers` is None where the type has no ranges here.

    `whole` says that the numbers are whole ones.
    """

    path: str
    terms: str
    numbers: str | None
    whole: bool
    spell: Callable[[object], str | None]
    measure: Callable[[object], Number | None] | None


def spelt(number: Number | None) -> str | None:
    """The one term for a number; None for NaN, which equals nothing."""
    if number is None or number != number:
        return None
    if isinstance(number, float) and not math.isinf(number) and number.is_integer():
        number = int(number)
    return f"v{number!r}"


def _text(value: object) -> str | None:
    return f"v{value}" if isinstance(value, str) else None


def _truth(value: object) -> str | None:
    return f"v{value}" if isinstance(value, bool) else None


def _number(value: object) -> str | None:
    return spelt(read.number(value))


def _moment(value: object) -> str | None:
    return spelt(read.ticks(value))


def _real(value: object) -> float | None:
    number = read.number(value)
    return None if number is None or number != number else float(number)


_Kind: TypeAlias = tuple[Callable[[object], str | None], Callable[[object], Number | None] | None]

_KINDS: Final[Mapping[str, _Kind]] = {
    "Edm.String": (_text, None),
    "Edm.Boolean": (_truth, None),
    "Edm.Int32": (_number, read.number),
    "Edm.Int64": (_number, read.number),
    "Edm.Double": (_number, _real),
    "Edm.DateTimeOffset": (_moment, read.ticks),
}


class Columns:
    """The columns of one index, by the path of their field."""

    def __init__(self, definition: IndexDefinition) -> None:
        fields = [one for one in definition.paths.values() if one.filterable and _is_flat(one) and one.type in _KINDS]
        self._columns = {field.name: _column(field, f"filter{place}") for place, field in enumerate(fields)}

    def get(self, path: str) -> Column | None:
        return self._columns.get(path)

    def declare(self, builder: tantivy.SchemaBuilder) -> None:
        for column in self._columns.values():
            builder.add_text_field(column.terms, tokenizer_name="raw", index_option="basic")
            if column.numbers is not None and column.whole:
                builder.add_integer_field(column.numbers, fast=True)
            elif column.numbers is not None:
                builder.add_float_field(column.numbers, fast=True)

    def row(self, document: Document) -> Iterator[tuple[str, list[Any]]]:
        """Column names with what a document has in them."""
        for path, column in self._columns.items():
            found = paths.values(document, path)
            terms = [term for value in found if (term := column.spell(value)) is not None]
            yield column.terms, terms if found else [NULL]
            if column.numbers is not None and column.measure is not None:
                numbers = [number for value in found if (number := column.measure(value)) is not None]
                if numbers:
                    yield column.numbers, numbers


def _is_flat(field: IndexField) -> bool:
    """No complex collection is around it: there, tests of one element belong together."""
    return field.collection or not field.repeated


def _column(field: IndexField, name: str) -> Column:
    spell, measure = _KINDS[field.type]
    return Column(
        path=field.name,
        terms=f"{name}terms",
        numbers=None if measure is None else f"{name}numbers",
        whole=field.type != "Edm.Double",
        spell=spell,
        measure=measure,
    )
