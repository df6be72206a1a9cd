"""The answer as a model writes it: what is taken of a reply."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.model.conversation import LONGEST_BOUNDED_TEXT
from retrieval.writing import answer_blocks
from retrieval.writing.answer_blocks import Block, Quotation
from tests.answer.material import TODAY, block, chunks_of, json_values, replies, request

shaped = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys(("kind", "text", "chunk_ids", "quotations"), json_values))
).map(lambda items: json.dumps({"blocks": items}))


@given(replies("blocks", "answer") | shaped)
def test_any_reply_gives_an_answer_within_its_limits_or_is_refused(text: str) -> None:
    try:
        found = answer_blocks.read(text)
    except BadModelReply:
        return
    assert found and sum(len(one.text) for one in found) <= answer_blocks.LONGEST_ANSWER
    assert all(one.text.strip() and len(one.chunks) <= answer_blocks.MOST_NAMED for one in found)


def test_a_reply_becomes_blocks() -> None:
    reply = [block("It\nopened.", "c1", "[C02]", kind="bullet", quotations=[("opened", "c1")]), block(" ", "c1")]
    (found,) = answer_blocks.read(json.dumps({"blocks": reply}))
    assert found == Block(
        kind="bullet", text="It opened.", chunks=("c1", "c2"), quotations=(Quotation(text="opened", chunk="c1"),)
    )


def test_code_keeps_its_lines() -> None:
    (found,) = answer_blocks.read(json.dumps({"blocks": [block("\nif x:\r\n\ty[c1]\n", kind="code")]}))
    assert (found.kind, found.text, found.chunks) == ("code", "if x:\n\ty[c1]", ())


def test_a_kind_that_there_is_not_is_a_paragraph() -> None:
    (found,) = answer_blocks.read(json.dumps({"blocks": [block("It opened.", kind="image")]}))
    assert found.kind == "paragraph"


@pytest.mark.parametrize(
    "reply",
    [
        {"answer": "It opened in 1998 [c1]."},
        {"blocks": "It opened in 1998 [c1]."},
        {"blocks": None},
        {"blocks": []},
        {"blocks": ["It opened in 1998 [c1]."]},
        {"blocks": [block(text) for text in ("", " \n", "[c1]", "—", "\x00", "\ud83d")]},
        {"blocks": [{"kind": "paragraph", "chunk_ids": ["c1"]}]},
        {"blocks": [block("x" * 20_001)]},
        {"blocks": [block("x" * 101)] * 200},
        {"blocks": [block("x")] * 201},
        {"blocks": [block("x", quotations=[("x" * 20_001, "c1")])]},
    ],
)
def test_a_useless_answer_is_refused(reply: object) -> None:
    with pytest.raises(BadModelReply):
        answer_blocks.read(json.dumps(reply))


def test_an_answer_of_any_script_is_taken_to_its_full_length() -> None:
    text = "字" * answer_blocks.LONGEST_ANSWER
    assert [one.text for one in answer_blocks.read(json.dumps({"blocks": [block(text)]}))] == [text]


def test_what_nobody_sees_is_no_part_of_a_text() -> None:
    (found,) = answer_blocks.read(json.dumps({"blocks": [block("a\x00\u202eb\u200b \u2028c\ud83d\td")]}))
    assert found.text == "ab c\ufffd d"


def test_of_a_text_that_a_server_cut_the_whole_sentences_are_kept_once() -> None:
    text = ("The lamp burns. It smokes. " * 60)[:LONGEST_BOUNDED_TEXT]
    said = {"kind": "paragraph", "text": text, "chunk_ids": ["c1"]}
    (block,) = answer_blocks.blocks({"blocks": [said]})
    assert block.text == "The lamp burns. It smokes."
    (word,) = answer_blocks.blocks({"blocks": [{**said, "text": "y" * LONGEST_BOUNDED_TEXT}]})
    assert word.text.endswith("y…")
    whole = ("It smokes. " + "The lamp burns. " * 60)[: LONGEST_BOUNDED_TEXT - 12] + " It is lit."
    (kept,) = answer_blocks.blocks({"blocks": [{**said, "text": whole.rjust(LONGEST_BOUNDED_TEXT, "x")}]})
    assert kept.text.endswith(" It is lit.")


def test_the_chunks_stand_in_the_prompt_under_their_ids() -> None:
    chunks = chunks_of(["It opened in 1998.", "It closed."])
    prompt = answer_blocks.prompt(request(), chunks, today=TODAY, queries=("plant",))
    assert '<chunk-5f0c9a id="c1" source="T1 - k1">It opened in 1998.</chunk-5f0c9a>' in prompt.data


def test_cells_are_of_rows_alone_and_quotations_of_blocks_that_quote() -> None:
    """No two shapes begin with the same member, which OpenAI's strict mode refuses."""
    schema: Any = answer_blocks.SCHEMA
    shapes = schema["properties"]["blocks"]["items"]["anyOf"]
    assert [list(shape["properties"]) for shape in shapes] == [
        ["kind", "text", "chunk_ids"],
        ["cells", "kind", "chunk_ids"],
        ["quotations", "kind", "text", "chunk_ids"],
    ]
    assert [("row" in shape["properties"]["kind"]["enum"]) for shape in shapes] == [False, True, False]
    said = {"cells": ["1998", "2011"], "kind": "row", "chunk_ids": ["c1"]}
    (found,) = answer_blocks.read(json.dumps({"blocks": [said]}))
    assert (found.kind, found.text, found.chunks) == ("row", "1998\n2011", ("c1",))
