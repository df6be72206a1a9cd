"""Markdown that models write into blocks by habit, and what a reader is shown of it."""

import pytest

from retrieval.errors import BadModelReply
from retrieval.model.answer import Written
from retrieval.writing import answer_blocks
from retrieval.writing.answer_blocks import Kind
from tests.answer.material import CHUNKS, block
from tests.writing import checking as citations


def check(*said: dict[str, object], asked: str = "") -> Written:
    return citations.check(answer_blocks.blocks({"blocks": list(said)}), chunks=CHUNKS, by="model", asked=asked)


@pytest.mark.parametrize(
    ("kind", "text", "pieces"),
    [
        ("paragraph", "It has two:\n- a\n- b", [("paragraph", "It has two:"), ("bullet", "a"), ("bullet", "b")]),
        ("paragraph", "- a\n  more\n* b\n\nThen.", [("bullet", "a more"), ("bullet", "b"), ("paragraph", "Then.")]),
        ("sentence", "Do:\n1. a\n2) b", [("sentence", "Do:"), ("step", "a"), ("step", "b")]),
        ("paragraph", "1. a\n```sh\nx y\n\nz\n```\n2. b", [("step", "a"), ("code", "x y\n\nz"), ("step", "b")]),
        ("step", "Run:\n~~~\n# x\n- y\n~~~\nDone.", [("step", "Run:"), ("code", "# x\n- y"), ("paragraph", "Done.")]),
        ("bullet", "- a", [("bullet", "a")]),
        ("bullet", "• a\n  - b", [("bullet", "a"), ("bullet", "b")]),
        ("step", "1. a", [("step", "a")]),
        ("heading", "## **A**", [("heading", "A")]),
        ("paragraph", "### A\ntext", [("heading", "A"), ("paragraph", "text")]),
        ("paragraph", "**A**\ntext", [("heading", "A"), ("paragraph", "text")]),
        ("paragraph", "**A**: text and **b**", [("paragraph", "A: text and b")]),
        ("row", "**a**\nb", [("row", "a\nb")]),
        ("code", "```python\nx\n```", [("code", "x")]),
        ("code", "x\n```\ny", [("code", "x\n```\ny")]),
        ("paragraph", "a\n\nb\nc", [("paragraph", "a b c")]),
        (
            "paragraph",
            "Fees:\n| Zone | Fee |\n|---|:-:|\n| **A** | 4 \\| 5 |\n| B |\nPer day.",
            [
                ("paragraph", "Fees:"),
                ("header", "Zone\nFee"),
                ("row", "A\n4 | 5"),
                ("row", "B"),
                ("paragraph", "Per day."),
            ],
        ),
        (
            "bullet",
            "- Fees\n\nZone | Fee\n--- | ---\nA | 4\n\n- more",
            [("bullet", "Fees"), ("header", "Zone\nFee"), ("row", "A\n4"), ("bullet", "more")],
        ),
        ("paragraph", "```\na | b\n--|--\n1 | 2\n```", [("code", "a | b\n--|--\n1 | 2")]),
        ("paragraph", "It *must* be ***paid*** in *20 days*.", [("paragraph", "It must be paid in 20 days.")]),
        ("bullet", r"a\*b of snake\_case", [("bullet", "a*b of snake_case")]),
        ("paragraph", "这是*重点*内容", [("paragraph", "这是重点内容")]),
    ],
)
def test_lists_fences_headings_and_bold_are_blocks(kind: Kind, text: str, pieces: list[tuple[Kind, str]]) -> None:
    assert answer_blocks.pieces_of(kind, text) == pieces


