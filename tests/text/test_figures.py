"""Figures: which values a text has, and which follow from others."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.figures import derived, explained
from retrieval.text import figures, tables
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
    "Half of the rooms and a third of the beds are free.": ("50%", "0.5", "33 %", "33.3%", "1/3"),
    "Zwei Drittel der Zimmer sind frei, ein Viertel ist zu.": ("67 %", "66,7", "25 %"),
    "La moitié des chambres est libre, trois quarts des lits.": ("50 %", "75 %"),
    "房间的三分之二已满，一半的床空着。": ("67%", "50%"),
    "It takes an hour and a half, or two hours and a half.": ("1.5", "2,5", "1½"),
    "La visita dura due ore e mezza.": ("2.5",),
    "The gate opens twice a day for a dozen guests.": ("2", "12"),
    "Das Dutzend Gäste kommt zweimal.": ("2", "12"),
    "The pool opens on the fourth day.": ("am 4. Tag", "le 4e jour", "el 4.º día", "il 4° giorno", "o 4º dia"),
    "Am achten Tag endet die Frist.": ("dem 8. Tag", "le 8ème jour"),
    "El tercer piso es de la dirección.": ("im 3. Stock", "3.º"),
    "预算为12000万元，共5千克。": ("1.2亿", "120,000,000", "5"),
    "Take 1½ spoons and ¾ l.": ("1.5", "1½", "1 1/2", "0.75", "3/4"),
    "Take 1 1/2 spoons and 2/3 l.": ("1,5", "1 ½", "2/3", "⅔"),
    "It cost 60² euros, 90 ¹ later.": ("60", "90"),
    "It has 10²¹ atoms.": ("10²¹ of", "10^21"),
    "It rose from 2.5 to 3.1 million.": ("2.5", "2.5 million", "2,500,000", "3.1 million"),
    "It costs $6–7 million.": ("6 million", "7 million"),
    "Python 3.13.2 is required.": ("3.13.2", "3.13", "3"),
    "The 2021/22 season.": ("2022", "22"),
    "Seasons 2021 and 2022.": ("2021/22",),
}


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in TELLING.items() for one in said])
def test_a_value_is_known_however_it_is_written(text: str, figure: str) -> None:
    claimed = figures.of_claim(f"It is {figure} here")
    assert claimed and all(explained(one, [Reading(text)]) for one in claimed)


UNTOLD = {
    "It is $400,000.": ("$500,000", "$400", "40,000", "4"),
    "It is 500 thousand.": ("500 million", "500"),
    "It is 4.5 percent.": ("4", "5", "45", "4,500"),
    "They have three days.": ("4", "13"),
    "A third of the beds are free, and the first quarter of the year is cold.": ("30%", "66%", "25%", "50%"),
    "The pool opens on the fourth day.": ("am 5. Tag", "4 metres", "le 5e jour"),
    "See https://x.example/12.": ("12",),
    "Take 1½ spoons.": ("11", "2.5", "1", "0.5"),
    "It cost 60² euros.": ("602", "2"),
    "It has 10²¹ atoms.": ("10²² of", "1021"),
    "It rose from 2.5 to 3.1 million.": ("25", "31 million"),
    "Python 3.13.2 is required.": ("3.13.4", "2.13.3", "3.2", "3.13.2.1", "13"),
}


@pytest.mark.parametrize(("text", "figure"), [(text, one) for text, said in UNTOLD.items() for one in said])
def test_another_value_is_not(text: str, figure: str) -> None:
    claimed = figures.of_claim(f"It is {figure} here")
    assert not all(explained(one, [Reading(text)]) for one in claimed)


@pytest.mark.parametrize("text", ["see c1 and Q3", "HTTP2, v3, GPT-4", "the 3rd and 21st", "2. Then stop", "ref_id:2"])
def test_names_ordinals_and_numbers_of_items_claim_no_figure(text: str) -> None:
    assert figures.of_claim(text) == ()


FOLLOWING = [
    ("The mill ran from 1898 to 1931.", "It ran for 33 years."),
    ("Die Mühle lief von 1898 bis 1931.", "Sie lief 33 Jahre."),
    ("It opened in 1898. Nine years later it burned down.", "It burned down in 1907."),
    ("The hall has 450 seats and the balcony 120 seats.", "There are 570 seats."),
    ("The room is $80, breakfast $12.", "With breakfast it is $92."),
    ("The room is $80, breakfast 12 dollars.", "With breakfast it is $92."),
    ("The room is 80 €, breakfast 12 euros.", "With breakfast it is €92."),
    ("Tax rose from 7 to 19%.", "Tax rose by 12 percent."),
    ("Training takes two days, the exam one day.", "It takes 3 days."),
    ("Die Schulung dauert zwei Tage, die Prüfung einen Tag.", "Es dauert 3 Tage."),
    ("It is 12,500 and 800.", "It is 13,300."),
    ("| Plan | Seats |\n|---|---|\n| A | 1,000 |\n| B | 250 |\n| C | 12 |\n", "A has 750 seats more than B."),
    ("| Plan | Seats |\n|---|---|\n| A | 1,000 |\n| B | 250 |\n| C | 12 |\n", "There are 1,262 seats."),
    (ROWS, "The fees come to 5.25."),
    ("| Day | Adults | Children |\n|---|---|---|\n| Monday | 31 | 14 |\n", "45 guests came on Monday."),
]
STRANGE = [
    ("The hall has 450 seats and 12 exits.", "It has 462 seats."),
    ("The hall has 450 seats and 120 lamps.", "It has 570 lamps."),
    ("Step 4 takes 10 minutes, and the oven heats to 220 degrees.", "It takes 14 minutes."),
    ("The room is $80, parking 12 euros.", "Together it is $92."),
    ("The room costs $80.", "Two rooms cost $160."),
    ("Training takes two days, the exam three hours.", "It takes 5 days."),
    ("Clause 2 of 1998 gives tenants 14 days.", "They have 16 days."),
    ("It is 2, 3 and 4.", "It is 9."),
    (ROWS, "The fees come to 1,267.25."),
    ("", "It is 5."),
]


@pytest.mark.parametrize(("text", "claim"), FOLLOWING)
def test_sums_and_differences_of_one_unit_or_line_and_totals_follow(text: str, claim: str) -> None:
    (claimed,) = figures.of_claim(claim)
    assert not explained(claimed, [Reading(text)]) and derived(claimed, [Reading(text)])


@pytest.mark.parametrize(("text", "claim"), STRANGE)
def test_values_of_two_units_are_not_added_and_no_value_is_added_to_itself(text: str, claim: str) -> None:
    (claimed,) = figures.of_claim(claim)
    assert not derived(claimed, [Reading(text)])


DATES = {
    "The fair opens on 31 March.": (
        "31 March",
        "March 31",
        "31.03.",
        "31. März",
        "3/31",
        "31/3",
        "3月31日",
        "el 31 de marzo",
    ),
    "Die Messe öffnet am 31.03.2027.": ("March 31, 2027", "31 mars 2027", "2027-03-31", "2027年3月31日", "31.3.27"),
    "La feria abre el 1 de agosto de 2027.": ("1 August 2027", "01.08.2027", "2027-08-01", "8/1/2027", "le 1er août"),
    "开幕日期为2027年10月4日。": ("4 October 2027", "4.10.2027", "Oct. 4", "10월 4일"),
    "Due 2027-02-07.": ("7 fevereiro", "7. Februar 2027", "07/02/2027", "7 febbraio"),
}
OTHER_DATES = {
    "The fair opens on 31 March.": ("30.03.", "31.05.", "5/31", "30. März", "31.03.2027"),
    "Die Messe öffnet am 31.03.2027.": ("31.04.2027", "March 30", "31.03.2026", "2027-05-31", "2027年4月31日"),
    "La feria abre el 1 de agosto.": ("1.9.", "2 August", "09/01", "9月1日"),
    "It opens on 5 June 2027, with 12 May bushes and 6 oaks.": ("05.12.2027", "6.7.2027"),
}


DATES |= {
    "The gate shuts at 6:15 p.m.": ("18:15", "18.15 Uhr", "18h15", "6:15 pm", "下午6:15", "오후 6시 15분"),
    "Das Tor schließt um 18.15 Uhr.": ("18:15", "6:15 p.m.", "6.15 p.m.", "下午6点15分"),
    "Open from 10 to 16 Uhr.": ("10:00", "16:00", "10 a.m.", "4 p.m.", "10 o'clock"),
    "La porte ferme à 20 h.": ("20 Uhr", "20:00", "8 p.m.", "20時"),
    "营业时间为上午九点半到下午五点。": ("9:30", "17:00", "5 p.m.", "9.30 a.m."),
    "受付は午後4時半までです。": ("16:30", "4.30 p.m.", "16.30 Uhr"),
}
OTHER_DATES |= {
    "The gate shuts at 6:15 p.m.": ("18:30", "7.15 Uhr", "18h45", "5:15 pm", "下午7:15"),
    "Das Tor schließt um 18.15 Uhr.": ("18.25 Uhr", "8.15 Uhr", "5:15 p.m."),
    "Open from 10 to 16 Uhr.": ("9:00", "5 p.m.", "16:15"),
    "La porte ferme à 20 h.": ("7 p.m.", "10 p.m.", "20:30"),
    "受付は午後4時半までです。": ("16:00", "5.30 p.m.", "14.30 Uhr"),
}


@pytest.mark.parametrize(("text", "date"), [(text, one) for text, said in DATES.items() for one in said])
def test_a_date_or_time_is_known_in_any_writing(text: str, date: str) -> None:
    claimed = figures.of_claim(f"It is {date}, then")
    assert all(explained(one, [Reading(text)]) for one in claimed)


@pytest.mark.parametrize(("text", "date"), [(text, one) for text, said in OTHER_DATES.items() for one in said])
def test_another_date_or_time_is_not(text: str, date: str) -> None:
    claimed = figures.of_claim(f"It is {date}, then")
    assert not all(explained(one, [Reading(text)]) for one in claimed)


@given(st.integers(0, 10**9), st.sampled_from(",. ’"))
def test_a_divided_figure_has_the_value_of_the_whole(value: int, divider: str) -> None:
    (claimed,) = figures.of_claim(f"{value:,}".replace(",", divider) + " tons")
    assert explained(claimed, [Reading(f"It is {value} tons.")])


@given(
    st.text(alphabet="0123456789.,'’ |\nkm-¾²１２三", max_size=60), st.text(alphabet="0123456789., |\n", max_size=60)
)
def test_any_text_can_be_read_and_knows_its_own_figures(text: str, other: str) -> None:
    tables.totals(tables.tables(text))
    for one in figures.of_claim(text):
        derived(one, [Reading(other)])
        assert explained(one, [Reading(one.text)])


HOSTILE = (
    "1|1 |1,|1 000 |1.000.|12 345 6789 |a1|1k|1-|1.1.1 |1/2 |1²|½ |hundert|one |one-|two and |einundzwanzig".split("|")
)
SIGNS = "一|万千|百分之一|다섯|half |a third and |9:30 |下午1|May 1 |1.1.|1 to |4. a ".split("|")


@pytest.mark.parametrize("part", [*HOSTILE, *SIGNS, "|1", "|1\n"])
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
        ("It is within twenty-five days of two.", {25, 2}),
        ("Es ist binnen fünfundzwanzig Tagen einer der zwölf.", {25, 1, 12}),
        ("Der Turm ist dreißig Meter hoch, der Turm dahinter achtunddreißig.", {30, 38}),
        ("Elle est là depuis dix-huit jours et vingt-deux.", {18, 22}),
        ("¿Son treinta y cinco días?", {35}),
        ("È entro venticinque giorni della data.", {25}),
        ("São duas semanas não mais.", {2}),
        ("三天", {3}),
        ("二回まで", {2}),
        ("It has one hundred and five rooms, two thousand lamps, and costs five per cent.", {105, 2_000, 5}),
        ("A hundred of them came, and two or three left.", {100, 2, 3}),
        ("Es sind zweitausenddreihundertfünfzig Betten und hundert Stühle.", {2_350, 100}),
        ("Il y a quatre-vingt-dix-sept lits, trois cent mille livres et soixante et onze chaises.", {97, 300_000, 71}),
        ("Hay doscientas cuarenta y dos camas y veintiséis sillas, por cinco mil euros.", {242, 26, 5_000}),
        ("La casa ha duecentocinquanta letti, ventotto sedie e costa tremila euro.", {250, 28, 3_000}),
        ("O hotel tem cento e vinte e três camas e mil e duzentos livros.", {123, 1_200}),
        ("酒店有三百五十张床，一万二千本书，建于一九九八年，折扣为百分之十五。", {350, 12_000, 1998, 15}),
        ("図書は二万五千冊、席は十二席です。", {25_000, 12}),
        ("스물다섯 개", {25}),
        ("다섯 번", {5}),
    ],
)
def test_numbers_are_known_as_words(text: str, values: set[int]) -> None:
    assert Reading(text).values == values
