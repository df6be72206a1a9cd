"""A search is given up only where its target is known to be quicker and the call's other searches have answered."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine.late import ALIKE, ENOUGH, KEPT, LEAST_SECONDS, Pace, patience

SECONDS = st.floats(0, 100)
ANSWERED = st.lists(SECONDS, max_size=20)


@given(bound=st.none() | SECONDS, answered=ANSWERED, open=st.integers(1, 20))
def test_no_search_is_given_up_before_a_second_or_while_all_are_slow_alike(
    bound: float | None, answered: Sequence[float], open: int
) -> None:
    after = patience(bound, answered, searches=len(answered) + open)
    if after is not None:
        assert after >= LEAST_SECONDS
        assert after >= ALIKE * max(answered)
        assert bound is not None and after >= bound


@given(bound=SECONDS, answered=ANSWERED, open=st.integers(1, 20))
def test_a_search_is_waited_for_until_half_of_the_call_is_answered(
    bound: float, answered: Sequence[float], open: int
) -> None:
    after = patience(bound, answered, searches=len(answered) + open)
    assert (after is None) is (len(answered) < open)


def test_the_only_search_of_a_call_is_always_waited_for() -> None:
    assert patience(LEAST_SECONDS, (), searches=1) is None


@given(seconds=st.lists(SECONDS, max_size=3 * KEPT))
def test_a_target_has_a_bound_once_enough_searches_are_on_record(seconds: Sequence[float]) -> None:
    pace = Pace()
    for one in seconds:
        pace.took("atlas", one)
    bound = pace.bound("atlas")
    assert (bound is None) is (len(seconds) < ENOUGH)
    assert pace.bound("other") is None
    if bound is not None:
        recent = seconds[-KEPT:]
        assert bound >= LEAST_SECONDS
        assert sum(one <= bound for one in recent) >= 0.95 * len(recent)
        assert bound <= max(LEAST_SECONDS, 3 * max(recent))


def test_a_target_that_has_become_slower_is_learned() -> None:
    pace = Pace()
    for seconds in (*[0.1] * KEPT, *[4.0] * KEPT):
        pace.took("atlas", seconds)
    assert pace.bound("atlas") == 12.0
