"""Laws of near-duplicates, and the texts that they were made for."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.near_duplicates import NEAR, distinct, similarity

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
    found = distinct(texts, near=near)
    assert (list(found.kept), dict(found.repeats)) == by_hand(texts, near)


@given(variants())
def test_every_text_is_kept_or_repeats_a_kept_one_before_it(texts: list[str]) -> None:
    found = distinct(texts)
    assert sorted([*found.kept, *found.repeats]) == list(range(len(texts)))
    assert all(first in found.kept and first < position for position, first in found.repeats.items())


@given(variants())
def test_what_is_kept_is_kept_again(texts: list[str]) -> None:
    kept = [texts[position] for position in distinct(texts).kept]
    assert distinct(kept).kept == tuple(range(len(kept)))


@given(variants(), st.integers(0, 5))
def test_with_enough_kept_the_rest_is_not_looked_at(texts: list[str], most: int) -> None:
    everything, found = distinct(texts), distinct(texts, most=most)
    assert found.kept == everything.kept[:most]
    ends = len(texts) if len(found.kept) < most else max(found.kept, default=-1)
    assert found.repeats == {position: first for position, first in everything.repeats.items() if position < ends}


@given(variants())
def test_more_is_kept_the_nearer_texts_must_be_for_a_pair(texts: list[str]) -> None:
    pair = texts[:2]
    assert len(distinct(pair, near=0.3).kept) <= len(distinct(pair, near=0.9).kept)


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
    assert distinct(texts).repeats == {1: 0, 2: 0, 3: 0}


def test_another_year_or_amount_is_another_statement() -> None:
    texts = [f"{CLAUSE} in {year}, at {cost} dollars." for year, cost in [(2023, 5), (2024, 5), (2023, 6), (2023, 5)]]
    assert distinct(texts).repeats == {3: 0}


def test_a_common_header_does_not_make_texts_alike() -> None:
    header = "Confidential, for internal use of the company only. "
    texts = [
        header + body for body in (CLAUSE, "The Nile glows like a lotus with its delta as the flower.", "Nothing.")
    ]
    assert distinct(texts).kept == (0, 1, 2)


def test_texts_without_spaces_are_compared_too() -> None:
    text = "凤凰城的街道网格在夜间从太空中清晰可见因为主干道笔直而且路灯间隔均匀"
    assert distinct([text, text + "。", text.replace("晰", "楚"), "尼罗河像一朵发光的莲花"]).kept == (0, 3)


def test_texts_without_words_repeat_only_each_other() -> None:
    assert distinct(["", " ", "—", "…", "— "]).repeats == {1: 0, 4: 2}
