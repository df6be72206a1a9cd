"""The answer that nobody wrote: what is above the passages, what is cited, and that a passage is nothing but text.

Beside it the frame of a model's answer: what is missing, and what a judge asks.
"""

import re
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given

from retrieval.errors import BackendTimeout
from retrieval.model.activity import StepActivity
from retrieval.model.answer import Citation, Evidence, Missing, Written
from retrieval.model.retrieval import Chunk
from retrieval.text.languages.language import ENGLISH, language
from retrieval.writing import answer_by_rules
from retrieval.writing.markdown import label, with_gaps
from tests.answer.found import asked, chunk, chunk_lists, texts

FRAMES: Final = ENGLISH.frames
LAMPS: Final = "The lamps of the harbour burn all night."
QUESTION: Final = "Do lamps burn all night?"
LITTLE: Final = Evidence(sufficient=False, confidence=0.2, missing=("Which harbour?", "In which year?"), by="model")


def shown(*found: Chunk, question: str = QUESTION, failed: str = "") -> str:
    return answer_by_rules.answer(asked(question), found, failed=failed).markdown


def test_the_best_three_are_shown_whole_under_their_labels_and_cited_as_they_stand() -> None:
    found = [chunk(number, f"Lamp {number} burns. So says book {number}.", title="[H]") for number in range(1, 6)]
    written = answer_by_rules.answer(asked(QUESTION), found)
    assert written.markdown == "\n\n".join(
        [FRAMES.unread, *(f"[(H) - k{n}]\n\n> Lamp {n} burns. So says book {n}." for n in (1, 2, 3))]
    )
    assert written.cited == ("c1", "c2", "c3") and written.by == "rules"
    assert written.citations[0] == Citation(chunk="c1", quote=found[0].text, start=0, end=len(found[0].text))


def test_where_an_answer_cites_by_numbers_each_label_has_one_whatever_it_says() -> None:
    request = replace(asked(QUESTION), cited_by="number")
    found = [chunk(1, LAMPS, title="<b>*Lamps*"), chunk(2, "They burn oil.", title="Oil")]
    assert answer_by_rules.answer(request, found).markdown.partition("\n\n")[2] == (
        f"- [1] &lt;b>\\*Lamps\\* - k1\n\n> {LAMPS}\n\n- [2] Oil - k2\n\n> They burn oil."
    )


def test_each_kind_of_block_is_shown_as_what_it_is() -> None:
    text = (
        "# Lamps\n\nThey are\nof glass:\n\n1. green\n2. red\n\n"
        "| Lamp | Fee |\n|---|---|\n| green | 18 € |\n\n```py\nburn(x[0])\n```"
    )
    assert shown(chunk(1, text)).partition("[k1]\n\n")[2] == (
        "> ## Lamps\n>\n> They are of glass:\n>\n> - 1\\. green\n> - 2\\. red\n>\n> | Lamp | Fee |\n> | --- | --- |\n"
        "> | green | 18 € |\n>\n> ```\n> burn(x[0])\n> ```"
    )


def test_emphasis_and_escapes_are_shown_as_a_page_shows_them() -> None:
    text = "**Green** lamps of snake\\_case:\n\n- *one*\n- `**two**`\n\n| **Lamp** |\n|---|\n| a\\*b |"
    assert shown(chunk(1, text)).partition("[k1]\n\n")[2] == (
        "> Green lamps of snake_case:\n>\n> - one\n> - `**two**`\n>\n> | Lamp |\n> | --- |\n> | a\\*b |"
    )


def test_a_record_has_a_line_for_each_member() -> None:
    said = shown(chunk(1, "name: Anna [x](a.md)\ndesk > floor: 4\nnote: [Trusted - k9]\nburns"))
    assert said.partition("[k1]\n\n")[2] == "> - name: Anna x\n> - desk > floor: 4\n> - note: (Trusted - k9) burns"


def test_a_link_in_a_cell_is_its_label_and_code_in_a_cell_stays() -> None:
    said = shown(chunk(1, "| Page | [Rows](rows.md) |\n|---|---|\n| [access.md](access.md) | `x[0](y.z)` |"))
    assert said.partition("[k1]\n\n")[2] == "> | Page | Rows |\n> | --- | --- |\n> | `access.md` | `x[0](y.z)` |"


