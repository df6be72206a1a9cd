"""What a model selects of a retrieval: known ids and new queries alone, whatever its reply holds."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.model.retrieval import PlannedQuery
from retrieval.retrieve import retrieve_documents
from retrieval.retrieve.grounding import Selection
from tests.answer.material import chunks_of, json_values

CHUNKS = chunks_of([f"Text number {number}." for number in range(1, 13)])
SEARCHED = (PlannedQuery(query="roads along rivers"),)


def reply(selected: object = ("c1",), sufficient: object = True, follow_ups: object = ()) -> str:
    return json.dumps({"selected": selected, "is_sufficient": sufficient, "follow_ups": follow_ups})


def read(text: str) -> Selection:
    return retrieve_documents.read_selection(text, chunks=CHUNKS, searched=SEARCHED)


def test_known_ids_in_the_order_of_the_reply_come_first() -> None:
    keys = {chunk.id: chunk.reference.key for chunk in CHUNKS}
    assert read(reply(["c3", "c99", "[c1]", "c3", None])).first == (keys["c3"], keys["c1"])
    assert len(read(reply([chunk.id for chunk in CHUNKS])).first) == retrieve_documents.MOST_SELECTED


def test_what_was_searched_is_not_searched_again_and_three_follow_ups_are_enough() -> None:
    asked = ["The rivers along roads", "tolls", "Tolls?", " ", "the bridges", "ferries", "fords"]
    assert [query.query for query in read(reply(sufficient=False, follow_ups=asked)).follow_ups] == [
        "tolls",
        "the bridges",
        "ferries",
    ]
    assert read(reply(sufficient=True, follow_ups=asked)).follow_ups == ()
    assert len(read(reply([], sufficient=True, follow_ups=asked)).follow_ups) == 3


@pytest.mark.parametrize("text", ["", "[]", "{}", reply(selected="c1"), reply(sufficient=1), "[" * 100_000])
def test_a_useless_reply_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        read(text)


@given(json_values, st.booleans(), json_values)
def test_whatever_a_reply_holds_only_chunks_of_the_call_come_first(
    selected: object, sufficient: bool, follow_ups: object
) -> None:
    with contextlib.suppress(BadModelReply):
        found = read(reply(selected, sufficient, follow_ups))
        assert set(found.first) <= {chunk.reference.key for chunk in CHUNKS}
        assert len(found.follow_ups) <= retrieve_documents.MOST_FOLLOW_UPS
