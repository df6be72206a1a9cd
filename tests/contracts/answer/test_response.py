"""The typed answer, and the forms that are written down.

The files of `golden/` are our decision: the six payloads of `workflow` have the original's shapes, which are documented
(see the schemas), everything else is ours. `python -m tests.contracts.answer.golden` writes them.
"""

import json
from typing import Any

import pytest
from hypothesis import given

from retrieval.contracts.answer import render
from retrieval.contracts.answer.response import AnswerResponse
from retrieval.model.activity import RoundActivity, StepActivity
from retrieval.model.answer import Answer
from tests.contracts.answer.answers import answers
from tests.contracts.answer.cases import CASES
from tests.contracts.answer.golden import both_forms, file_of
from tests.contracts.answer.test_workflow_payloads import valid


def typed(answer: Answer) -> Any:
    return json.loads(render(answer, detail=None).content)


@pytest.mark.parametrize("case", CASES)
def test_both_forms_are_as_they_are_written_down(case: str) -> None:
    golden = json.loads(file_of(case).read_text(encoding="utf-8"))
    assert both_forms(CASES[case]) == golden
    valid(golden["workflow"])


def test_the_typed_answer_is_what_nobody_asks_for() -> None:
    answer = CASES["sufficient"]
    assert render(answer, detail=None) == render(answer, detail="answer")
    assert render(answer, detail=None).status == 200


@given(answers)
def test_every_answer_has_every_member(answer: Answer) -> None:
    value = typed(answer)
    assert set(value) == set(AnswerResponse.model_fields) - {"explained"}
    explained = json.loads(render(answer, detail="explained").content)
    assert {**value, "explained": explained["explained"]} == explained
    assert value["route"]["should_run_rag"] == (value["route"]["route"] == "run_rag")
    assert (value["plan"] is None, value["evidence"] is None) == (answer.plan is None, answer.judgement is None)
    assert [record["id"] for record in value["activity"]] == list(range(len(answer.activity)))


@given(answers)
def test_what_was_found_was_gathered_or_is_counted_under_a_reason(answer: Answer) -> None:
    rounds = [one for one in typed(answer)["activity"] if one["type"] == "round"]
    assert len(rounds) == sum(isinstance(one, RoundActivity) for one in answer.activity)
    for one in rounds:
        assert one["found"] == one["gathered"] + sum(one["omitted"].values())
        for search in one["searches"]:
            assert search["count"] == search["returned"] + sum(search["dropped"].values())


@given(answers)
def test_the_totals_are_those_of_the_steps(answer: Answer) -> None:
    value = typed(answer)
    steps = [one for one in value["activity"] if one["type"] == "step"]
    assert value["totals"]["input_tokens"] == sum(one["input_tokens"] for one in steps)
    assert value["totals"]["output_tokens"] == sum(one["output_tokens"] for one in steps)
    assert value["totals"]["model_calls"] == len([one for one in steps if one["prompt"] is not None])
    assert all(one["started_ms"] + one["elapsed_ms"] <= value["totals"]["elapsed_ms"] for one in value["activity"])


@given(answers)
def test_a_source_is_that_of_its_chunk_and_each_cited_one_stands_once(answer: Answer) -> None:
    value = typed(answer)
    cited = [one["source"] for one in value["citations"]]
    assert value["sources"] == list(dict.fromkeys(cited))
    labels: dict[str, set[str]] = {}
    for chunk in [one for result in answer.results for one in result.chunks]:
        labels.setdefault(chunk.id, set()).add(chunk.source.encode("utf-8", "replace").decode())
    for one in value["selected"]:
        labels.setdefault(one["id"], set()).add(one["source"])
    assert all(one["source"] in labels[one["chunk_id"]] for one in value["citations"])
    for point in value["evidence"]["key_points"] if value["evidence"] else []:
        assert len(point["sources"]) == len(point["chunk_ids"])


@given(answers)
def test_confidence_is_a_share_and_says_whose_it_is(answer: Answer) -> None:
    evidence = typed(answer)["evidence"]
    if evidence is not None:
        assert ("confidence" in evidence) == ("confidence_kind" in evidence)
        if "confidence" in evidence:
            assert 0 <= evidence["confidence"] <= 1
            assert evidence["confidence_kind"] == ("judged" if evidence["by"] == "model" else "calibrated")


@given(answers)
def test_an_error_has_a_code_and_a_message_and_no_error_is_no_member(answer: Answer) -> None:
    for record, activity in zip(typed(answer)["activity"], answer.activity, strict=True):
        if isinstance(activity, StepActivity):
            assert ("error" in record, "skipped" in record) == (
                activity.error is not None,
                activity.skipped is not None,
            )
            assert set(record.get("error", {"code": "", "message": ""})) == {"code", "message"}