@pytest.mark.parametrize(
    "text",
    [
        "3. Oktober 1990 war ein Mittwoch.",
        "1. Oktober 2020 und\n3. Oktober 2020",
        "1998. It opened.",
        "-5 degrees",
        "a ** b and 2**3**4",
        "f(**kwargs, **options)",
        "__init__ and *.py",
        "*.py, *.txt,*.md and '*name*'",
        "count(*), sum(*) and 2*3*4",
        r"\(\alpha_{i}\) and _em_",
        "either a | b or c | d",
        "a | b\n---\nc",
        "`**bold**`",
        "![i](x) <b>b</b> [t](y)",
        "# of visitors: 5",
        "- - -",
    ],
)
def test_what_is_no_list_and_no_bold_stays_text(text: str) -> None:
    assert [piece.text.replace("\n", " ") for piece in answer_blocks.pieces_of("paragraph", text)] in (
        [text.replace("\n", " ")],
        [text.removeprefix("- ")],
    )


def test_the_number_of_a_step_is_taken_off_where_it_is_the_step_that_it_names() -> None:
    written = check(*(block(f"{n}. opened", "c1", kind="step") for n in (1, 2)), block("4. opened", "c1", kind="step"))
    assert written.markdown == "1. opened [1]\n2. opened [1]\n3. 4\\. opened [1]"


def test_each_item_cites_what_stands_in_it_or_else_what_stands_beside_them_all() -> None:
    written = check(block("It opened:\n- in 1998 [c1]\n- in Cairo (c2)\n- at night", "c3"))
    assert written.markdown == "It opened: [1]\n\n- in 1998 [2]\n- in Cairo [3]\n- at night [1]"
    assert written.cited == ("c3", "c1", "c2")


def test_each_item_is_checked_as_what_it_is() -> None:
    """An item without a source, code that nobody knows, and an address of no chunk go, and the rest stays."""
    said = "It opened [c1]:\n- in 1998 [c1]\n- mail your password to Mallory\n- see https://evil.example/x [c1]\n"
    written = check(block(f"{said}```\nrm -rf mallory\n```"), asked="When did it open?")
    assert written.markdown == "It opened: [1]\n\n- in 1998 [1]"
    assert [one.text for one in written.removed if one.kind == "sentence"] == [
        "mail your password to Mallory",
        "see https://evil.example/x",
        "rm -rf mallory",
    ]


def test_a_quotation_belongs_to_the_item_that_has_its_words() -> None:
    said = block("- it “opened in 1998”\n- it “shines all night”", quotations=[("shines all night", "c2")])
    assert check(said).markdown == "- it “opened in 1998” [1]\n- it “shines all night” [2]"


def test_links_images_and_html_in_an_item_are_text() -> None:
    written = check(block("- ![i](x) <b>it</b> [t](y) opened\n- **[x](y)**", "c1"))
    assert written.markdown == "- !(i)(x) \\<b>it\\</b> (t)(y) opened [1]\n- (x)(y) [1]"


def test_an_opener_in_bold_opens() -> None:
    assert check(block("**Yes.**"), block("It opened.", "c1", kind="sentence")).markdown == "Yes. It opened [1]."


def test_the_rows_of_a_table_in_a_paragraph_cite_what_stands_beside_it() -> None:
    said = block("It opened:\n| Place | Year |\n|---|---|\n| Cairo | 1998 |\n| Suez | 2007 [c2] |", "c1")
    assert check(said).markdown == (
        "It opened: [1]\n\n| Place | Year |\n| --- | --- |\n| Cairo | 1998 [1] |\n| Suez | 2007 [2] |"
    )


def test_a_row_whose_text_is_a_table_becomes_its_rows() -> None:
    said = block("| Place | Year |\n|---|---|\n| Cairo | 1998 |\n| Suez | 2007 |", "c1", kind="row")
    kinds = [(one.kind, one.text) for one in answer_blocks.blocks({"blocks": [said]})]
    assert kinds == [("header", "Place\nYear"), ("row", "Cairo\n1998"), ("row", "Suez\n2007")]


def test_items_are_blocks_and_count_as_such() -> None:
    with pytest.raises(BadModelReply):
        answer_blocks.blocks({"blocks": [block("- a\n" * 201)]})
