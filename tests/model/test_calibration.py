"""A calibration: the rank of a signal among those of its own index."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.calibration import Calibration

STEPS = Calibration(index="atlas", signals={"rankerScore": (0.0, 1.0, 3.0, 4.0), "one": (1.0,)})


def test_a_rank_is_the_share_of_the_index_below() -> None:
    ranks = [STEPS.rank("rankerScore", value) for value in (0.0, 0.5, 2.0, 4.0, 9.0)]
    assert ranks == [0.0, 0.5 / 3, 0.5, 1.0, 1.0]


def test_a_signal_that_is_unknown_or_has_a_single_value_has_no_rank() -> None:
    assert STEPS.rank("other", 1.0) is None
    assert STEPS.rank("one", 1.0) is None


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30), st.floats(-20, 20), st.floats(-20, 20))
def test_a_rank_is_a_share_and_rises_with_the_value(steps: list[float], one: float, other: float) -> None:
    found = Calibration(index="i", signals={"s": tuple(sorted(steps))})
    low, high = (found.rank("s", value) for value in sorted((one, other)))
    assert low is not None and high is not None and 0 <= low <= high <= 1
