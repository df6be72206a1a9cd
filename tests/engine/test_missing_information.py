"""What is missing: which words of a question are named to the user, and when none are."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine.answer_kinds import Kind
from retrieval.engine.missing_information import LONGEST_WORD, MOST, questions, with_kinds
from retrieval.text.content_words import vocabulary
from retrieval.text.languages.recognition import CODES, language, language_of
from tests.answering.found import texts

SAID = [
    vocabulary("The street grid of the city glows at night, and the lamps of its harbour burn."),
    vocabulary("Hay."),
]


def named(question: str) -> list[str]:
    asked, more = questions(question, SAID), language_of(question).frames.more
    return [one.removeprefix("No document that was found mentions ").partition(":")[0] for one in asked if one != more]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How does the street grid of Phoenix glow at night in the city?", ["Phoenix"]),
        ("Which VIIRS lamps glow in the city at night?", ["VIIRS"]),
        ("Which p53 lamps of 1998 glow in the city at night?", ["p53", "1998"]),
        ("Do fluorescent lamps glow in the city?", ["fluorescent"]),
        ("Which pictures take the lamps of the city at night?", ["pictures"]),
        ("Describe the street lamps of the city", []),
        ("Take the lamps of the city harbour", []),
        ("VIIRS lamps of the city harbour", ["VIIRS"]),
        ("warum street grid city lamps harbour, welche", []),
        ("What of the lamps of the city harbour?", []),
    ],
)
def test_names_figures_and_long_words_that_no_text_says_are_named(question: str, expected: list[str]) -> None:
    assert named(question) == expected
    assert questions(question, SAID) == (language_of(question).frames.more,) or expected


@pytest.mark.parametrize(
    "question",
    [
        "¿Por qué se ve Phoenix?",
        "Warum ist das Gitter von Phoenix so hell?",
        "东京的人口是多少",
        "Which lamps of 東京 burn at night in the city harbour?",
        "What does Zorblax carry?",
        "",
    ],
)
def test_where_most_is_unsaid_or_words_are_not_spaced_the_question_is_general(question: str) -> None:
    assert questions(question, SAID) == (language_of(question).frames.more,)


def test_a_word_that_any_text_says_is_not_named() -> None:
    assert named("Does the hay of the city harbour glow, Phoenix?") == ["Phoenix"]


@pytest.mark.parametrize("code", CODES)
def test_questions_for_kinds_are_in_the_language_of_those_after_them(code: str) -> None:
    frames = language(code).frames
    assert frames.lacking.keys() == set(get_args(Kind))
    mentions = frames.unmentioned.format(word="VIIRS")
    assert with_kinds((frames.more,), {"date"}) == (frames.lacking["date"],)
    assert with_kinds((mentions,), {"number"}) == (frames.lacking["number"], mentions)
    assert with_kinds((mentions,), frozenset()) == (mentions,)


@given(question=texts, said=st.lists(texts, max_size=3))
def test_there_is_always_a_question_and_never_many(question: str, said: list[str]) -> None:
    asked = questions(question, [vocabulary(one) for one in said])
    assert 1 <= len(asked) == len(set(asked)) <= MOST
    assert all(len(one) < LONGEST_WORD + 90 for one in asked)
