"""Intervals, and the AUROC against its definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.evaluation import statistics

values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=6)


@given(positive=values, negative=values)
def test_the_auroc_is_the_share_of_pairs_in_order_and_ties_count_half(
    positive: list[float], negative: list[float]
) -> None:
    pairs = list(product(positive, negative))
    share = sum((one > other) + (one == other) / 2 for one, other in pairs) / len(pairs)
    assert statistics.auroc_of(np.asarray(positive), np.asarray(negative)) == pytest.approx(share)


def test_an_interval_is_around_the_value_and_the_same_each_time() -> None:
    found = statistics.mean([0.1, 0.4, 0.5, 0.9, 1.0])
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high
    assert found == statistics.mean([0.1, 0.4, 0.5, 0.9, 1.0])


def test_one_value_has_no_interval() -> None:
    assert statistics.mean([0.5]).low is None
    assert statistics.auroc([0.5], [0.1, 0.2]).low is None


def test_values_that_are_all_the_same_have_an_interval_without_width() -> None:
    found = statistics.mean([0.5, 0.5, 0.5])
    assert (found.low, found.high) == (0.5, 0.5)


def test_a_difference_of_aurocs_is_of_the_same_questions() -> None:
    first, second = ([0.1, 0.5, 0.5, 0.9], [0.4, 0.6, 0.2]), ([0.7, 0.8, 0.9, 0.9], [0.4, 0.6, 0.2])
    found = statistics.auroc_difference(first, second)
    assert found.value == pytest.approx(statistics.auroc(*second).value - statistics.auroc(*first).value)
    same = statistics.auroc_difference(first, first)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)


def test_a_share_has_the_interval_of_wilson() -> None:
    found = statistics.share(9, 10)
    assert (round(found.low or 0, 3), found.value, round(found.high or 0, 3)) == (0.596, 0.9, 0.982)
