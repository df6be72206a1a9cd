"""Laws of near-duplicates, and the texts that they were made for."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.content_words import nfkc
from retrieval.text.near_duplicates import LONGEST_OPENING, MOST_LOOKED_AT, Distinct

words = st.sampled_from([*"abcde", "7", "8"])
sentences = st.one_of(st.lists(words, max_size=14).map(" ".join), st.text(max_size=20))


@st.composite
def variants(draw: st.DrawFn) -> list[str]:
    """Texts, among them some that repeat another but for a word."""
    texts = draw(st.lists(sentences, max_size=8))
    for text in list(texts):
        if draw(st.booleans()):
            parts = text.split()
            place = draw(st.integers(0, len(parts)))
            texts.append(" ".join([*parts[:place], draw(words), *parts[place:]]))
    return draw(st.permutations(texts))


def looked_at(texts: Sequence[str]) -> tuple[list[int], dict[int, int]]:
    """Which texts are kept, and for each other one which it repeats."""
    distinct = Distinct()
    found = [distinct.look(text, nfkc(text[:LONGEST_OPENING])) for text in texts]
    repeats = {position: first for position, first in enumerate(found) if first is not None}
    return [position for position in range(len(texts)) if position not in repeats], repeats


def kept(texts: Sequence[str]) -> list[int]:
    return looked_at(texts)[0]


def repeats(texts: Sequence[str]) -> dict[int, int]:
    return looked_at(texts)[1]


@given(variants())
def test_every_text_is_kept_or_repeats_a_kept_one_before_it(texts: list[str]) -> None:
    first, repeated = looked_at(texts)
    assert sorted([*first, *repeated]) == list(range(len(texts)))
    assert all(one in first and one < position for position, one in repeated.items())


@given(variants())
def test_a_text_repeats_the_first_kept_one_that_it_is_near_to(texts: list[str]) -> None:
    first, repeated = looked_at(texts)
    for position, text in enumerate(texts):
        near = [one for one in first if one < position and repeats([texts[one], text])]
        assert near[:1] == ([repeated[position]] if position in repeated else [])


@given(variants())
def test_what_is_kept_is_kept_again(texts: list[str]) -> None:
    first = [texts[position] for position in kept(texts)]
    assert kept(first) == list(range(len(first)))


@given(sentences, sentences)
def test_a_text_is_like_itself_and_as_near_to_another_as_the_other_to_it(one: str, other: str) -> None:
    assert repeats([one, one]) == {1: 0}
    assert repeats([one, other]) == repeats([other, one])


def test_four_of_five_shared_runs_of_words_make_a_near_duplicate() -> None:
    assert repeats(["a b c d e f", "a b c d e f g"]) == {1: 0}
    assert repeats(["a b c d e", "a b c d e f"]) == {}


CLAUSE = (
    "Rural interstates carry hardly any lamps, and their headlights are weak, pointed at the pavement and moving, so "
    "what an observer sees from orbit is a thread of beads with darkness in between"
)


def test_case_punctuation_and_a_changed_word_do_not_make_a_text_new() -> None:
    texts = [CLAUSE, CLAUSE.upper() + "!", CLAUSE.replace("weak", "faint"), f"  {CLAUSE}…"]
    assert repeats(texts) == {1: 0, 2: 0, 3: 0}


def test_another_year_or_amount_is_another_statement() -> None:
    texts = [f"{CLAUSE} in {year}, at {cost} dollars." for year, cost in [(2023, 5), (2024, 5), (2023, 6), (2023, 5)]]
    assert repeats(texts) == {3: 0}


def test_a_common_header_does_not_make_texts_alike() -> None:
    header = "Confidential, for internal use of the company only. "
    texts = [
        header + body for body in (CLAUSE, "The Nile glows like a lotus with its delta as the flower.", "Nothing.")
    ]
    assert kept(texts) == [0, 1, 2]


def test_texts_without_spaces_are_compared_too() -> None:
    text = "凤凰城的街道网格在夜间从太空中清晰可见因为主干道笔直而且路灯间隔均匀"
    assert kept([text, text + "。", text.replace("晰", "楚"), "尼罗河像一朵发光的莲花"]) == [0, 3]


def test_texts_without_words_repeat_only_each_other() -> None:
    assert repeats(["", " ", "—", "…", "— "]) == {1: 0, 4: 2}


def test_of_a_long_text_the_opening_is_compared_and_the_rest_must_be_the_same() -> None:
    opening = (f"{CLAUSE}. " * 60)[:LONGEST_OPENING]
    rest = "And so on. " * 1_000
    texts = [opening + rest, opening.replace("weak", "WEAK") + rest, opening + rest + "Not quite.", opening]
    assert repeats(texts) == {1: 0}


def test_after_so_many_texts_it_has_seen_enough_for_one_call() -> None:
    distinct = Distinct()
    for number in range(MOST_LOOKED_AT):
        assert distinct.left == MOST_LOOKED_AT - number
        distinct.look(text := f"{CLAUSE} {number % 2}", text)
    assert not distinct.left
