"""The conclusion: a judgement and an answer in one reply, by the rules of both."""

import json

import pytest
from hypothesis import given

from retrieval.citations.blocks import Block
from retrieval.errors import BadModelReply
from retrieval.steps import conclude, judge, prompts, write
from tests.call.material import NONCE, TODAY, block, chunks_of, replies, request, told

CHUNKS = chunks_of(["It opened in 1998.", "It closed."])
JUDGEMENT = {
    "selected": [{"id": "c1", "rationale": ""}],
    "is_sufficient": True,
    "confidence": 1,
    "key_points": [],
    "missing_info_questions": [],
    "follow_ups": [],
}


@given(replies("judgement", "blocks"))
def test_any_reply_gives_both_or_is_refused(text: str) -> None:
    try:
        judgement, answer = conclude.read(text, chunks=CHUNKS, most=8)
    except BadModelReply:
        return
    assert judgement.evidence.by == "model" and answer


def test_both_parts_are_read() -> None:
    text = json.dumps({"judgement": JUDGEMENT, "blocks": [block("In 1998.", "c1")]})
    judgement, answer = conclude.read(text, chunks=CHUNKS, most=8)
    assert judgement == judge.judgement(JUDGEMENT, chunks=CHUNKS, most=8)
    assert answer == (Block(kind="paragraph", text="In 1998.", chunks=("c1",)),)


@pytest.mark.parametrize(
    "said",
    [
        {"blocks": [block("x")]},
        {"judgement": [], "blocks": [block("x")]},
        {"judgement": JUDGEMENT},
        {"judgement": JUDGEMENT, "blocks": [block(" ")]},
        {"judgement": JUDGEMENT, "answer": "x"},
    ],
)
def test_half_a_reply_is_refused(said: object) -> None:
    with pytest.raises(BadModelReply):
        conclude.read(json.dumps(said), chunks=CHUNKS, most=8)


def test_the_prompt_holds_the_rules_of_both_and_its_schema_both_shapes() -> None:
    prompt = conclude.prompt(request(), CHUNKS, most=3, today=TODAY, queries=("plant",))
    for name in (judge.PROMPT, write.PROMPT):
        assert prompts.rules(name) and prompts.rules(name) in prompt.instructions
    assert f"<chunk-{NONCE} " in prompt.instructions
    assert told(prompt)["most_selected"] == 3
    assert prompt.schema["required"] == ["judgement", "blocks"]
