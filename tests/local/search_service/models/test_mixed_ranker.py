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


def test_what_has_neither_words_nor_meaning_scores_nothing() -> None:
    assert mixed([0.0, 0.0], [-0.2, 0.0]) == [0.0, 0.0]
