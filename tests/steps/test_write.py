"""The answer as a model writes it: what is taken of a reply."""

import json

import pytest
from hypothesis import given

from retrieval.errors import BadModelReply
from retrieval.steps import write
from tests.steps.material import chunks_of, replies, request


@given(replies("answer"))
def test_any_reply_gives_an_answer_within_its_limits_or_is_refused(text: str) -> None:
    try:
        found = write.read(text)
    except BadModelReply:
        return
    assert found.strip() and len(found) <= write.LONGEST_ANSWER


@pytest.mark.parametrize("answer", ["", " \n", None, 7, ["x"], "x" * 20_001])
def test_a_useless_answer_is_refused(answer: object) -> None:
    with pytest.raises(BadModelReply):
        write.read(json.dumps({"answer": answer}))


def test_an_answer_of_any_script_is_taken_to_its_full_length() -> None:
    answer = "字" * write.LONGEST_ANSWER
    assert write.read(json.dumps({"answer": answer})) == answer


def test_the_chunks_stand_in_the_prompt_under_their_ids() -> None:
    prompt = write.prompt(request(), chunks_of(["It opened in 1998.", "It closed."]))
    assert '<chunk-5f0c9a id="c1" source="T1 - k1">It opened in 1998.</chunk-5f0c9a>' in prompt.data
