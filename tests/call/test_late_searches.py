"""A search is given up only where its target is known to be quicker and the call's other searches have answered."""

from collections.abc import Sequence
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from retrieval.call.ports import (
    LATE_IN_ROUND,
    LATE_TIMES,
    LEAST_RECORDS,
    LEAST_SECONDS,
    MOST_LATE_SECONDS,
    MOST_RECORDS,
    Pace,
    patience,
)

SECONDS = st.floats(0, 100)
ANSWERED = st.lists(SECONDS, max_size=20)


@given(bound=st.just(inf) | SECONDS, answered=ANSWERED, open=st.integers(1, 20))
def test_no_search_is_given_up_before_a_second_or_while_all_are_slow_alike(
    bound: float, answered: Sequence[float], open: int
) -> None:
    after = patience(bound, answered, searches=len(answered) + open)
    assert after >= max(LEAST_SECONDS, bound, LATE_IN_ROUND * max(answered, default=0))


@given(bound=SECONDS, answered=ANSWERED, open=st.integers(1, 20))
def test_a_search_is_waited_for_until_half_of_the_call_is_answered(
    bound: float, answered: Sequence[float], open: int
) -> None:
    after = patience(bound, answered, searches=len(answered) + open)
    assert (after == inf) is (len(answered) < open)


def test_the_only_search_of_a_call_is_always_waited_for() -> None:
    assert patience(LEAST_SECONDS, (), searches=1) == inf


@given(before=st.lists(SECONDS), last=st.lists(SECONDS, min_size=MOST_RECORDS, max_size=MOST_RECORDS))
def test_only_the_last_hundred_count(before: Sequence[float], last: Sequence[float]) -> None:
    long, short = Pace(), Pace()
    for one in (*before, *last):
        long.took("atlas", one)
    for one in last:
        short.took("atlas", one)
    assert long.bound("atlas") == short.bound("atlas")


@given(seconds=st.lists(SECONDS, max_size=3 * MOST_RECORDS))
def test_a_target_has_a_bound_once_enough_searches_are_on_record(seconds: Sequence[float]) -> None:
    pace = Pace()
    for one in seconds:
        pace.took("atlas", one)
    bound = pace.bound("atlas")
    assert (bound == inf) is (len(seconds) < LEAST_RECORDS)
    assert pace.bound("other") == inf
    if bound < inf:
        recent = seconds[-MOST_RECORDS:]
        assert bound >= LEAST_SECONDS
        assert sum(one <= bound for one in recent) >= 0.95 * len(recent)
        assert bound <= max(LEAST_SECONDS, 3 * max(recent))


def test_a_target_that_has_become_slower_is_learned() -> None:
    pace = Pace()
    for seconds in (*[0.1] * MOST_RECORDS, *[4.0] * MOST_RECORDS):
        pace.took("atlas", seconds)
    assert pace.bound("atlas") == 12.0


def test_one_search_in_a_hundred_that_is_given_up_moves_nothing() -> None:
    pace = Pace()
    for _ in range(MOST_RECORDS - 1):
        pace.took("atlas", 0.4)
    before = pace.bound("atlas")
    pace.gave_up("atlas", 5)
    assert pace.bound("atlas") == before


def test_searches_that_always_hang_do_not_raise_the_bound_without_end() -> None:
    pace = Pace()
    for _ in range(MOST_RECORDS):
        pace.took("atlas", 0.1)
    for _ in range(MOST_RECORDS):
        pace.gave_up("atlas", pace.bound("atlas"))
    assert pace.bound("atlas") == LATE_TIMES * MOST_LATE_SECONDS


@given(seconds=st.lists(SECONDS, min_size=LEAST_RECORDS, max_size=MOST_RECORDS), given_up=SECONDS)
def test_what_is_given_up_never_lowers_the_bound(seconds: Sequence[float], given_up: float) -> None:
    pace = Pace()
    for one in seconds:
        pace.took("atlas", one)
    before = pace.bound("atlas")
    pace.gave_up("atlas", given_up)
    after = pace.bound("atlas")
    assert inf > after >= before