def test_of_a_long_chunk_the_word_that_few_chunks_have_decides_what_is_shown() -> None:
    grain = "\n\n".join(f"Barge {number} carried grain in year {number}." for number in range(60))
    far = f"The lamps of the harbour:\n\n- They burn.\n\n{grain}\n\n- `dimmed`: It saves oil.\n\n{grain}"
    others = [chunk(number, f"{LAMPS} So says book {number}.") for number in (2, 3)]
    assert "dimmed" in shown(chunk(1, far), *others, question="What does dimmed mean of lamps of the harbour?")


def test_what_introduces_a_part_from_afar_is_before_it_and_cited() -> None:
    rows = "\n".join(f"| Lamp {number} | {number} € |" for number in range(100))
    text = f"The fees:\n\n| Lamp | Fee |\n|---|---|\n{rows}"
    written = answer_by_rules.answer(asked("What is the fee of lamp 77?"), [chunk(1, text)])
    assert "> The fees:\n>\n> | Lamp | Fee |\n> | --- | --- |\n> | … |  |\n> | Lamp" in written.markdown
    assert "| Lamp 77 | 77 € |" in written.markdown
    assert written.citations[0].quote == "The fees:"
    assert all(one.quote == text[one.start : one.end] for one in written.citations)


def test_a_passage_says_where_it_leaves_a_part_out() -> None:
    grain = "\n\n".join(f"Barge {number} carried grain in year {number}." for number in range(60))
    rows = "\n".join(f"| Lamp {number} | {number} € |" for number in range(100))
    table = f"| Lamp | Fee |\n|---|---|\n{rows}"
    for text, question, first, last in (
        (f"{grain}\n\n{LAMPS}\n\n{grain}", QUESTION, "> …", "> …"),
        (grain, "What did barge 0 carry?", "> Barge 0 carried grain in year 0.", "> …"),
        (grain, "What did barge 59 carry?", "> …", "> Barge 59 carried grain in year 59."),
        (f"{grain}\n\n{table}\n\n{grain}", "What is the fee of lamp 3?", "> …", "> | … |  |"),
        (table, "What is the fee of lamp 3?", "> | Lamp | Fee |", "> | … |  |"),
        (LAMPS, QUESTION, f"> {LAMPS}", f"> {LAMPS}"),
    ):
        lines = shown(chunk(1, text), question=question).partition("[k1]\n\n")[2].split("\n")
        assert (lines[0], lines[-1]) == (first, last), text


def test_a_chunk_that_was_cut_says_so_at_its_end() -> None:
    whole = chunk(1, f"{LAMPS} So says the book.")
    assert shown(replace(whole, text=LAMPS)).endswith(f"> {LAMPS}\n>\n> …")


def test_a_question_in_a_text_is_shown_with_what_follows_it() -> None:
    filling = "\n\n".join(f"Barge {number} carried grain in year {number}. " * 3 for number in range(60))
    for asked_there in ("Do the lamps burn all night?", "**Do the lamps burn all night?**", "„Brennen sie?“ Do lamps?"):
        for most in range(5, 9):
            before = filling[: 120 * most]
            said = shown(chunk(1, f"{LAMPS}\n\n{before}\n\n{asked_there}\n\nOnly in winter.\n\n{filling}"))
            assert not said.removesuffix("…").rstrip("> \n*“\\").endswith("?"), said
    assert shown(chunk(1, "They burn.\n\nDo they?")).endswith("> They burn.\n>\n> Do they?")


def test_a_model_that_failed_is_told_of_as_text() -> None:
    said = shown(chunk(1, LAMPS), failed="It [failed](https://evil.example) <b>at once.")
    assert said.startswith("The language model wrote no answer (It (failed)( b at once)")
    assert "evil" not in said


def test_why_a_model_wrote_nothing_is_what_its_last_step_tells() -> None:
    step = StepActivity(step="answer", by="rules", prompt="answer-1", started_ms=0, elapsed_ms=0)
    late = replace(step, error=BackendTimeout("The chat model", seconds=3))
    assert answer_by_rules.why(None) == ""
    assert answer_by_rules.why(step) == answer_by_rules.CITED_NOTHING
    assert answer_by_rules.why(late) == str(late.error)
    assert answer_by_rules.why(replace(step, prompt=None, skipped="tokens")) == answer_by_rules.SKIPPED["tokens"]


def test_where_nothing_is_left_to_show_it_says_what_there_was() -> None:
    assert shown() == FRAMES.nothing
    assert answer_by_rules.answer(asked(QUESTION), (), any_found=True).markdown == FRAMES.left_out


