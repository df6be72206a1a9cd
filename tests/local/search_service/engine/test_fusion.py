"""Reciprocal rank fusion against lists computed by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.engine.fusion import Ranking, fuse

FIRST, SECOND, THIRD = 0.01666666753590107, 0.016393441706895828, 0.016129031777381897
"""Scores of the first three ranks as the service was seen to spell them: 1/60, 1/61 and 1/62 in single precision."""


def test_one_list_scores_by_rank_from_zero() -> None:
    assert fuse([Ranking([7, 3, 9])]) == [(FIRST, 7), (SECOND, 3), (THIRD, 9)]


def test_first_in_two_lists_is_what_the_documentation_shows() -> None:
    assert fuse([Ranking([7]), Ranking([7])]) == [(0.03333333507180214, 7)]


def test_three_lists_with_weights_by_hand() -> None:
    fused = fuse([Ranking([1, 2, 3]), Ranking([3, 1], 2.0), Ranking([4, 3], 0.5)])
    by_hand = {
        1: 1 / 60 + 2 / 61,
        2: 1 / 61,
        3: 1 / 62 + 2 / 60 + 0.5 / 61,
        4: 0.5 / 60,
    }
    assert [ordinal for _, ordinal in fused] == [3, 1, 2, 4]
    for score, ordinal in fused:
        assert score == pytest.approx(by_hand[ordinal], rel=3e-7)
        assert score == float(np.float32(score))


def test_equal_scores_keep_the_order_in_which_documents_came() -> None:
    assert [ordinal for _, ordinal in fuse([Ranking([5, 2]), Ranking([2, 5]), Ranking([4])])] == [2, 5, 4]


@given(st.lists(st.tuples(st.permutations(range(6)), st.sampled_from([0.25, 0.5, 1.0, 2.0, 8.0])), min_size=1))
def test_a_document_ahead_in_every_list_is_ahead(lists: list[tuple[list[int], float]]) -> None:
    fused = [ordinal for _, ordinal in fuse([Ranking(order, weight) for order, weight in lists])]
    for one in range(6):
        for other in range(6):
            if all(order.index(one) < order.index(other) for order, _ in lists):
                assert fused.index(one) < fused.index(other)


def test_nothing_gives_nothing() -> None:
    assert fuse([]) == fuse([Ranking([])]) == []
