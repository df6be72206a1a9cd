"""Passages: what of a text can be quoted, and what it is about."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine.passages import passages


def quotable(text: str) -> list[str]:
    return [text[one.start : one.end] for one in passages(text) if not one.whole]


def test_a_question_is_quoted_with_what_is_said_after_it() -> None:
    text = "Lost your key? Report it within a day. A new key costs 5 €. Keys are numbered."
    first, *rest = (one for one in passages(text) if not one.whole)
    assert text[first.start : first.end] == "Lost your key? Report it within a day. A new key costs 5 €."
    assert text[first.told : first.end].strip().startswith("Report it")
    assert [text[one.start : one.end] for one in rest] == [
        "Report it within a day.",
        "A new key costs 5 €.",
        "Keys are numbered.",
    ]
    assert {one.under for one in rest} == {"Lost your key?"}


@pytest.mark.parametrize("text", ["Lost your key?", "Lost your key? Lost your card?", "Lost your key?\n# Cards"])
def test_a_question_alone_says_nothing(text: str) -> None:
    assert quotable(text) == []


def test_the_answer_of_the_next_question_is_not_of_the_first() -> None:
    assert quotable("Parking? No.\nDogs? Yes, on a lead.")[0] == "Parking? No."


def test_a_list_is_whole_with_the_sentence_that_leads_to_it() -> None:
    text = "We are open.\nTo renew a card:\n1. Log in.\n2. Press Renew.\nIt is free."
    assert "To renew a card:\n1. Log in.\n2. Press Renew." in quotable(text)
    assert "To renew a card:" not in quotable(text)
    assert next(one for one in passages(text) if one.listed).ordered


def test_a_list_within_a_sentence_has_its_beginning() -> None:
    assert quotable("申请步骤：1. 填写表格。2. 出示证件。办理免费。")[0] == "申请步骤：1. 填写表格。2. 出示证件。"


def test_a_row_is_under_its_heading_and_what_leads_to_the_table() -> None:
    text = "# Fees\nFor a year:\n\n| Card | Fee |\n|---|---|\n| Adult | 12 € |"
    (row,) = passages(text)
    assert (row.rows, row.under) == (((("Card", "Adult"), ("Fee", "12 €")),), "Fees For a year:")


def test_a_heading_is_above_what_follows_it_and_is_not_quoted() -> None:
    found = passages("# Hours\nWe open at 9. We close at 5.\n\nHow to find us\nTake the bus.")
    assert [one.under for one in found if not one.whole] == ["Hours", "Hours", "How to find us"]


def test_a_short_text_is_a_passage_as_a_whole() -> None:
    text = "Yes. Until 8 pm."
    assert [(one.start, one.end) for one in passages(text) if one.whole] == [(0, len(text))]
    assert not [one for one in passages(f"{text} " * 40) if one.whole]


@given(st.text(st.sampled_from("|-: \n1.2?#ab。？：")))
def test_passages_are_within_the_text(text: str) -> None:
    for one in passages(text):
        assert 0 <= one.start <= one.told <= one.end <= len(text) and one.start < one.end


@pytest.mark.parametrize("piece", ["|-|\n", "a? ", "1. a\n2. b\n", "a:\n- b\n- c\n", "# a\nb.\n", "a\nb.\n", "?", ": "])
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = process_time()
    passages(text)
    assert process_time() - start < 2
