"""Vectors of one field, and their exact nearest neighbours.

Candidates are found in single precision and put in order in double precision, so that the order does not hang on how a
platform adds up; equal ones keep the order in which documents came.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from retrieval.local.search_service.definitions.fields import IndexField
from retrieval.local.search_service.definitions.vector_search import Metric
from retrieval.local.search_service.errors import InvalidArgument

Vector: TypeAlias = NDArray[np.float32]
Ordinals: TypeAlias = NDArray[np.int64]

Neighbours: TypeAlias = list[tuple[float, int]]
"""Pairs of likeness and ordinal, best first. Greater is nearer: cosine, dot product, or the negative distance."""

SHARDS: Final = 12
"""Parts of an index that `postFilter` searches one by one, as the service does."""

_FIRST_ROWS: Final = 16
_MARGIN: Final = 32  # candidates beyond k, since single precision may misplace those at the edge

_WHOLE: Final = {"Edm.Int16": (-(2**15), 2**15 - 1), "Edm.SByte": (-(2**7), 2**7 - 1)}


def check(value: object, field: IndexField) -> None:
    """Raises InvalidArgument unless `value` is a vector that the field takes, or empty."""
    if value != []:
        read(value, field)


def read(value: object, field: IndexField) -> Vector:
    """Raises InvalidArgument for what is no vector of the field's type and dimensions."""
    kind = f"Collection({field.type})"
    if not isinstance(value, list) or not set(map(type, value)) <= {int, float}:
        raise InvalidArgument(f"The value for the field {field.name!r} is not of its type {kind}.")
    if len(value) != field.dimensions:
        raise InvalidArgument(
            f"The vector for the field {field.name!r} has {len(value)} dimensions; the field has {field.dimensions}."
        )
    vector = _single(value, field.type)
    if vector is None:
        raise InvalidArgument(f"The vector for the field {field.name!r} holds numbers that {kind} cannot.")
    return vector


def _single(value: list[Any], type: str) -> Vector | None:
    try:
        exact = np.asarray(value, dtype=np.float64)
    except OverflowError:
        return None
    if type in _WHOLE:
        least, most = _WHOLE[type]
        fits = bool(np.all((exact >= least) & (exact <= most) & (exact == np.floor(exact))))
        return exact.astype(np.float32) if fits else None
    with np.errstate(over="ignore"):
        vector = exact.astype(np.float16 if type == "Edm.Half" else np.float32).astype(np.float32)
    return vector if np.isfinite(vector).all() else None