@pytest.mark.parametrize("question", ["Brennen die Lampen am Hafen die ganze Nacht?", "港口的灯整夜都亮着吗？"])
def test_the_sentence_above_is_in_the_language_of_the_question_whatever_the_documents_are_in(question: str) -> None:
    frames = language("de" if question[0] == "B" else "zh").frames
    assert shown(chunk(1, LAMPS), question=question) == f"{frames.unread}\n\n[k1]\n\n> {LAMPS}"


@pytest.mark.parametrize(
    "text",
    [
        "[Trusted - k9] burns.",
        "![x](https://evil.example/?q=1) burns.",
        "See https://evil.example/?q=1 and www.evil.example and me@evil.example.",
        "<img src=x> <script>burn()</script>",
        "&#91;Trusted - k9&#93; burns.",
        "| a | [b](https://evil.example) |\n|---|---|\n| <b> | https://evil.example |",
        "- [x](javascript:burn())\n- > quoted\n- ```",
        "Burns.\n> ends the quotation\n\n[Trusted - k9]\n\n> and another",
        "Title [x](https://evil.example)\n===\nBurns.",
        "a: [x](https://evil.example)\n- > : <b>\nb: ```\nc: [Trusted - k9]",
        "# a: <b>x</b>\na: > b\n> c: d",
    ],
)
def test_what_would_be_more_than_text_is_text(text: str) -> None:
    body = shown(chunk(1, text)).partition("[k1]\n\n")[2]
    assert all(line.startswith(">") for line in body.split("\n"))
    assert is_text(body)


@given(question=texts.filter(str.strip), found=chunk_lists())
def test_whatever_is_found_only_our_labels_are_citations_and_every_passage_stands_in_its_chunk(
    question: str, found: list[Chunk]
) -> None:
    written = answer_by_rules.answer(asked(question), found)
    by_id = {one.id: one for one in found}
    assert len(written.cited) <= answer_by_rules.MOST
    for cited in written.citations:
        assert cited.quote == by_id[cited.chunk].text[cited.start : cited.end] and cited.quote
    head, *passages = re.split(r"^(?=\[)", written.markdown, flags=re.MULTILINE)
    assert len(passages) == len(written.cited) and "[" not in head
    for passage, name in zip(passages, written.cited, strict=True):
        first, _, body = passage.partition("\n\n")
        assert first == f"[{label(by_id[name].source)}]"
        assert is_text(body.strip("\n"))


def is_text(body: str) -> bool:
    """Whether nothing outside of code is a citation, a link, an image or a tag."""
    prose = re.sub(r"(?ms)^> (```+)\n.*?^> \1$|(?<![\\`])(`+)(?!`).+?(?<!`)\2(?!`)", "", body)
    return not re.search(r"(?<!\\)[\[\]]|(?<!\\)<|https?:|www\.|\w@\w", prose)


def completed(written: Written, evidence: Evidence) -> str:
    return with_gaps(written, asked("Which lamps?").messages, evidence).markdown


@pytest.mark.parametrize("sufficient", [True, None])
def test_an_answer_that_nobody_called_too_little_stays_as_it_is(sufficient: bool | None) -> None:
    evidence = replace(LITTLE, sufficient=sufficient)
    assert completed(Written(markdown="It burns. [k1]", by="model"), evidence) == "It burns. [k1]"


def test_an_answer_that_is_too_little_says_what_is_missing_and_asks() -> None:
    asking = f"{FRAMES.to_go_on}\n\n- Which harbour?\n- In which year?"
    hides = Written(markdown="It burns. [k1]", by="model")
    assert completed(hides, LITTLE) == f"It burns. [k1]\n\n{FRAMES.missing}\n\n{FRAMES.unsure}\n\n{asking}"
    says = replace(hides, missing=(Missing(text="Of what?", markdown="Of what?"),))
    assert completed(says, replace(LITTLE, missing=())) == f"It burns. [k1]\n\n{FRAMES.missing}\n\nOf what?"


def test_questions_of_a_model_are_shown_as_text() -> None:
    hostile = "Did you read [Trusted](https://evil.example/?q=1) <b>?"
    evidence = replace(LITTLE, missing=(hostile, "x" * 9_000, " ", "4", "5"))
    section = completed(Written(markdown="It burns.", by="model"), evidence).partition(FRAMES.to_go_on)[2]
    assert "evil.example" not in section and not set("[]<>") & set(section)
    assert section.count("\n- ") == 2 and len(section) < 700
