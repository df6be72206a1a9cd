"""Sentences: where they begin and end, in several scripts, and that nothing but blanks and list marks is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.steps.sentences import LONGEST, sentences
from tests.steps.found import texts


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        (
            "Dr. Smith met J. R. Jones of the U.S. Navy. He left.",
            ["Dr. Smith met J. R. Jones of the U.S. Navy.", "He left."],
        ),
        ("It rose by 3.5 points, e.g. in May. Then it fell.", ["It rose by 3.5 points, e.g. in May.", "Then it fell."]),
        ("It ended in 1999. Then peace.", ["It ended in 1999.", "Then peace."]),
        ("“Stop!” she said. He did.", ["“Stop!” she said.", "He did."]),
        ("He said “stop.” She went.", ["He said “stop.”", "She went."]),
        ("東京は日本の首都です。人口は多い！本当？", ["東京は日本の首都です。", "人口は多い！", "本当？"]),
        ("他说：“你好。”然后走了。", ["他说：“你好。”", "然后走了。"]),
        (
            "# Roads\n\nThey run straight.\n- one lamp\n- two lamps",
            ["Roads", "They run straight.", "one lamp", "two lamps"],
        ),
        ("1. Click the tab.\n2. Add a node.", ["Click the tab.", "Add a node."]),
        ("Overview\nThe system runs.", ["Overview", "The system runs."]),
        ("no end", ["no end"]),
        ("  \n \n", []),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_line_broken_because_it_was_full_goes_on() -> None:
    text = (
        "The arterials of the city run dead straight, one mile apart,\nWith lamps set at even intervals. They stay lit."
    )
    assert split(text) == [text.removesuffix(" They stay lit."), "They stay lit."]


@given(texts | st.text(alphabet='.!?…。 \n\r"”-*#1a', max_size=400))
def test_sentences_are_in_order_and_leave_out_blanks_and_marks_only(text: str) -> None:
    spans = sentences(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    between = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    assert all(0 <= start < end <= len(text) and end - start <= LONGEST for start, end in spans)
    assert not set(between) - set("-*+•·>|#.)0123456789") - {sign for sign in between if sign.isspace()}
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize("sign", [".", '"', "“", " ", "\n", "a.", ". ", "1. ", "- ", "。", ".\n"])
def test_the_work_on_a_hostile_text_is_bounded_by_its_length(sign: str) -> None:
    """No recursion and no more sentences than signs, whatever is repeated."""
    text = (sign * 20_000)[:20_000]
    assert len(sentences(text)) <= len(text)
