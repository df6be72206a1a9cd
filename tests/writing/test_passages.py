"""What is shown of a chunk: whole blocks around what is nearest to the question."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.content_words import of_question
from retrieval.writing.answer_by_rules import LONGEST, Passage, best_passage
from tests.laws import law

FILLING: Final = "\n\n".join(
    f"Paragraph {number} tells of barges and of grain in year {number}." for number in range(60)
)


def of(text: str, question: str = "When do the lamps burn?") -> str:
    found = best_passage(text, weights(question))
    return "" if found is None else "".join(text[one.start : one.end] + "…" for one in found.lead) + _body(text, found)


def weights(question: str) -> dict[str, float]:
    return dict.fromkeys(of_question(question), 1)


def _body(text: str, found: Passage) -> str:
    return text[slice(*found.spans[-1])]


def test_a_text_that_is_not_long_is_shown_whole() -> None:
    text = "# Lamps\n\nThey burn.\n\n| a | b |\n|---|---|\n| c | d |\n\nTo go on:\n\n- x\n- y"
    assert of(text) == text


def test_of_a_long_text_whole_blocks_around_the_nearest_sentence_are_shown() -> None:
    near = "The lamps burn all night, whenever it is dark."
    said = of(f"{FILLING}\n\n{near}\n\n{FILLING}")
    assert near in said and LONGEST * 0.8 < len(said) <= LONGEST * 1.1
    assert said.startswith("Paragraph") and said.endswith(".")


def test_in_another_language_the_beginning_is_shown() -> None:
    assert of(FILLING, "Quand brûlent les lampes ?").startswith("Paragraph 0")


def test_a_row_of_a_long_table_has_the_header_and_what_introduces_it() -> None:
    rows = "\n".join(f"| Lamp {number} | {number} € |" for number in range(100))
    said = of(f"## Fees\n\nThese are the fees:\n\n| Lamp | Fee |\n|---|---|\n{rows}", "What is the fee of lamp 77?")
    assert said.startswith("## Fees…These are the fees:…| Lamp") and "| Lamp 77 | 77 € |" in said
    found = best_passage(f"| Lamp | Fee |\n|---|---|\n{rows}", weights("What is the fee of lamp 77?"))
    assert found is not None and found.blocks[0].header == (0, 24)


def test_an_item_of_a_long_list_has_the_line_that_introduces_it() -> None:
    items = "\n".join(f"- lamp {number} burns for {number} hours a night" for number in range(100))
    said = of(f"They were lit in May. So long they burn:\n\n{items}", "How long does lamp 77 burn?")
    assert said.startswith("So long they burn:…- lamp") and "- lamp 77 burns" in said


def test_code_is_whole_however_long() -> None:
    code = "```\n" + "\n".join(f"light(lamp={number})" for number in range(150)) + "\n```"
    assert of(f"{FILLING}\n\nLight lamp 77:\n\n{code}", "light lamp 77") == f"Light lamp 77:\n\n{code}"


def test_a_line_that_introduces_nothing_is_left_out() -> None:
    assert of("The lamps burn. They are of glass. The rest is as follows:") == "The lamps burn. They are of glass."
    assert of("The lamps burn.\n\n# What else burns") == "The lamps burn."
    assert best_passage("As follows:", weights("What follows?")) is None


_blocks = st.sampled_from(
    [
        "The lamps burn all night in the harbour of Ostia.",
        "Barges carried grain. The lamps burn when:",
        "# Lamps",
        "- a lamp of green glass\n- a lamp of red glass\n- others:\n  - of paper",
        "| Lamp | Fee per year |\n|---|---|\n| green glass | 18 guilders |\n| red glass | 19 guilders |",
        "```py\nburn(lamp)\n\n# [c1]\n```",
        "    indented code of lamps",
        "Short.",
        "Lamps " * 300 + "burn.",
        "北京的夜晚非常明亮，可以从太空看到。",
        "[x](https://evil.example) <b> ` | > 1.",
    ]
)


@law(200)
@given(st.lists(_blocks, max_size=14).map("\n\n".join), st.sampled_from(["", "lamps?"]))
def test_whatever_the_text_a_passage_is_whole(text: str, question: str) -> None:
    found = best_passage(text, weights(question))
    if found is None:
        return
    body = _body(text, found)
    assert body in text and body.strip()
    assert not body.endswith(":") and not body.rpartition("\n")[2].startswith("# ")
    assert body.count("```") % 2 == 0
    assert len(body) <= 3 * LONGEST
    assert all(block.kind != "table" or "| Lamp |" in text[slice(*block.header)] for block in found.blocks)


@pytest.mark.parametrize("piece", ["a. ", "- a\n", "| a | b |\n", "a:\n\n", "# a\n", "```\n", "灯。"])
def test_any_text_has_a_passage_in_time(piece: str) -> None:
    of((piece * 4_000)[:4_000])
