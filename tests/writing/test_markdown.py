"""Markdown made of blocks: what each kind is written as, and that a text is nothing but text."""

import pytest

from retrieval.writing import answer_blocks
from retrieval.writing.answer_blocks import Kind
from retrieval.writing.markdown import Part, markdown, shown
from tests.answer.material import CHUNKS, block
from tests.writing import checking as citations


def said(*parts: tuple[Kind, str], sources: tuple[str, ...] = ()) -> str:
    return markdown([Part(kind=kind, text=text, sources=sources) for kind, text in parts])


@pytest.mark.parametrize(
    ("parts", "written"),
    [
        ([("paragraph", "A."), ("sentence", "B."), ("paragraph", "C.")], "A. B.\n\nC."),
        ([("paragraph", "甲。"), ("sentence", "乙。")], "甲。乙。"),
        ([("sentence", "A."), ("sentence", "B.")], "A. B."),
        ([("bullet", "a."), ("sentence", "b."), ("bullet", "c")], "- a. b.\n- c"),
        ([("step", "a"), ("code", "x"), ("step", "b"), ("heading", "T"), ("step", "c")], None),
        ([("heading", "T"), ("sentence", "A.")], "## T\n\nA."),
        ([("header", "a\nb"), ("row", "c\nd")], "| a | b |\n| --- | --- |\n| c | d |"),
        ([("header", "a\nb"), ("row", "c"), ("row", "d\ne\nf")], None),
        ([("row", "a\nb"), ("row", "c\nd")], "- a | b\n- c | d"),
        ([("code", "a\n\nb"), ("missing", "A.")], "```\na\n\nb\n```\n\nA."),
        ([("code", "```\na\n````")], "`````\n```\na\n````\n`````"),
    ],
)
def test_each_kind_has_its_form(parts: list[tuple[Kind, str]], written: str | None) -> None:
    others = {
        "step": "1. a\n\n```\nx\n```\n\n2. b\n\n## T\n\n1. c",
        "header": "| a | b |\n| --- | --- |\n| c |  |\n| d | e / f |",
    }
    assert said(*parts) == (others[parts[0][0]] if written is None else written)


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        ("paragraph", "A.", "A [S - k][T]."),
        ("paragraph", "A!", "A [S - k][T]!"),
        ("paragraph", "A", "A [S - k][T]"),
        ("paragraph", "甲。", "甲[S - k][T]。"),
        ("paragraph", "길이 있다.", "길이 있다 [S - k][T]."),
        ("heading", "A", "## A [S - k][T]"),
        ("code", "a", "```\na\n```\n\n[S - k][T]"),
    ],
)
def test_what_is_cited_stands_within_the_sentence_each_source_once(kind: Kind, text: str, written: str) -> None:
    assert said((kind, text), sources=("S - k", "T", "S - k")) == written


@pytest.mark.parametrize(
    ("parts", "written"),
    [
        ([("paragraph", "A.", "1"), ("sentence", "B.", "1"), ("sentence", "C.", "1")], "A. B. C [1]."),
        ([("paragraph", "A.", "12"), ("sentence", "B.", "21"), ("sentence", "C.", "1")], "A. B [2][1]. C [1]."),
        ([("paragraph", "A.", "1"), ("sentence", "B.", ""), ("sentence", "C.", "1")], "A [1]. B. C [1]."),
        ([("paragraph", "A.", "1"), ("paragraph", "B.", "1")], "A [1].\n\nB [1]."),
        ([("bullet", "A.", "1"), ("sentence", "B.", "1"), ("bullet", "C.", "1")], "- A. B [1].\n- C [1]."),
        ([("heading", "A", "1"), ("sentence", "B.", "1")], "## A [1]\n\nB [1]."),
        ([("code", "a", "1"), ("sentence", "B.", "1")], "```\na\n```\n\n[1]\n\nB [1]."),
    ],
)
def test_equal_citations_of_a_paragraph_stand_once(parts: list[tuple[Kind, str, str]], written: str) -> None:
    said = [block(text, *(f"c{number}" for number in cited), kind=kind) for kind, text, cited in parts]
    answer = citations.check(answer_blocks.blocks({"blocks": said}), chunks=CHUNKS, by="model", asked="a b")
    assert answer.markdown == written


def test_a_label_does_not_break_the_row_of_a_table() -> None:
    assert said(("header", "a"), ("row", "x"), sources=("P | H",)).endswith("| x [P \\| H] |")
    assert said(("paragraph", "x"), sources=("P | H",)) == "x [P | H]"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a*b* _c_ d_e ~f~ \\g", "a\\*b\\* \\_c\\_ d_e \\~f\\~ \\\\g"),
        ("<b> &amp; & AT&T 1 < 2", "\\<b> \\&amp; & AT&T 1 \\< 2"),
        ("[a](b) ![c](d)", "(a)(b) !(c)(d)"),
        ("Run `az login` or `x[0]`.", "Run `az login` or `x[0]`."),
        ("A `b` and ` alone.", "A `b` and \\` alone."),
        ("See evil.example/?q=1, setup.py (and Node.js).", "See `evil.example/?q=1`, `setup.py` (and `Node.js`)."),
        ("`a`evil.example", "`aevil.example`"),
        ("e.g. the U.S. rose 3.5 points... and/or fell", "e.g. the U.S. rose 3.5 points... and/or fell"),
        ("https://a.example/x_y_z.", "<https://a.example/x_y_z>."),
        ("(ftp://a.example) //a.example me@a.example", "(`ftp://a.example`) `//a.example` <me@a.example>"),
    ],
)
def test_a_text_is_nothing_but_text(text: str, written: str) -> None:
    assert shown(text) == written


@pytest.mark.parametrize("text", ["# a", "- a", "+ a", "---", "- - -", "1. a", "1998.", "12) a", "> a", "#"])
def test_no_text_begins_a_block(text: str) -> None:
    for line, marks in ((said(("paragraph", text)), ""), (said(("bullet", text)), "- ")):
        assert "\\" in line and line.replace("\\", "") == marks + text
