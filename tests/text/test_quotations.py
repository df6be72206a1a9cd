"""Quotations: where a text quotes, and where a chunk says so."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.quotations import Sought, located, quoted, stand
from retrieval.text.text_values import ReadChunk
from tests.answer.material import CHUNKS, PLANT, chunk

READ = [ReadChunk(one) for one in CHUNKS]

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
    places = located(Sought(quotation), ReadChunk(chunk(1, text)))
    at = 0
    for start, end in places or ():
        assert at <= start < end <= len(text)
        at = end


def test_a_text_that_quotes_stands_where_one_of_the_chunks_says_each_quotation() -> None:
    assert stand("It “opened in 1998” and “shines all night”.", READ)
    assert not stand("It “opened in 1998” and “shines all night”.", READ[:1])
    assert stand("It opened.", ())


@pytest.mark.parametrize(
    ("quotation", "found"),
    [("opened  in 1998", "opened in 1998"), ("the plant", "The plant"), ("“green paint”", "green paint")],
)
def test_blanks_marks_and_the_first_letter_make_no_difference(quotation: str, found: str) -> None:
    ((start, end),) = located(Sought(quotation), ReadChunk(CHUNKS[0])) or ()
    assert PLANT[start:end] == found


@pytest.mark.parametrize(
    ("quotation", "text", "found"),
    [
        ("the office of the file", "See the ofﬁce of the ﬁle.", "the ofﬁce of the ﬁle"),
        ("café in the old town", "The café in the old town.", "café in the old town"),
        ("CO2 of ten m2", "The CO₂ of ten m².", "CO₂ of ten m²"),
        ("a 3 x 4 grid", "It is a 3 × 4 grid.", "a 3 × 4 grid"),
        ("ＡＢＣ of the plant", "ABC of the plant", "ABC of the plant"),
        ("12500 tons a year", "It made 12,500 tons a year.", "12,500 tons a year"),
        ("12,500 tons a year", "It made 12500 tons a year.", "12500 tons a year"),
        ("12,500 tons a year", "It made 12 500 tons a year.", "12 500 tons a year"),
        ("1.250.000 Euro im Jahr", "Es sind 1 250 000 Euro im Jahr.", "1 250 000 Euro im Jahr"),
        ("100 copies of it", "Table 5 100 copies of it.", "100 copies of it"),
        ("open the settings page", "Now open the [settings](/a/b.md) page.", "open the [settings](/a/b.md) page"),
        (
            "the settings page",
            "The ![settings](https://x.example/a) page.",
            "The ![settings](https://x.example/a) page",
        ),
        ("run uv sync first", "Always run `uv sync` first.", "run `uv sync` first"),
    ],
)
def test_a_quotation_is_compared_as_a_reader_reads(quotation: str, text: str, found: str) -> None:
    ((start, end),) = located(Sought(quotation), ReadChunk(chunk(1, text))) or ()
    assert text[start:end] == found


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("12500 tons a year", "It made 125,00 tons a year."),
        ("125 tons a year", "It made 1.25 tons a year."),
        ("1234 tons a year", "It made 12,34 tons a year."),
        ("0125 tons a year", "It made 0.125 tons a year."),
        ("1234567 tons a year", "It made 1,234.567 tons a year."),
        ("102 tons a year", "It made 10² tons a year."),
        ("a page of /never said.md", "See [a page](/never) of it."),
        ("open [settings](/never.said) page", "Now open settings page."),
        ("item 0 of the list", "See list[0](a.b) item 0 (of) the list."),
    ],
)
def test_nothing_else_makes_two_texts_alike(quotation: str, text: str) -> None:
    assert located(Sought(quotation), ReadChunk(chunk(1, text))) is None


def test_words_of_the_heading_stand_and_have_no_place() -> None:
    told = replace(chunk(1, "Ten days."), heading="Handbook > Sick leave of interns")
    assert located(Sought("Sick leave of interns"), ReadChunk(told)) == ()
    assert located(Sought("Sick leave of the interns"), ReadChunk(told)) is None
