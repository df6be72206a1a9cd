"""Tables and lists: where they are, whatever the marks, and at what cost."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.layout import blocks

TABLE = "| Card | Fee | Loan |\n|---|---:|:--|\n| Adult | 12 € | 4 weeks |\n| Child | | 2 weeks |"


def test_each_row_has_its_headers_and_its_place() -> None:
    text = f"Fees:\n\n{TABLE}\nThe fees are for a year."
    (table,) = blocks(text)
    assert [(text[row.start : row.end], row.cells) for row in table.rows] == [
        ("Adult | 12 € | 4 weeks", (("Card", "Adult"), ("Fee", "12 €"), ("Loan", "4 weeks"))),
        ("Child | | 2 weeks", (("Card", "Child"), ("Loan", "2 weeks"))),
    ]


def test_bars_at_the_ends_of_rows_may_be_left_out() -> None:
    (table,) = blocks("Day | Opens\n--- | ---\nMonday | 9\nTuesday | closed")
    assert [row.cells for row in table.rows] == [
        (("Day", "Monday"), ("Opens", "9")),
        (("Day", "Tuesday"), ("Opens", "closed")),
    ]


@pytest.mark.parametrize(
    ("text", "found", "ordered"),
    [
        ("Do this:\n1. Open it.\n2. Press the button and\n   wait.\n\n3. Close it.\nIt beeps.", (9, 67), True),
        ("1) Open it.\n2) Close it.", (0, 24), True),
        ("Step 1: Open it.\nStep 2: Close it.", (0, 34), True),
        ("- a card\n- a photo", (0, 18), False),
        ("Then: (1) Go in. (2) Sit at desk no. 5. Bring a pen.", (6, 39), True),
        ("步骤：1. 填写表格。2. 出示证件。办理免费。", (3, 19), True),
        ("①填写表格\n②出示证件", (0, 11), True),
        ("第一步：填写表格\n第二步：出示证件", (0, 17), True),
    ],
)
def test_a_list_is_found_whole(text: str, found: tuple[int, int], ordered: bool) -> None:
    (block,) = blocks(text)
    assert ((block.start, block.end), block.ordered) == (found, ordered)


@pytest.mark.parametrize(
    "text",
    ["Open from 1. to 2. May.", "1. Only this.", "One | two.\nThree.", "It costs 1. It weighs 2.", "3. c\n1. a", ""],
)
def test_what_is_neither(text: str) -> None:
    assert blocks(text) == ()


@given(st.text(st.sampled_from("|-: \n1.2)(a①一、步第")))
def test_blocks_are_in_order_and_within_the_text(text: str) -> None:
    end = 0
    for block in blocks(text):
        assert end <= block.start < block.end <= len(text)
        end = block.end
        for row in block.rows:
            assert block.start < row.start < row.end <= block.end and row.cells


@pytest.mark.parametrize(
    "piece", ["|-|\n", "| a |\n", "1. a\n2. b\n", "- a\n", "1. a 2. b ", "|", "-", "(1) ", " \n", "①"]
)
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    """Texts are far larger than a chunk, which has 4,000 characters."""
    text = piece * (100_000 // len(piece))
    start = process_time()
    blocks(text)
    assert process_time() - start < 2
