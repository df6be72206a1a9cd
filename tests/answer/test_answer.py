"""The reading of the evidence: what is kept of a reply, within every limit, and how contradictions are settled."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.answer import reading
from retrieval.errors import BadModelReply
from retrieval.model.answer import Judgement, KeyPoint
from retrieval.model.retrieval import PlannedQuery
from tests.answer.material import NONCE, TODAY, block, chunks_of, json_values, replies, request, told

CHUNKS = chunks_of([f"Text number {number}." for number in range(1, 13)])
MEMBERS = (
    "blocks",
    "selected",
    "is_sufficient",
    "confidence",
    "key_points",
    "missing_info_questions",
    "follow_ups",
)


def reply(**said: Any) -> str:
    usual: dict[str, Any] = {
        "blocks": [block("It opened in 1998.", "c1")],
        "selected": [{"id": "c1", "rationale": "It says when."}],
        "is_sufficient": True,
        "confidence": 0.8,
        "key_points": [],
        "missing_info_questions": [],
        "follow_ups": [],
    }
    return json.dumps({**usual, **said})


shaped = st.fixed_dictionaries(
    {
        "blocks": st.just([block("It opened.", "c1")]) | json_values,
        "selected": st.lists(st.fixed_dictionaries({"id": json_values, "rationale": json_values}), max_size=14),
        "is_sufficient": st.booleans(),
        "confidence": st.floats(-5, 5),
        "key_points": st.lists(st.fixed_dictionaries({"text": json_values, "ids": json_values}), max_size=14),
        "missing_info_questions": st.lists(json_values, max_size=6),
        "follow_ups": st.lists(st.fixed_dictionaries({"query": json_values, "goal": json_values}), max_size=6),
    }
).map(json.dumps)


def judged(text: str, *, most: int = 8, is_last: bool = False) -> Judgement:
    """The judgement of a reply that has one."""
    read = reading.read_reply(text, chunks=CHUNKS, most=most, is_last=is_last)
    assert read.judgement is not None and read.notes == read.judgement.notes
    return read.judgement


@given(replies(*MEMBERS) | shaped, st.integers(1, 12), st.booleans())
def test_any_reply_is_read_within_its_limits_or_refused(text: str, most: int, is_last: bool) -> None:
    try:
        read = reading.read_reply(text, chunks=CHUNKS, most=most, is_last=is_last)
    except BadModelReply:
        return
    found = read.judgement
    assert read.blocks or (found is not None and not found.evidence.sufficient)
    if found is None:
        assert len(read.notes) == 1
        return
    evidence, ids = found.evidence, [one.chunk.id for one in found.selected]
    assert len(ids) == len(set(ids)) <= min(most, 8)
    assert all(one.chunk in CHUNKS and len(one.rationale) <= 500 for one in found.selected)
    assert evidence.confidence is not None and 0 <= evidence.confidence <= 1
    assert len(evidence.key_points) <= 8
    assert all(point.text and point.chunks for point in evidence.key_points)
    assert {name for point in evidence.key_points for name in point.chunks} <= {one.id for one in CHUNKS}
    assert len(evidence.missing) <= 3 and len(evidence.follow_ups) <= (0 if is_last else 3)
    assert not (evidence.sufficient and evidence.follow_ups)
    assert not (evidence.more_is_useless and (evidence.sufficient or evidence.follow_ups or is_last))
    assert evidence.by == "model"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 50_000, reply(blocks=[]), reply(blocks=[block(" ")]), reply(blocks="x"), "x" * 300_000],
)
def test_a_reply_without_a_block_is_refused(text: str) -> None:
    with pytest.raises(BadModelReply):
        reading.read_reply(text, chunks=CHUNKS, most=8)


@pytest.mark.parametrize(
    "text",
    [
        reply(confidence="high"),
        reply(confidence=True),
        reply(confidence=None),
        reply().replace("0.8", "1e999"),
        reply().replace("0.8", "9" * 400),
        reply(is_sufficient="true"),
        reply(selected={}),
        reply(key_points=None),
    ],
)
def test_an_answer_whose_judgement_cannot_be_read_is_judged_by_nobody(text: str) -> None:
    read = reading.read_reply(text, chunks=CHUNKS, most=8)
    assert [one.text for one in read.blocks] == ["It opened in 1998."]
    assert read.judgement is None and len(read.notes) == 1


def test_a_good_reply_is_read_without_notes() -> None:
    found = judged(
        reply(
            selected=[{"id": "c2", "rationale": "a"}, {"id": " [C1] ", "rationale": "b"}],
            key_points=[{"text": "It opened.", "ids": ["c2", "c1", "c2"]}],
        )
    )
    assert [(one.chunk.id, one.rationale) for one in found.selected] == [("c2", "a"), ("c1", "b")]
    assert found.evidence.key_points == (KeyPoint(text="It opened.", chunks=("c2", "c1")),)
    assert found.evidence.sufficient and found.evidence.confidence == 0.8
    assert found.notes == ()


def test_ids_that_are_unknown_or_repeated_are_dropped_with_a_note() -> None:
    names = ["c99", "c1", "c1", "1", "c01", "chunk c2", "c2"]
    found = judged(reply(selected=[{"id": name, "rationale": ""} for name in names]))
    assert [one.chunk.id for one in found.selected] == ["c1", "c2"]
    assert found.notes == ("2 of 7 selected chunks were kept; the others were unknown, repeated or too many.",)


def test_a_key_point_keeps_the_ids_that_are_known_and_goes_when_none_is() -> None:
    points = [{"text": "a", "ids": ["c99", "c1"]}, {"text": "b", "ids": ["c99"]}, {"text": "", "ids": ["c1"]}, "c"]
    found = judged(reply(key_points=points))
    assert found.evidence.key_points == (KeyPoint(text="a", chunks=("c1",)),)
    assert len(found.notes) == 1


def test_what_an_answer_cites_is_a_selection_and_without_any_nothing_is_sufficient() -> None:
    assert judged(reply(selected=[])).evidence.sufficient is True
    uncited = reply(blocks=[block("It opened.", "c99")], selected=[], follow_ups=[{"query": "more", "goal": "all"}])
    found = judged(uncited)
    assert not found.evidence.sufficient
    assert found.evidence.follow_ups == (PlannedQuery(query="more", goal="all"),)
    assert len(found.notes) == 1


def test_sufficient_evidence_needs_no_follow_up() -> None:
    found = judged(reply(follow_ups=[{"query": "more", "goal": ""}]))
    assert found.evidence.sufficient and found.evidence.follow_ups == ()
    assert len(found.notes) == 1


@pytest.mark.parametrize(("said", "kept"), [(-0.5, 0.0), (1.5, 1.0), (85, 1.0)])
def test_a_confidence_out_of_range_is_brought_within_and_noted(said: float, kept: float) -> None:
    found = judged(reply(confidence=said))
    assert found.evidence.confidence == kept
    assert len(found.notes) == 1


def test_texts_are_one_line_and_bounded() -> None:
    asked = ["What\nyear?\x00", "what year?", "w" * 5_000]
    found = judged(reply(is_sufficient=False, missing_info_questions=asked))
    assert found.evidence.missing == ("What year?", "w" * 500)
    asked = ["Which road?", "", "What year?", "which road?"]
    found = judged(reply(is_sufficient=False, missing_info_questions=asked))
    assert found.evidence.missing == ("Which road?", "What year?")


def test_a_prompt_fences_every_chunk_and_says_how_many_may_be_selected() -> None:
    prompt = reading.prompt(request(), CHUNKS[:2], most=20, today=TODAY, queries=("plant",))
    assert "at most 8" in prompt.instructions and "next" not in told(prompt)
    assert prompt.data.count(f"<chunk-{request().nonce} ") == 2
    assert "Text number 2." in prompt.data
    assert f"<chunk-{NONCE} " in prompt.instructions


def test_what_the_plan_wants_looked_up_is_told() -> None:
    prompt = reading.prompt(request(), CHUNKS, most=8, today=TODAY, queries=(), next="Where its owner was born.")
    assert told(prompt)["next"] == "Where its owner was born." and "`next`" in prompt.instructions


def test_a_model_that_names_no_search_expects_nothing_of_one_unless_it_was_not_asked() -> None:
    lacking = reply(is_sufficient=False)
    assert judged(lacking).evidence.more_is_useless is True
    assert judged(lacking, is_last=True).evidence.more_is_useless is False
    assert (
        judged(reply(is_sufficient=False, follow_ups=[{"query": "more", "goal": ""}])).evidence.more_is_useless is False
    )
    last = reading.prompt(request(), CHUNKS, most=8, today=TODAY, queries=(), is_last=True)
    assert "follow_ups" not in json.dumps(dict(last.schema))


def test_the_blocks_come_first() -> None:
    prompt = reading.prompt(request(), CHUNKS, most=8, today=TODAY, queries=())
    assert next(iter(prompt.schema["properties"])) == "blocks"  # type: ignore[arg-type]


def test_a_query_that_a_model_guessed_says_so() -> None:
    items = [
        {"query": "Ada Lovelace", "goal": "Who.", "guessed": True},
        {"query": "bridge", "goal": "", "guessed": "x"},
    ]
    evidence = judged(reply(is_sufficient=False, follow_ups=items)).evidence
    assert [(one.query, one.guessed) for one in evidence.follow_ups] == [("Ada Lovelace", True), ("bridge", False)]


@pytest.mark.parametrize("id", ["c2", "2", 2, "[c2]", "chunk c2"])
def test_ids_are_read_as_models_write_them(id: object) -> None:
    for item in ({"id": id, "rationale": ""}, id):
        assert [one.chunk.id for one in judged(reply(selected=[item])).selected] == ["c2"]
