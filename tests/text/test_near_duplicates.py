"""Laws of near-duplicates, and the texts that they were made for."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.near_duplicates import LONGEST_OPENING, MOST_LOOKED_AT, NEAR, Distinct, similarity

words = st.sampled_from([*"abcde", "7", "8"])
sentences = st.one_of(st.lists(words, max_size=14).map(" ".join), st.text(max_size=20))
thresholds = st.one_of(st.just(NEAR), st.floats(0.05, 1), st.sampled_from([i / 20 for i in range(1, 21)]))


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


def looked_at(texts: Sequence[str], near: float = NEAR) -> tuple[list[int], dict[int, int]]:
    """Which texts are kept, and for each other one which it repeats."""
    distinct = Distinct(near=near)
    found = [distinct.look(text) for text in texts]
    repeats = {position: first for position, first in enumerate(found) if first is not None}
    return [position for position in range(len(texts)) if position not in repeats], repeats


def kept(texts: Sequence[str], near: float = NEAR) -> list[int]:
    return looked_at(texts, near)[0]


def repeats(texts: Sequence[str]) -> dict[int, int]:
    return looked_at(texts)[1]


def by_hand(texts: Sequence[str], near: float) -> tuple[list[int], dict[int, int]]:
    """Every text against every one that was kept before it."""
    kept: list[int] = []
    repeats: dict[int, int] = {}
    for position, text in enumerate(texts):
        first = next((other for other in kept if similarity(texts[other], text) >= near), None)
        if first is None:
            kept.append(position)
        else:
            repeats[position] = first
    return kept, repeats


@given(variants(), thresholds)
def test_it_finds_what_comparing_all_with_all_finds(texts: list[str], near: float) -> None:
    assert looked_at(texts, near) == by_hand(texts, near)


@given(variants())
def test_every_text_is_kept_or_repeats_a_kept_one_before_it(texts: list[str]) -> None:
    first, repeated = looked_at(texts)
    assert sorted([*first, *repeated]) == list(range(len(texts)))
    assert all(one in first and one < position for position, one in repeated.items())


@given(variants())
def test_what_is_kept_is_kept_again(texts: list[str]) -> None:
    first = [texts[position] for position in kept(texts)]
    assert kept(first) == list(range(len(first)))


@given(variants())
def test_more_is_kept_the_nearer_texts_must_be_for_a_pair(texts: list[str]) -> None:
    pair = texts[:2]
    assert len(kept(pair, 0.3)) <= len(kept(pair, 0.9))


@given(sentences, sentences)
def test_similarity_is_symmetric_and_a_text_is_like_itself(one: str, other: str) -> None:
    assert similarity(one, one) == 1
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1


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
        distinct.look(f"{CLAUSE} {number % 2}")
    assert not distinct.left
