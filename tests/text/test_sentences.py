"""Sentences: where they begin and end, in several scripts, and that nothing but blanks and list marks is left out."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.sentences import LONGEST, sentences
from tests.answer.found import texts


def split(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sentences(text)]


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
        ("It boils.[1] It cools.[2, 3] Then tea.", ["It boils.[1]", "It cools.[2, 3]", "Then tea."]),
        ("水が沸く。[1]冷める。", ["水が沸く。[1]", "冷める。"]),
        ("no end", ["no end"]),
        ("  \n \n", []),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Bücherei ist bis zum 31. März 2024 geschlossen.",
        "Am 5. und 6. Mai ist das Haus am 3. Tag der Woche zu.",
        "Der Termin ist am 31. 3. 2024 in der Halle.",
        "Im 19. Jahrhundert war Wilhelm II. von Preußen der Herr im 2. Stock.",
        "Das ist, z. B. bei Dr. Meier, d. h. im Haus Nr. 5, u. a. wegen Art. 5 Abs. 2 so.",
        "Er starb 44 v. Chr. in der Stadt, vgl. S. 12 und Abb. 3 bzw. Bd. 2 usw. des Werks.",
        "M. Dupont et Mme Roy, cf. p. 12, sont nés en 52 av. J.-C. et vivent, p. ex. avec MM. Roy, ici.",
        "Selon l’art. 5 et la fig. 3, le Dr. Roy est là.",
        "El Sr. García y la Dra. Ruiz viven, p. ej. en EE. UU., en la pág. 5 del art. 3 de la ley.",
        "Julio César murió en el 44 a. C. en la ciudad, según Ud. y el núm. 7.",
        "他是 Dr. Smith 的朋友。",
    ],
)
def test_no_sentence_is_cut_at_an_abbreviation_or_a_date_of_its_language(sentence: str) -> None:
    assert split(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Halle hat 31. Danach ist Schluss.", ["Die Halle hat 31.", "Danach ist Schluss."]),
        ("Das ist seine Art. Er ist so.", ["Das ist seine Art.", "Er ist so."]),
        ("Das Jahr war 1990. Mai war es nicht.", ["Das Jahr war 1990.", "Mai war es nicht."]),
        ("C’est de l’art. Il est là.", ["C’est de l’art.", "Il est là."]),
        ("Creo que no. La casa es de él.", ["Creo que no.", "La casa es de él."]),
    ],
)
def test_words_that_may_be_abbreviations_end_sentences_where_no_figure_follows(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_line_broken_because_it_was_full_goes_on() -> None:
    text = (
        "The arterials of the city run dead straight, one mile apart,\nWith lamps set at even intervals. They stay lit."
    )
    assert split(text) == [text.removesuffix(" They stay lit."), "They stay lit."]


LONG_TITLE = "How the lamps of the harbour were lit by hand in the winter of the great frost"


@pytest.mark.parametrize(
    "text", [f"# {LONG_TITLE}\nThey burn.", f"{LONG_TITLE}\n======\nThey burn.", f"> ## {LONG_TITLE}\nThey burn."]
)
def test_a_heading_ends_with_its_line(text: str) -> None:
    assert [said for said in split(text) if said[0] != "="] == [LONG_TITLE, "They burn."]


def test_pieces_of_a_long_sentence_say_where_it_goes_on() -> None:
    text = "lamp " * 300
    assert [(one.before, one.after) for one in sentences(f"Short. {text}. Short.")] == [
        (False, False),
        (False, True),
        (True, True),
        (True, False),
        (False, False),
    ]


@given(texts | st.text(alphabet='.!?…。 \n\r"”-*#1a', max_size=400))
def test_sentences_are_in_order_and_leave_out_blanks_and_marks_only(text: str) -> None:
    spans = sentences(text)
    ends = [0, *(one.end for one in spans)]
    starts = [*(one.start for one in spans), len(text)]
    between = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    assert all(0 <= one.start < one.end <= len(text) and one.end - one.start <= LONGEST for one in spans)
    assert not set(between) - set("-*+•·>|#.)0123456789") - {sign for sign in between if sign.isspace()}
    assert all(one == one.strip() for one in split(text))


@pytest.mark.parametrize(
    "sign", [".", '"', "“", " ", "\n", "a.", ". ", "1. ", "- ", "。", ".\n", "1. März ", "z. B. der "]
)
def test_the_work_on_a_hostile_text_is_bounded_by_its_length(sign: str) -> None:
    """No recursion and no more sentences than signs, whatever is repeated."""
    text = (sign * 20_000)[:20_000]
    assert len(sentences(text)) <= len(text)


def test_a_long_run_of_blanks_is_read_in_linear_time() -> None:
    start = process_time()
    assert split("It ended." + " " * 1_600_000) == ["It ended."]
    assert process_time() - start < 1
