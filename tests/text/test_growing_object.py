"""An object that is still being written says the same in whatever pieces it comes, and what the whole JSON says."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.growing_object import GrowingObject, Inner
from tests.laws import law

LONGEST: Final = 1_000
ODD: Final = [
    "", "{", "[", '{"blocks": [', '"', "\\", ",", ":", "]", "}", " ", "\n", "\\u00e9", "\\ud83d", "x", "-1.5e3", "null",
    '{"a": {"b": [1]}}', '"c": ',
]  # fmt: skip

values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=5), values, max_size=5)
texts = st.lists(st.sampled_from(ODD) | st.text(max_size=5), max_size=30).map("".join) | objects.map(json.dumps)


def heard(pieces: Sequence[str]) -> list[Inner]:
    growing = GrowingObject(longest=LONGEST)
    return [inner for piece in pieces for inner in growing.feed(piece)]


@given(texts, st.lists(st.integers(0, 200)))
@law(500)
def test_pieces_say_what_the_whole_says(text: str, ends: list[int]) -> None:
    cuts = sorted({0, len(text), *(end for end in ends if end < len(text))})
    assert heard([text[start:end] for start, end in pairwise(cuts)]) == heard([text]) == heard(list(text))


@given(objects, st.booleans(), st.sampled_from([None, 2]))
@law(300)
def test_it_says_what_a_parser_of_the_whole_says(value: dict[str, object], ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    expected = [
        (name, isinstance(member, list), inner)
        for name, member in value.items()
        for inner in (member if isinstance(member, list) else [member])
        if isinstance(inner, dict)
    ]
    if len(text) <= LONGEST:
        assert [(inner.member, inner.is_item, json.loads(inner.text)) for inner in heard([text])] == expected


@given(objects, texts, st.integers(0, 300))
@law(300)
def test_what_comes_later_changes_nothing_about_what_was_said(value: dict[str, object], later: str, at: int) -> None:
    begun = json.dumps(value)[:at]
    said = heard([begun])
    assert heard([begun, later])[: len(said)] == said


def test_an_object_is_said_with_the_piece_that_ends_it() -> None:
    growing = GrowingObject(longest=LONGEST)
    assert growing.feed('{"blocks": [{"text": "a}') == ()
    assert [inner.text for inner in growing.feed('"}')] == ['{"text": "a}"}']
    assert growing.feed(', {"text"') == ()


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}]',
        'x {"a": {}}',
        '{"a" {}}',
        '{"a": 1, "a": {}}',
        '{"a": "b" {"c": 1}}',
        "{a: {}}",
        '{"a": [1 {}]}',
        '{"a": {',
        '```json\n{"a": {}}',
        '{"\\x": {}}',
        "{}{" + '"a": {}}',
    ],
)
def test_nothing_is_said_of_what_is_no_object_or_is_not_complete(text: str) -> None:
    assert heard([text]) == heard(list(text)) == []


def test_what_comes_after_the_longest_is_not_read() -> None:
    text = json.dumps({"a": {}, "b": "x" * LONGEST, "c": {}})
    assert [inner.member for inner in heard([text])] == ["a"]
