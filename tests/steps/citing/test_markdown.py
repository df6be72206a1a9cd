"""Blocks of Markdown: what is code, what is prose, and how code is written so that nobody sees it otherwise."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.steps.citing.markdown import blocks, joined

lines = st.lists(
    st.sampled_from(
        ["```", "~~~", "````", "- ", "> ", "    ", "  ", "1. ", "# ", "a", "| a | b |", "|---|---|", "---", "\t"]
    )
    | st.text(max_size=5),
    max_size=6,
).map("".join)
texts = st.lists(lines, max_size=8).map("\n".join)


def kinds(text: str) -> list[str]:
    return [one.kind for one in blocks(text)]


@given(texts)
def test_what_was_written_once_is_the_same_blocks_again(text: str) -> None:
    once = joined(blocks(text))
    assert joined(blocks(once)) == once


@given(st.text().filter(lambda text: re.search(r"(?m)^\W*[0-9]+[.)]\W*$", text) is None))
def test_no_word_is_lost(text: str) -> None:
    """The number of an item that says nothing is no word."""
    words = "".join(one for one in text if one.isalnum())
    left = "".join(one for one in joined(blocks(text)) if one.isalnum())
    assert left == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\nb\n\nc", ["text", "blank", "text"]),
        ("# a\nb", ["heading", "text"]),
        ("- a\n  b\n- c", ["item", "item"]),
        ("a\n- b", ["text", "item"]),
        ("a | b\n--|--\n1 | 2\nc", ["header", "delimiter", "row", "text"]),
        ("|a|\n|-|\n|1|\n\n|2|", ["header", "delimiter", "row", "blank", "row"]),
        ("```\na\n\nb\n```\nc", ["code", "text"]),
        ("```\na", ["code"]),
        ("``` a`b", ["text"]),
        ("> ```\n> a", ["text", "text"]),
        ("a\n---\nb\n***", ["text", "rule", "text", "rule"]),
        ("[x]: y\n[^1]: a b c\n[x]: a b c", ["definition", "definition", "text"]),
    ],
)
def test_lines_become_blocks(text: str, found: list[str]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("```\na", "```\na\n```"),
        ("  ```\na\n   b\n     ```", "  ```\n  a\n   b\n  ```"),
        ("- ```py\na\n```", "- ```py\n  a\n  ```"),
        ("a\n    ```\nb\n```", "a\n\n    ```\n    b\n    ```"),
        ("> ~~~\n> a", "> \\~~~\n> a"),
        ("a\x00b\u202ec\r\nd\u2028e", "abc\nd e"),
    ],
)
def test_code_is_within_its_fence_and_nothing_else_begins_one(text: str, written: str) -> None:
    assert joined(blocks(text)) == written
