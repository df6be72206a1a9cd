"""The blocks of a text: where they are, whatever the marks, what introduces what, and at what cost."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text import layout
from retrieval.text.layout import LayoutBlock, blocks

TABLE = "| Card | Fee | Loan |\n|---|---:|:--|\n| Adult | 12 € | 4 weeks |\n| Child | | 2 weeks |"


def kinds(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in blocks(text)]


def test_a_table_has_its_header_and_its_rows() -> None:
    text = f"Fees:\n\n{TABLE}\nThe fees are for a year."
    before, table, after = blocks(text)
    assert layout.introduces(text, before) and after.kind == "paragraph"
    assert layout.rows(text, table) == (
        ("Card", "Fee", "Loan"),
        ("Adult", "12 €", "4 weeks"),
        ("Child", "", "2 weeks"),
    )
    (first, second) = layout.parts(text, table)
    assert layout.rows(text, second) == (("Card", "Fee", "Loan"), ("Child", "", "2 weeks"))
    assert list(layout.joined([first, second])) == [table]


def test_bars_at_the_ends_of_rows_may_be_left_out() -> None:
    text = "Day | Opens\n--- | ---\nMonday | 9\nTuesday | a\\|b"
    (table,) = blocks(text)
    assert layout.rows(text, table) == (("Day", "Opens"), ("Monday", "9"), ("Tuesday", "a|b"))


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "1. Open it.\n2. Press it and\n   wait.\n\n3. Close it.",
            ("1. Open it.", "2. Press it and wait.", "3. Close it."),
        ),
        ("1) Open it.\n2) Close it.", ("1) Open it.", "2) Close it.")),
        ("- a card\n- a photo", ("a card", "a photo")),
        ("* a card:\n  * of paper\n* a photo", ("a card:", "of paper", "a photo")),
        ("①填写表格\n②出示证件", ("①填写表格", "②出示证件")),
    ],
)
def test_a_list_is_found_whole(text: str, items: tuple[str, ...]) -> None:
    (found,) = blocks(f"{text}\n\n")
    assert (found.kind, layout.items(text, found)) == ("list", items)


def test_a_list_is_divided_at_its_margin() -> None:
    text = "* a card:\n  * of paper\n  * of plastic\n* a photo"
    (found,) = blocks(text)
    assert [text[one.start : one.end] for one in layout.parts(text, found)] == [text[:37], "* a photo"]


def test_code_within_a_list_is_code_and_what_leads_to_it_introduces_it() -> None:
    text = "1. Install it:\n   ```bash\n   make run\n   ```\n2. Look at it."
    assert [kind for kind, _ in kinds(text)] == ["list", "code", "list"]
    first, code, _ = blocks(text)
    assert layout.introduces(text, first) and layout.code(text, code) == "make run"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```py\na\n\n  b\n```", "a\n\n  b"),
        ("~~~\n``` \na\n~~~~", "```\na"),
        ("```\nwithout an end\n", "without an end"),
        ("    a\n      b\n\n    c", "a\n  b\n\nc"),
    ],
)
def test_code_is_whole_and_without_its_fences(text: str, code: str) -> None:
    (found,) = blocks(text)
    assert (found.kind, layout.code(text, found), layout.parts(text, found)) == ("code", code, (found,))


@pytest.mark.parametrize("text", ["# Cards", "Cards\n=====", "Cards\n---"])
def test_a_heading_introduces_what_follows(text: str) -> None:
    whole = f"{text}\nThey are free."
    heading, body = blocks(whole)
    assert (heading.kind, body.kind) == ("heading", "paragraph")
    assert layout.introduces(whole, heading) and not layout.introduces(whole, body)


@pytest.mark.parametrize("text", ["One | two.\nThree.", "It costs 1. It weighs 2.", "Open from 1. to 2. May."])
def test_what_is_a_paragraph(text: str) -> None:
    assert kinds(text) == [("paragraph", text)]


def test_lines_with_a_name_and_a_value_are_the_members_of_a_record() -> None:
    text = "title: Crane 4\nlast > check: 3 May\nnote: It creaks. Oil it\nbefore winter."
    (record,) = blocks(text)
    assert layout.members(text, record) == (
        "title: Crane 4",
        "last > check: 3 May",
        "note: It creaks. Oil it before winter.",
    )
    parts = [text[one.start : one.end] for one in layout.parts(text, record)]
    assert parts == ["title: Crane 4", "last > check: 3 May", "note: It creaks.", "Oil it\nbefore winter."]


@pytest.mark.parametrize(
    "text",
    [
        "Note: it creaks.",
        "It creaks.\nNote: oil it.\nWhen: in May.",
        "At 10:30\nor 11:30",
        "It works so: oil.\nA crane that creaks needs: oil.",
    ],
)
def test_what_is_no_record_has_no_members(text: str) -> None:
    (paragraph,) = blocks(text)
    assert paragraph.kind == "paragraph" and not layout.members(text, paragraph)


_pieces = st.lists(
    st.sampled_from(
        [
            "| a | b |",
            "|---|---|",
            "- x",
            "1. y",
            "  more:",
            "",
            "```",
            "~~~py",
            "# h",
            "===",
            "    code",
            "Said. More.",
            "①z",
            "a > b: c. D",
        ]
    ),
    max_size=30,
).map("\n".join)


@given(_pieces | st.text(max_size=200))
def test_blocks_are_in_order_and_nothing_but_blanks_and_rules_is_between_them(text: str) -> None:
    found = blocks(text)
    at = 0
    for one in found:
        start = one.header[0] if one.kind == "table" else one.start
        assert at <= start and one.start < one.end <= len(text)
        assert not _said(text[at:start]) and text[one.start : one.end].strip()
        at = one.end
    assert not _said(text[at:])


def _said(text: str) -> set[str]:
    """The signs of a text without blanks, of whatever kind, and those of rules."""
    return {sign for sign in text if not sign.isspace()} - set("=-*_")


@given(_pieces)
def test_the_parts_of_a_block_are_all_of_it(text: str) -> None:
    for one in blocks(text):
        parts = layout.parts(text, one)
        said = "".join(text[part.start : part.end] for part in parts)
        whole = "".join(text[one.start : one.end].split())
        assert set("".join(said.split())) <= set(whole) and parts[-1].end == one.end and parts[0].start == one.start
        assert isinstance(one, LayoutBlock)


@pytest.mark.parametrize(
    "piece", ["- a\n", "| a | b |\n", "|-|\n", "```\n", "a:\n", "a: b\n", ":a: ", "1. x ", "# a\n", "    x\n\n", " "]
)
def test_time_grows_with_the_text(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = process_time()
    for one in blocks(text):
        layout.introduces(text, one)
        layout.members(text, one)
    assert process_time() - start < 2
