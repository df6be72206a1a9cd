"""Words and meaning together: the order, and the meaning of a score."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.search_service.models.mixed_ranker import mixed

scores = st.floats(0, 4)
cosines = st.floats(-1, 1)
pairs = st.lists(st.tuples(scores, cosines), max_size=50)


@given(pairs)
def test_a_score_is_between_0_and_4(found: list[tuple[float, float]]) -> None:
    assert all(0 <= one <= 4 for one in mixed([words for words, _ in found], [cosine for _, cosine in found]))


def test_of_equal_words_the_nearer_document_is_better_and_of_equal_cosines_the_one_with_more_words() -> None:
    nearer, further = mixed([2.0, 2.0], [0.7, 0.4])
    more, fewer = mixed([3.0, 1.0], [0.5, 0.5])
    assert nearer > further and more > fewer


def test_few_documents_that_are_far_before_the_others_by_words_stay_there() -> None:
    one, other, *rest = mixed([3.0, 2.5, 1.4, 1.3, 0.0], [0.1, 0.2, 0.8, 0.9, 0.7])
    assert min(one, other) > max(rest) and other > one


def test_the_best_by_words_is_among_the_first_three() -> None:
    words, cosines = [2.0, 1.9, 1.8, 1.7, 1.6, 1.5], [0.0, 0.8, 0.8, 0.8, 0.8, 0.8]
    scores = mixed(words, cosines)
    assert sorted(scores, reverse=True).index(scores[0]) == 2


@given(cosines)
def test_nothing_is_called_complete_by_its_cosine_alone(cosine: float) -> None:
    assert mixed([3.4], [cosine])[0] < 3.5 < mixed([4.0, 4.0], [1.0, 1.0])[0] < 4


def test_the_nearest_documents_too_are_told_apart() -> None:
    scores = mixed([2.0] * 9, [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6])
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == 9


def test_what_has_neither_words_nor_meaning_scores_nothing() -> None:
    assert mixed([0.0, 0.0], [-0.2, 0.0]) == [0.0, 0.0]
