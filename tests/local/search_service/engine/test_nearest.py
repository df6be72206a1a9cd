"""Exact nearest neighbours against the definition of each metric."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.engine.vectors import SHARDS, Vectors, mask
from tests.laws import law

coordinates = st.lists(st.integers(-4, 4), min_size=3, max_size=3)


@law(60)
@given(st.lists(coordinates, min_size=1, max_size=120), coordinates, st.integers(1, 130), st.data())
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "dotProduct"])
def test_the_nearest_are_the_nearest(
    metric: Any, rows: list[list[int]], asked: list[int], k: int, data: st.DataObject
) -> None:
    store = Vectors(3, metric)
    for ordinal, row in enumerate(rows):
        store.add(ordinal, np.array(row, np.float32), ordinal % SHARDS)
    gone = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    for ordinal in gone:
        store.remove(ordinal)
    left = [ordinal for ordinal in range(len(rows)) if ordinal not in gone]
    likeness = {ordinal: like(metric, rows[ordinal], asked) for ordinal in left}
    found = store.nearest(np.array(asked, np.float32), k)
    assert [ordinal for _, ordinal in found] == sorted(left, key=lambda one: (-round(likeness[one], 6), one))[:k]
    assert [near for near, _ in found] == pytest.approx([likeness[ordinal] for _, ordinal in found], abs=1e-5)
    odd = mask([one for one in left if one % 2], len(rows))
    assert [one for _, one in store.nearest(np.array(asked, np.float32), 200, among=odd)] == [
        one for _, one in store.nearest(np.array(asked, np.float32), 200) if one % 2
    ]


def like(metric: str, row: list[int], asked: list[int]) -> float:
    one, other = np.array(row, float), np.array(asked, float)
    if metric == "euclidean":
        return -float(np.linalg.norm(one - other))
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other)) if metric == "cosine" else 1.0
    return float(one @ other) / lengths if lengths else 0.0