class Vectors:
    """The vectors of one field, a row a document that has one."""

    def __init__(self, dimensions: int, metric: Metric) -> None:
        self._metric: Metric = metric
        self._rows: NDArray[np.float32] = np.zeros((_FIRST_ROWS, dimensions), np.float32)
        self._lengths: NDArray[np.float64] = np.ones(_FIRST_ROWS)
        self._ordinals: Ordinals = np.zeros(_FIRST_ROWS, np.int64)
        self._shards: NDArray[np.int8] = np.zeros(_FIRST_ROWS, np.int8)
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def size(self) -> int:
        """Bytes of the vectors kept."""
        return len(self) * int(self._rows.shape[1]) * 4

    def add(self, ordinal: int, vector: Vector, shard: int = 0) -> None:
        place = len(self._places)
        if place == len(self._rows):
            self._grow()
        self._rows[place], self._lengths[place] = vector, _length(vector)
        self._ordinals[place], self._shards[place] = ordinal, shard
        self._places[ordinal] = place

    def _grow(self) -> None:
        self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._lengths = np.concatenate([self._lengths, np.ones_like(self._lengths)])
        self._ordinals = np.concatenate([self._ordinals, np.zeros_like(self._ordinals)])
        self._shards = np.concatenate([self._shards, np.zeros_like(self._shards)])

    def remove(self, ordinal: int) -> None:
        """Does nothing for a document without a vector. The last row takes the place that becomes free."""
        place = self._places.pop(ordinal, None)
        last = len(self._places)
        if place is None or place == last:
            return
        self._rows[place], self._lengths[place] = self._rows[last], self._lengths[last]
        self._ordinals[place], self._shards[place] = self._ordinals[last], self._shards[last]
        self._places[int(self._ordinals[place])] = place

    def nearest(self, vector: Vector, k: int, *, among: NDArray[np.bool_] | None = None) -> Neighbours:
        """The `k` nearest documents; `among` says for each ordinal whether it counts."""
        ordinals = self._ordinals[: len(self)]
        places = np.arange(len(self)) if among is None else np.flatnonzero(among[ordinals])
        return self._nearest(vector, k, places)

    def cosines(self, vector: Vector, ordinals: Sequence[int]) -> list[float]:
        """The cosine of `vector` and each document's, whatever the metric; 0 for a document without a vector."""
        places = [self._places.get(ordinal) for ordinal in ordinals]
        rows = self._rows[[place or 0 for place in places]].astype(np.float64)
        lengths = self._lengths[[place or 0 for place in places]]
        found = np.round(rows @ vector.astype(np.float64) / (lengths * _length(vector)), 6).tolist()
        return [0.0 if place is None else cosine for place, cosine in zip(places, found, strict=True)]

    def nearest_of_each_shard(self, vector: Vector, k: int, *, among: NDArray[np.bool_]) -> Neighbours:
        """The `k` nearest documents of every shard; of these, what `among` leaves; of these, the `k` nearest."""
        shards = self._shards[: len(self)]
        each = [self._nearest(vector, k, np.flatnonzero(shards == shard)) for shard in range(SHARDS)]
        left = [one for found in each for one in found if among[one[1]]]
        return sorted(left, key=lambda one: (-one[0], one[1]))[:k]

    def _nearest(self, vector: Vector, k: int, places: NDArray[np.intp]) -> Neighbours:
        if k <= 0 or len(places) == 0:
            return []
        if len(places) > k + _MARGIN:
            many = len(places) > len(self) // 4  # then a pass over all rows is cheaper than a copy of some
            rough = self._likeness(vector, np.arange(len(self)))[places] if many else self._likeness(vector, places)
            places = places[np.argpartition(-rough, k + _MARGIN)[: k + _MARGIN]]
        exact = np.round(self._likeness(vector.astype(np.float64), places), 9)
        order = np.lexsort((self._ordinals[places], -exact))[:k]
        return [(float(exact[place]), int(self._ordinals[places[place]])) for place in order]

    def _likeness(self, asked: NDArray[np.floating[Any]], places: NDArray[np.intp]) -> NDArray[np.floating[Any]]:
        """In the precision of `asked`; of euclidean distances, what is in single precision has their order only."""
        all_of_them = len(places) == len(self)
        rows = self._rows[: len(self)] if all_of_them else self._rows[places]
        lengths = self._lengths[: len(self)] if all_of_them else self._lengths[places]
        rows = rows.astype(asked.dtype, copy=False)
        if self._metric == "cosine":
            return np.asarray(rows @ asked / (lengths * _length(asked)))
        if self._metric == "dotProduct":
            return np.asarray(rows @ asked)
        if asked.dtype == np.float64:
            return np.asarray(-np.sqrt(((rows - asked) ** 2).sum(axis=1)))
        return np.asarray(2 * (rows @ asked) - lengths**2)


def _length(vector: NDArray[np.floating[Any]]) -> float:
    """1 for a vector of zeros, which is like nothing."""
    exact = vector.astype(np.float64)
    return float(np.sqrt(exact @ exact)) or 1.0


def mask(ordinals: Sequence[int], size: int) -> NDArray[np.bool_]:
    """For every ordinal below `size`, whether it is one of `ordinals`."""
    found = np.zeros(size, np.bool_)
    found[list(ordinals)] = True
    return found
