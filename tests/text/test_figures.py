"""The figures of claims, looked up in the texts that they cite."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.figures import unknown_figures
from retrieval.text.text_values import Reading


def unknown(claim: str, *texts: str) -> list[str]:
    return [figure.text for figure in unknown_figures(claim, [Reading(text).figures for text in texts])]


HELD = {
    "The quay is 1,234.5 m long.": ("1 234,5", "1.234,5", "1’234.5", "1'234,50", "１，２３４．５", "١٬٢٣٤٫٥"),
    "Il lotto conta 12.500 pezzi.": ("12,500", "12 500", "12500", "١٢٥٠٠", "１２５００", "12’500"),
    "It is 4.5 percent, 3,25 there, and 0.250 at night.": ("4,5", "4.50", "3.25", "0,25"),
    "It is 1.2 million and $400k, or 3 billion.": ("1,200,000", "1.2 Mio.", "$400,000", "3,000,000,000", "3 Mrd."),
    "Turnover was 2,400,000 in 2025.": ("2.4 million", "2,4 Millionen", "240万", "2.4 millones", "2,4 milhões"),
    "They have three days, twelve at most.": ("3", "12"),
    "Se admiten dos perros y una docena de gatos en la casa.": ("2", "12"),
    "Man hat dafür zwölf Tage und elf Nächte.": ("12", "11"),
    "一共三天，十二个人。": ("3", "12"),
    "참가자는 다섯 명입니다.": ("5",),
    "Version 3.11.4 of 12.03.2024.": ("3.11.4", "3.11", "2024", "12 March 2024"),
    "Table 5 100 copies.": ("5", "100", "5 100"),
    "Take 1½ spoons and ¾ l.": ("1.5", "1½", "0,75"),
    "It cost 60² euros, 90 ¹ later.": ("60", "90"),
    "Sensors: 3，4，5 and １，２３４.": ("3", "4", "5", "1234"),
    "The gate shuts at 6:15 p.m.": ("18:15", "18.15 Uhr", "18h15", "6:15 pm", "下午6:15", "18时15分"),
    "Das Tor schließt um 18.15 Uhr.": ("18:15", "6:15 p.m.", "6.15 p.m."),
    "Open from 10 to 16 Uhr.": ("10:00", "16:00", "4 p.m."),
    "La porte ferme à 20 h.": ("20 Uhr", "20:00", "8 p.m.", "20時"),
    "It is 3×10⁸ m/s and 2 × 10⁻⁵ s.": ("3 × 10^8", "3 * 10^{8}", "2 × 10^-5"),
    "It costs 0.50 a page and 2,000,000,000,000 in all.": ("$.50", "(.50)", "2 trillion", "2兆"),
    "Call +1 (555) 010-9999.": ("555-010-9999",),
    "Error E4071 of part AX-22.": ("4071", "E4071", "22"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in HELD.items() for one in said])
def test_a_figure_is_known_with_any_marks_digits_and_scale(text: str, figure: str) -> None:
    assert unknown(f"It is {figure} here", text) == []


NOT_HELD = {
    "It is $400,000.": ("$500,000", "$400", "40,000", "4", "4,000,000", "$400 million"),
    "It is 500 thousand.": ("500,000,000", "5"),
    "It is 4.5 percent.": ("4", "5", "45", "4,500", "0.45"),
    "It has 12,345,678 rows.": ("345", "12", "678"),
    "They have three days.": ("4", "13", "30"),
    "See https://x.example/12.": ("12",),
    "Take 1½ spoons.": ("11", "2.5", "12"),
    "It cost 60² euros.": ("602", "2"),
    "It is 3×10⁸ m/s.": ("4 × 10^8", "38"),
    "It costs 0.50 a page.": ("$.05", "$.5.1"),
    "Call +1 (555) 010-9999.": ("15550109998", "9998"),
    "Version 3.11.4 is required.": ("3.11.5", "3.12", "2.11.4", "3.11.4.1"),
    "The gate shuts at 6:15 p.m.": ("18:30", "7.15 Uhr", "18h45", "5:15 pm"),
    "Error E4071.": ("E4017", "E407"),
    "": ("1", "12"),
}


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in NOT_HELD.items() for one in said])
def test_another_figure_is_not(text: str, figure: str) -> None:
    assert len(unknown(f"It is {figure} here", text)) == 1


DATES = (
    "18 March 2026", "March 18, 2026", "18th of March 2026", "18. März 2026", "le 18 mars 2026", "18 de marzo de 2026",
    "18 de março de 2026", "18 marzo 2026", "2026-03-18", "2026/3/18", "20260318", "18.03.2026", "18/03/2026",
    "3/18/2026", "18.3.26", "2026年3月18日", "2026년 3월 18일", "١٨ March ٢٠٢٦",
)  # fmt: skip
DAYS = ("18 March", "Mar. 18", "18.03.", "3/18", "3月18日", "le 18 mars")
OTHER_DAYS = (
    "19 March 2026",
    "18 May 2026",
    "18. Mai 2026",
    "20260319",
    "20260518",
    "2025-03-18",
    "18.05.2026",
    "19.03.",
)


@pytest.mark.parametrize("text", DATES)
def test_a_date_is_one_day_in_any_writing(text: str) -> None:
    for claim in (*DATES, *DAYS):
        assert unknown(f"It came on {claim} here", f"Sent {text}, signed") == [], claim
    for claim in OTHER_DAYS:
        assert len(unknown(f"It came on {claim} here", f"Sent {text}, signed")) == 1, claim


def test_a_range_or_a_list_of_days_has_each_of_them() -> None:
    assert unknown("It is on 5 March and on 19 March", "Open on 5, 12 and 19 March.") == []
    assert unknown("Es beginnt am 18. März", "Die Messe dauert vom 18.–20. März.") == []


@pytest.mark.parametrize(
    "text", ["see c1 and Q3", "CO2, v3, H2O", "the 3rd and 21st", "0 left, 00", "https://x.example/77"]
)  # fmt: skip
def test_names_ordinals_and_zero_claim_no_figure(text: str) -> None:
    assert unknown(text) == []


def test_a_figure_at_the_end_of_a_sentence_is_no_date_alone() -> None:
    assert unknown("CarPlay works since version 8.7.", "| CarPlay | yes | 8.7 |") == []
    assert unknown("Es gilt ab dem 8.7.", "Gültig ab 8. Juli 2026") == []
    assert len(unknown("CarPlay works since version 8.7.", "| CarPlay | yes | 8.9 |")) == 1


def test_a_figure_may_stand_in_any_of_the_texts() -> None:
    assert unknown("Of 17 rooms 9 are free since 2 May 2026", "17 rooms", "nine are free", "2026-05-02") == []


@given(st.integers(1, 10**9), st.sampled_from(",. ’"))
def test_a_figure_in_groups_is_the_whole(value: int, mark: str) -> None:
    grouped = f"{value:,}".replace(",", mark)
    assert (
        unknown(f"{grouped} tons", f"It is {value} tons.") == unknown(f"{value} tons", f"It is {grouped} tons.") == []
    )


@given(st.text(alphabet="0123456789.,'’ |\nkmMay-/:²½１２三月日٣", max_size=60))
def test_any_text_can_be_read_and_has_its_own_figures(text: str) -> None:
    assert unknown(text, text) == []


HOSTILE = (
    "1|1 |1,|1 000 |1 000 000 000|1.000.|12 345 6789 |a1|1k|1-|1.1.1 |1/2 |1²|½ |one |1 May |May 1 |20260318|"
    "2026-03-18 |1.1.|1:|6 pm |三|3月3日|1月|٣|１，|.1|18.15|1 de |0|00.|12/12/".split("|")
)  # fmt: skip


@pytest.mark.parametrize("part", [*HOSTILE, "|1", "\n1", " "])
def test_the_longest_text_of_figures_takes_a_moment(part: str) -> None:
    text = (part * 20_000)[:20_000]
    start = time.thread_time()
    unknown(text, text, "17")
    assert time.thread_time() - start < 1
