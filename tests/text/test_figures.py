"""Figures: which values a text has, and which follow from others."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.figures import derived, explained
from retrieval.text import figures
from retrieval.text.reading import Reading

ROWS = "| Plan | Seats | Fee |\n|---|---|---|\n| A | 1,000 | 4.50 |\n| B | 250 | 0.75 |\n| C | 12 | |\n"
TELLING = {
    "It is 12,500 tons.": ("12500", "12.500", "12 500", "12\u202f500", "12’500"),
    "It is 12500 tons.": ("12,500", "12.500", "12 500"),
    "It is 4.5 percent, 3,25 there.": ("4,5", "4.50", "3.25"),
    "It is 1.2 million and $400k.": ("1,200,000", "1.2 Mio.", "1200 thousand", "$400,000"),
    "They have three days, twenty at most.": ("3", "20"),
    "Binnen fünfundzwanzig Tagen.": ("25",),
    "On 12.03.2024, version 3.11.4.": ("12", "2024", "12.03.2024", "3.11.4"),
    "Table 5 100 copies.": ("5", "100", "5 100"),
    "Es sind 1.250 Stück.": ("1250", "1.25"),
    "一共三天。": ("3",),
}


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in TELLING.items() for one in said])
def test_a_value_is_known_however_it_is_written(text: str, figure: str) -> None:
    (claimed,) = figures.of_claim(f"It is {figure} here")
    assert explained(claimed, [Reading(text)])


UNTOLD = {
    "It is $400,000.": ("$500,000", "$400", "40,000", "4"),
    "It is 500 thousand.": ("500 million", "500"),
    "It is 4.5 percent.": ("4", "5", "45", "4,500"),
    "They have three days.": ("4", "13"),
    "See https://x.example/12.": ("12",),
}


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in UNTOLD.items() for one in said])
def test_another_value_is_not(text: str, figure: str) -> None:
    (claimed,) = figures.of_claim(f"It is {figure} here")
    assert not explained(claimed, [Reading(text)])


@pytest.mark.parametrize("text", ["see c1 and Q3", "HTTP2, v3, GPT-4", "the 3rd and 21st", "2. Then stop", "ref_id:2"])
def test_names_ordinals_and_numbers_of_items_claim_no_figure(text: str) -> None:
    assert figures.of_claim(text) == ()


@pytest.mark.parametrize(
    ("text", "figure", "follows"),
    [
        ("From 1998 to 2011.", "13", True),
        ("It is 12,500 and 800.", "13,300", True),
        ("It is 12,500 and 800.", "13,301", False),
        ("It is 2, 3 and 4.", "9", False),
        (ROWS, "1,262", True),
        (ROWS, "5.25", True),
        (ROWS, "1,267.25", False),
        ("", "5", False),
    ],
)
def test_sums_and_differences_of_two_and_the_total_of_a_column_follow(text: str, figure: str, follows: bool) -> None:
    (claimed,) = figures.of_claim(f"It is {figure} here")
    assert derived(claimed, [Reading(text)]) is follows


@given(st.integers(0, 10**9), st.sampled_from(",. ’"))
def test_a_divided_figure_has_the_value_of_the_whole(value: int, divider: str) -> None:
    (claimed,) = figures.of_claim(f"{value:,}".replace(",", divider) + " tons")
    assert explained(claimed, [Reading(f"It is {value} tons.")])


@given(
    st.text(alphabet="0123456789.,'’ |\nkm-¾²１２三", max_size=60), st.text(alphabet="0123456789., |\n", max_size=60)
)
def test_any_text_can_be_read_and_knows_its_own_figures(text: str, other: str) -> None:
    figures.totals(text)
    for one in figures.of_claim(text):
        derived(one, [Reading(other)])
        assert explained(one, [Reading(one.text)])


@pytest.mark.parametrize("part", ["1", "1 ", "1,", "1 000 ", "1.000.", "|1", "|1\n", "12 345 6789 ", "a1", "1k", "1-"])
def test_the_longest_text_of_figures_takes_a_moment(part: str) -> None:
    text = (part * 20_000)[:20_000]
    start = time.process_time()
    claimed, read = figures.of_claim(text), [Reading(text)]
    for one in claimed[:20]:
        derived(one, read)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It is within twenty-five days of two.", {20, 5, 2}),
        ("Es ist binnen fünfundzwanzig Tagen einer der zwölf.", {25, 1, 12}),
        ("Der Turm ist dreißig Meter hoch, der Turm dahinter achtunddreißig.", {30, 38}),
        ("Elle est là depuis dix-huit jours et vingt-deux.", {10, 8, 18, 20, 2}),
        ("¿Son treinta y cinco días?", {30, 5}),
        ("È entro venticinque giorni della data.", {25}),
        ("São duas semanas não mais.", {2}),
        ("三天", {3}),
        ("二回まで", {2}),
        ("다섯 번", {5}),
    ],
)
def test_small_numbers_are_known_as_words(text: str, values: set[int]) -> None:
    assert figures.values(text) == values
