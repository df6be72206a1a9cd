"""What scoring functions read of the documents of one index, kept in columns so that a search need not open each.

A row a document, in the order of the ordinals, which only grow: numbers, moments in seconds, places as two numbers.
Tags are kept the other way round, each with the documents that have it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from retrieval.filters import moment
from retrieval.filters import values as read
from retrieval.local.search_service.definitions import paths
from retrieval.local.search_service.definitions.document import Document
from retrieval.local.search_service.definitions.scoring_profile import Distance, Freshness, Measure, ScoringProfile, Tag

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]

_FIRST_ROWS: Final = 16
_MISSING: Final = (math.nan, math.nan)


class ScoringValues:
    """Those of the fields that the functions of `profiles` name."""

    def __init__(self, profiles: Iterable[ScoringProfile]) -> None:
        functions = [one for profile in profiles for one in profile.functions]
        self._measures = {one.path: one.measure for one in functions if not isinstance(one.measure, Tag)}
        self._columns = {path: 2 * place for place, path in enumerate(self._measures)}
        self._tagged: dict[str, dict[str, set[int]]] = {
            one.path: {} for one in functions if isinstance(one.measure, Tag)
        }
        self._values: Floats = np.full((_FIRST_ROWS, 2 * len(self._measures)), math.nan)
        self._ordinals: NDArray[np.int64] = np.zeros(_FIRST_ROWS, np.int64)
        self._alive: NDArray[np.bool_] = np.zeros(_FIRST_ROWS, np.bool_)
        self._size = 0

    def add(self, ordinal: int, document: Document) -> None:
        """`ordinal` is greater than every one before; `document` has been checked against the definition."""
        if self._size == len(self._ordinals):
            self._make_room()
        row = self._size
        self._ordinals[row], self._alive[row] = ordinal, True
        self._values[row] = [number for pair in self._read(document) for number in pair]
        self._size += 1
        for path, tagged in self._tagged.items():
            for tag in paths.values(document, path):
                tagged.setdefault(tag, set()).add(ordinal)

    def _read(self, document: Document) -> Iterator[tuple[float, float]]:
        for path, measure in self._measures.items():
            values = paths.values(document, path)
            yield _pair(values[0], measure) if values else _MISSING

    def _make_room(self) -> None:
        """Twice the rows, or as many where half of them are of documents that are gone."""
        kept = np.flatnonzero(self._alive)
        rows = 2 * max(len(kept), _FIRST_ROWS)
        values = np.full((rows, self._values.shape[1]), math.nan)
        ordinals, alive = np.zeros(rows, np.int64), np.zeros(rows, np.bool_)
        values[: len(kept)], ordinals[: len(kept)], alive[: len(kept)] = self._values[kept], self._ordinals[kept], True
        self._values, self._ordinals, self._alive, self._size = values, ordinals, alive, len(kept)

    def remove(self, ordinal: int, document: Document) -> None:
        """`document` is what was added under `ordinal`."""
        self._alive[self.rows([ordinal])] = False
        for path, tagged in self._tagged.items():
            for tag in set(paths.values(document, path)):
                tagged[tag].discard(ordinal)
                if not tagged[tag]:
                    del tagged[tag]

    def rows(self, ordinals: Sequence[int]) -> Rows:
        """Where the documents stand."""
        wanted = np.asarray(ordinals, np.int64)
        return np.searchsorted(self._ordinals[: self._size], wanted)

    def numbers(self, path: str, rows: Rows) -> Floats:
        """NaN where a document has none."""
        numbers: Floats = self._values[rows, self._columns[path]]
        return numbers

    def places(self, path: str, rows: Rows) -> tuple[Floats, Floats]:
        """Longitudes and latitudes in degrees, NaN where a document has no place."""
        column = self._columns[path]
        return self._values[rows, column], self._values[rows, column + 1]

    def tagged(self, path: str, tags: Iterable[str], rows: Rows) -> NDArray[np.bool_]:
        """Whether a document has one of `tags`, spelt alike."""
        found = set[int]().union(*(self._tagged[path].get(tag, ()) for tag in tags))
        marks = np.zeros(self._size, np.bool_)
        marks[self.rows(list(found))] = True
        return marks[rows]


def _pair(value: object, measure: Measure) -> tuple[float, float]:
    match measure:
        case Freshness():
            ticks = read.ticks(value)
            return _MISSING if ticks is None else (ticks / moment.TICKS_A_SECOND, math.nan)
        case Distance():
            return read.place(value) or _MISSING
        case _:
            number = read.number(value)
            return _MISSING if number is None else (float(number), math.nan)
