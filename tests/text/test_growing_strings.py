"""A list that is still being written says the same in whatever pieces it comes, and what the whole JSON says."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.growing_object import LONGEST_OPENING, GrowingObject
from tests.laws import law

LONGEST: Final = 1_000
ODD: Final = [
    "",
    "{",
    '{"queries"',
    '{"queries": [',
    '"',
    "\\",
    ",",
    "]",
    "}",
    " ",
    "\n",
    "\\u00e9",
    "\\ud83d",
    "x",
    "1",
    "null",
]

strings = st.lists(st.text(max_size=20), max_size=8)
texts = st.lists(st.sampled_from(ODD) | st.text(max_size=5), max_size=30).map("".join) | strings.map(
    lambda items: json.dumps({"queries": items, "more": ["]"]})
)


def heard(pieces: Sequence[str]) -> list[str]:
    growing = GrowingObject(longest=LONGEST, strings="queries")
    return [inner.text for piece in pieces for inner in growing.feed(piece)]


@given(texts, st.lists(st.integers(0, 200)))
@law(500)
def test_pieces_say_what_the_whole_says(text: str, ends: list[int]) -> None:
    cuts = sorted({0, len(text), *(end for end in ends if end < len(text))})
    assert heard([text[start:end] for start, end in pairwise(cuts)]) == heard([text]) == heard(list(text))


@given(strings, st.booleans(), st.sampled_from([None, 2]))
@law(300)
def test_it_says_what_a_parser_of_the_whole_says(items: list[str], ascii: bool, indent: int | None) -> None:
    text = json.dumps({"queries": items, "filter": "x", "sources": ["y"]}, ensure_ascii=ascii, indent=indent)
    assert heard([text]) == (items if len(text) <= LONGEST else heard([text]))


def test_a_string_is_said_with_the_piece_that_ends_it() -> None:
    growing = GrowingObject(longest=LONGEST, strings="queries")
    assert [
        tuple(inner.text for inner in growing.feed(piece)) for piece in ('{"queries": ["ro', 'ads"', ', "', 'rivers"]}')
    ] == [
        (),
        ("roads",),
        (),
        ("rivers",),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"queries": ["a", 1, "b"]}', ["a"]),
        ('{"queries": ["a", ["b"]]}', ["a"]),
        ('{"queries": ["a" "b"]}', ["a"]),
        ('{"queries": ["a",, "b"]}', ["a"]),
        ('{"queries": ["a", "b\n"]}', ["a"]),
        ('{"queries": ["a", "\\q", "b"]}', ["a"]),
        ('{"queries": ["a"], "queries": ["b"]}', ["a"]),
        ('{"queries": ["a"]} {"queries": ["b"]}', ["a"]),
        ('{"queries": {"queries": ["a"]}}', []),
        ('{"first": 1, "queries": ["a"]}', []),
        ('["queries", ["a"]]', []),
        ('Sure: {"queries": ["a"]}', []),
        ("[" * 900, []),
        ('{"queries": [' + "[" * 900, []),
        (" " * LONGEST_OPENING + '{"queries": ["a"]}', []),
        ('{"queries": ["a", "' + "x" * LONGEST + '", "b"]}', ["a"]),
    ],
)
def test_it_stops_at_what_is_no_list_of_strings(text: str, said: list[str]) -> None:
    assert heard([text]) == heard(list(text)) == said
