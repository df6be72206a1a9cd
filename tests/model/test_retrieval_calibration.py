"""A calibration: how likely an answer is from a score on."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.model.retrieval import Calibration, best_score

STEPS = Calibration(index="atlas", probabilities=((1.0, 0.2), (2.0, 0.6), (3.5, 0.9)))


def test_the_probability_is_that_of_the_highest_score_that_is_reached() -> None:
    assert [STEPS.probability(score) for score in (0.0, 1.0, 1.9, 2.0, 4.0)] == [0.2, 0.2, 0.2, 0.6, 0.9]


def test_without_a_pair_nothing_is_known() -> None:
    assert Calibration(index="atlas", probabilities=()).probability(3.0) is None


def test_the_best_score_is_the_highest_of_those_that_were_ranked() -> None:
    assert (best_score([None, 1.5, 0.5]), best_score([None]), best_score([])) == (1.5, 0.0, 0.0)


_steps = st.lists(st.tuples(st.floats(0, 4), st.floats(0, 1)), min_size=1, max_size=20)


@given(_steps, st.floats(-1, 5), st.floats(-1, 5))
def test_a_probability_rises_with_the_score(steps: list[tuple[float, float]], one: float, other: float) -> None:
    scores, shares = sorted(score for score, _ in steps), sorted(share for _, share in steps)
    found = Calibration(index="i", probabilities=tuple(zip(scores, shares, strict=True)))
    low, high = (found.probability(score) for score in sorted((one, other)))
    assert low is not None and high is not None and 0 <= low <= high <= 1
