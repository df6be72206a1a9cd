"""The judge: what is kept of a reply, within every limit, and how contradictions are settled."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadModelReply
from retrieval.model.answer import KeyPoint
from retrieval.model.retrieval import PlannedQuery
from retrieval.steps import judge
from tests.call.material import TODAY, chunks_of, json_values, replies, request, told

CHUNKS = chunks_of([f"Text number {number}." for number in range(1, 13)])
MEMBERS = (
    "selected",
    "is_sufficient",
    "confidence",
    "key_points",
    "missing_info_questions",
    "more_is_useless",
    "follow_ups",
)


def reply(**said: Any) -> str:
    usual: dict[str, Any] = {
        "selected": [{"id": "c1", "rationale": "It says when."}],
        "is_sufficient": True,
        "confidence": 0.8,
        "key_points": [],
        "missing_info_questions": [],
        "more_is_useless": False,
        "follow_ups": [],
    }
    return json.dumps({**usual, **said})


shaped = st.fixed_dictionaries(
    {
        "selected": st.lists(st.fixed_dictionaries({"id": json_values, "rationale": json_values}), max_size=14),
        "is_sufficient": st.booleans(),
        "confidence": st.floats(-5, 5),
        "key_points": st.lists(st.fixed_dictionaries({"text": json_values, "ids": json_values}), max_size=14),
        "missing_info_questions": st.lists(json_values, max_size=6),
        "more_is_useless": json_values,
        "follow_ups": st.lists(st.fixed_dictionaries({"query": json_values, "goal": json_values}), max_size=6),
    }
).map(json.dumps)


@given(replies(*MEMBERS) | shaped, st.integers(1, 12))
def test_any_reply_gives_a_judgement_within_its_limits_or_is_refused(text: str, most: int) -> None:
    try:
        found = judge.read(text, chunks=CHUNKS, most=most)
    except BadModelReply:
        return
    evidence, ids = found.evidence, [one.chunk.id for one in found.selected]
    assert len(ids) == len(set(ids)) <= min(most, 8)
    assert all(one.chunk in CHUNKS and len(one.rationale) <= 500 for one in found.selected)
    assert evidence.confidence is not None and 0 <= evidence.confidence <= 1
    assert len(evidence.key_points) <= 8
    assert all(point.text and point.chunks for point in evidence.key_points)
    assert {name for point in evidence.key_points for name in point.chunks} <= {one.id for one in CHUNKS}
    assert len(evidence.missing) <= 3 and len(evidence.follow_ups) <= 3
    assert not (evidence.sufficient and (not ids or evidence.follow_ups))
    assert not (evidence.more_is_useless and (evidence.sufficient or evidence.follow_ups))
    assert evidence.by == "model"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 50_000,
        reply(confidence="high"),
        reply(confidence=True),
        reply(confidence=None),
        reply(confidence=float("nan")),
        reply(confidence=float("inf")),
        reply().replace("0.8", "1e999"),
        reply().replace("0.8", "9" * 400),
        reply(is_sufficient="true"),
        reply(selected={}),
        reply(key_points=None),
        "x" * 300_000,
    ],
)
def test_a_useless_reply_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        judge.read(text, chunks=CHUNKS, most=8)


def test_a_good_reply_is_read_without_notes() -> None:
    found = judge.read(
        reply(
            selected=[{"id": "c2", "rationale": "a"}, {"id": " [C1] ", "rationale": "b"}],
            key_points=[{"text": "It opened.", "ids": ["c2", "c1", "c2"]}],
        ),
        chunks=CHUNKS,
        most=8,
    )
    assert [(one.chunk.id, one.rationale) for one in found.selected] == [("c2", "a"), ("c1", "b")]
    assert found.evidence.key_points == (KeyPoint(text="It opened.", chunks=("c2", "c1")),)
    assert found.evidence.sufficient and found.evidence.confidence == 0.8
    assert found.notes == ()


def test_ids_that_are_unknown_or_repeated_are_dropped_with_a_note() -> None:
    names = ["c99", "c1", "c1", "1", "c01", "chunk c2", "c2"]
    found = judge.read(reply(selected=[{"id": name, "rationale": ""} for name in names]), chunks=CHUNKS, most=8)
    assert [one.chunk.id for one in found.selected] == ["c1", "c2"]
    assert found.notes == ("2 of 7 selected chunks were kept; the others were unknown, repeated or too many.",)


def test_a_key_point_keeps_the_ids_that_are_known_and_goes_when_none_is() -> None:
    points = [{"text": "a", "ids": ["c99", "c1"]}, {"text": "b", "ids": ["c99"]}, {"text": "", "ids": ["c1"]}, "c"]
    found = judge.read(reply(key_points=points), chunks=CHUNKS, most=8)
    assert found.evidence.key_points == (KeyPoint(text="a", chunks=("c1",)),)
    assert len(found.notes) == 1


def test_sufficient_without_a_selection_is_not_sufficient() -> None:
    found = judge.read(reply(selected=[], follow_ups=[{"query": "more", "goal": "all"}]), chunks=CHUNKS, most=8)
    assert not found.evidence.sufficient
    assert found.evidence.follow_ups == (PlannedQuery(query="more", goal="all"),)
    assert len(found.notes) == 1


def test_sufficient_evidence_needs_no_follow_up() -> None:
    found = judge.read(reply(follow_ups=[{"query": "more", "goal": ""}]), chunks=CHUNKS, most=8)
    assert found.evidence.sufficient and found.evidence.follow_ups == ()
    assert len(found.notes) == 1


@pytest.mark.parametrize(("said", "kept"), [(-0.5, 0.0), (1.5, 1.0), (85, 1.0)])
def test_a_confidence_out_of_range_is_brought_within_and_noted(said: float, kept: float) -> None:
    found = judge.read(reply(confidence=said), chunks=CHUNKS, most=8)
    assert found.evidence.confidence == kept
    assert len(found.notes) == 1


def test_texts_are_one_line_and_bounded() -> None:
    asked = ["What\nyear?\x00", "what year?", "w" * 5_000]
    found = judge.read(reply(is_sufficient=False, missing_info_questions=asked), chunks=CHUNKS, most=8)
    assert found.evidence.missing == ("What year?", "w" * 500)
    asked = ["Which road?", "", "What year?", "which road?"]
    found = judge.read(reply(is_sufficient=False, missing_info_questions=asked), chunks=CHUNKS, most=8)
    assert found.evidence.missing == ("Which road?", "What year?")


def test_a_prompt_fences_every_chunk_and_says_how_many_may_be_selected() -> None:
    prompt = judge.prompt(request(), CHUNKS[:2], most=20, today=TODAY, queries=("plant",))
    assert told(prompt)["most_selected"] == 8
    assert prompt.data.count(f"<chunk-{request().nonce} ") == 2
    assert "Text number 2." in prompt.data


@pytest.mark.parametrize("said", [None, "true", 1, [True], False])
def test_only_true_says_that_searching_more_is_useless(said: object) -> None:
    found = judge.read(reply(is_sufficient=False, more_is_useless=said), chunks=CHUNKS, most=8)
    assert (found.evidence.more_is_useless, found.notes) == (False, ())
    assert judge.read(reply(is_sufficient=False, more_is_useless=True), chunks=CHUNKS, most=8).evidence.more_is_useless
