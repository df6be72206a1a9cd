"""Quotations: where a text quotes, and where a chunk says so."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.quotations import Source, quoted, stand
from tests.answering.material import CHUNKS, PLANT, chunk

texts = st.lists(st.sampled_from(["“", "”", '"', "‘", "’", "…", " ", "opened in 1998", "a"]) | st.text(max_size=5)).map(
    "".join
)


@given(texts)
def test_quotations_are_in_order_and_stand_between_marks(text: str) -> None:
    spans = quoted(text)
    assert list(spans) == sorted(spans)
    assert all(0 < start < end < len(text) for start, end in spans)
    assert all(first[1] < second[0] for first, second in pairwise(spans))


@given(texts, texts)
def test_a_place_is_in_the_text_and_places_follow_each_other(quotation: str, text: str) -> None:
    places = Source(chunk(1, text)).places(quotation)
    at = 0
    for start, end in places or ():
        assert at <= start < end <= len(text)
        at = end


def test_a_text_that_quotes_stands_where_one_of_the_chunks_says_each_quotation() -> None:
    assert stand("It “opened in 1998” and “shines all night”.", CHUNKS)
    assert not stand("It “opened in 1998” and “shines all night”.", CHUNKS[:1])
    assert stand("It opened.", ())


@pytest.mark.parametrize(
    ("quotation", "found"),
    [("opened  in 1998", "opened in 1998"), ("the plant", "The plant"), ("“green paint”", "green paint")],
)
def test_blanks_marks_and_the_first_letter_make_no_difference(quotation: str, found: str) -> None:
    ((start, end),) = Source(CHUNKS[0]).places(quotation) or ()
    assert PLANT[start:end] == found
