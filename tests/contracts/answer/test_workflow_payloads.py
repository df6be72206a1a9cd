"""The six payloads of `?detail=workflow`: valid by the original's schemas, whatever was answered."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from retrieval.contracts.answer import render
from retrieval.contracts.answer.shapes import Out, Router
from retrieval.contracts.answer.workflow import AnswerWritten, EvidenceJudged, QueryPlanned, Rerank, Retrieval
from retrieval.model.answer import Answer
from tests.contracts.answer.answers import answers, crowded

SCHEMAS: Final = Path(__file__).parent / "schemas"

DESCRIBED: Final = {
    "rag-intent-router-schema": (
        "rag_intent_router",
        {"should_run_rag": "boolean", "route": "string run_rag no_rag", "assistant_message": "string"},
    ),
    "rag-query-plan-schema": (
        "rag_query_plan",
        {"queries": "strings 3", "retrieval_goals": "strings 3", "filter": "string"},
    ),
    "rag-retrieval-schema": (
        "rag_retrieval",
        {"query_used": "string", "chunk_texts": "strings 20", "chunk_sources": "strings 20"},
    ),
    "rag-rerank-schema": (
        "rag_rerank",
        {
            "selected_chunk_texts": "strings 8",
            "selected_sources": "strings 8",
            "selected_rationales": "strings 8",
            "missing_info_questions": "strings 3",
        },
    ),
    "rag-evidence-schema": (
        "rag_evidence",
        {
            "is_sufficient": "boolean",
            "confidence": "number 0 1",
            "key_points": "strings 8",
            "key_point_sources": "strings 8",
            "missing_info_questions": "strings 3",
            "followup_queries": "strings 3",
            "followup_retrieval_goals": "strings 3",
        },
    ),
    "rag-answer-schema": ("rag_answer", {"answer_markdown": "string", "sources": "strings 10"}),
}
"""The original's schemas as they are described: file, name, properties, the limits of each."""

SHAPES: Final[dict[str, type[Out]]] = {
    "rag-intent-router-schema": Router,
    "rag-query-plan-schema": QueryPlanned,
    "rag-retrieval-schema": Retrieval,
    "rag-rerank-schema": Rerank,
    "rag-evidence-schema": EvidenceJudged,
    "rag-answer-schema": AnswerWritten,
}

PAYLOADS: Final = {
    "router": "rag-intent-router-schema",
    "plan": "rag-query-plan-schema",
    "rerank": "rag-rerank-schema",
    "evidence": "rag-evidence-schema",
    "answer": "rag-answer-schema",
}

ALIGNED: Final = {
    "plan": [("queries", "retrieval_goals")],
    "rerank": [("selected_chunk_texts", "selected_sources"), ("selected_sources", "selected_rationales")],
    "evidence": [("key_points", "key_point_sources"), ("followup_queries", "followup_retrieval_goals")],
    "retrieval": [("chunk_texts", "chunk_sources")],
}


def wrapper(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{file}.json").read_text(encoding="utf-8"))
    return found


VALIDATORS: Final = {file: Draft202012Validator(wrapper(file)["schema"]) for file in DESCRIBED}


def described(kind: str) -> dict[str, Any]:
    """A property's schema from its description."""
    match kind.split():
        case ["strings", most]:
            return {"type": "array", "items": {"type": "string"}, "maxItems": int(most)}
        case ["number", least, most]:
            return {"type": "number", "minimum": int(least), "maximum": int(most)}
        case ["string", first, *others]:
            return {"type": "string", "enum": [first, *others]}
    return {"type": kind}


def full(kind: str) -> object:
    """The largest value of a property."""
    match kind.split():
        case ["strings", most]:
            return ["x"] * int(most)
        case ["number", _, most]:
            return int(most)
        case ["string", first, *_]:
            return first
    return {"boolean": True, "string": "x"}[kind]


def too_much(kind: str) -> Iterator[object]:
    """Values that a property may not have."""
    yield None
    match kind.split():
        case ["strings", most]:
            yield from (["x"] * (int(most) + 1), [1], [None], "x")
        case ["number", least, most]:
            yield from (int(least) - 0.001, int(most) + 0.001, "1")
        case ["string", _, *_]:
            yield "other"
        case _:
            yield 7


def valid(value: dict[str, Any]) -> None:
    """Every payload holds by its schema, and what is aligned in it has one length.

    Where nobody judged, the payload of the evidence says so with null, and without a confidence.
    """
    assert set(value) == {*PAYLOADS, "retrieval"}
    evidence = {"confidence": 0, **value["evidence"]}
    if evidence["is_sufficient"] is None:
        evidence["is_sufficient"] = False
    for payload, file in PAYLOADS.items():
        VALIDATORS[file].validate(evidence if payload == "evidence" else value[payload])
    for one in value["retrieval"]:
        VALIDATORS["rag-retrieval-schema"].validate(one)
    for payload, pairs in ALIGNED.items():
        for one in value[payload] if isinstance(value[payload], list) else [value[payload]]:
            assert all(len(one[left]) == len(one[right]) for left, right in pairs)


def workflow(answer: Answer) -> Any:
    return json.loads(render(answer, detail="workflow").content)


@pytest.mark.parametrize("file", DESCRIBED)
def test_a_schema_is_as_it_is_described(file: str) -> None:
    name, properties = DESCRIBED[file]
    assert wrapper(file) == {
        "name": name,
        "schema": {
            "type": "object",
            "properties": {one: described(kind) for one, kind in properties.items()},
            "required": list(properties),
            "additionalProperties": False,
        },
        "strict": True,
    }
    Draft202012Validator.check_schema(wrapper(file)["schema"])


@pytest.mark.parametrize("file", DESCRIBED)
def test_each_property_and_each_limit_of_a_schema_bites(file: str) -> None:
    validator, properties = VALIDATORS[file], DESCRIBED[file][1]
    largest = {name: full(kind) for name, kind in properties.items()}
    validator.validate(largest)
    assert not validator.is_valid({**largest, "other": "x"})
    for name, kind in properties.items():
        assert not validator.is_valid({one: value for one, value in largest.items() if one != name}), name
        assert not any(validator.is_valid({**largest, name: value}) for value in too_much(kind)), name


def assert_null_and_absence_alone_are_added(ours: dict[str, Any]) -> None:
    """Of the evidence: where nobody judged. Without these it is the original's."""
    properties = ours["properties"]
    for name in ("is_sufficient", "confidence"):
        properties[name].pop("default", None)
        judged, null = properties[name].pop("anyOf")
        assert null == {"type": "null"}
        properties[name] = judged
    assert "confidence" not in ours["required"]
    ours["required"].insert(1, "confidence")


@pytest.mark.parametrize("file", SHAPES)
def test_our_shapes_are_the_schemas(file: str) -> None:
    ours = SHAPES[file].model_json_schema(mode="serialization")
    for one in ours["properties"].values():
        del one["title"]
    if file == "rag-evidence-schema":
        assert_null_and_absence_alone_are_added(ours)
    assert {name: ours[name] for name in ("type", "properties", "required", "additionalProperties")} == wrapper(file)[
        "schema"
    ]


def test_of_more_than_there_is_room_for_the_first_are_kept() -> None:
    value = workflow(crowded())
    valid(value)
    lengths = {
        (payload, name): len(member)
        for payload in ("plan", "rerank", "evidence", "answer")
        for name, member in value[payload].items()
        if isinstance(member, list)
    }
    described_lengths = {
        (payload, name): int(kind.split()[1])
        for payload in ("plan", "rerank", "evidence", "answer")
        for name, kind in DESCRIBED[PAYLOADS[payload]][1].items()
        if kind.startswith("strings ")
    }
    assert lengths == described_lengths
    assert [len(one["chunk_texts"]) for one in value["retrieval"]] == [20]
    assert value["plan"]["queries"] == ["q0", "q1", "q2"]
    assert value["answer"]["sources"] == [f"s{number}" for number in range(1, 11)]


@pytest.mark.parametrize(
    ("said", "told"), [(math.nan, 0), (math.inf, 1), (-math.inf, 0), (1.5, 1), (-0.1, 0), (0.25, 0.25)]
)
def test_a_confidence_out_of_its_range_is_brought_into_it(said: float, told: float) -> None:
    assert workflow(crowded(confidence=said))["evidence"]["confidence"] == told


@given(answers)
def test_whatever_was_answered_the_payloads_are_valid(answer: Answer) -> None:
    valid(workflow(answer))


@given(answers)
def test_without_retrieval_every_payload_but_the_first_is_empty(answer: Answer) -> None:
    value = workflow(answer)
    assert value["router"]["route"] == ("run_rag" if value["router"]["should_run_rag"] else "no_rag")
    if answer.route.run_rag:
        return
    assert value["plan"] == {"queries": [], "retrieval_goals": [], "filter": ""}
    assert value["retrieval"] == []
    assert not any(value["rerank"].values()) and not any(value["evidence"].values())
    assert value["answer"] == {"answer_markdown": "", "sources": []}


@given(answers)
def test_the_payloads_say_what_the_typed_answer_says_as_far_as_there_is_room(answer: Answer) -> None:
    value, typed = workflow(answer), json.loads(render(answer, detail=None).content)
    assert value["router"]["assistant_message"] == typed["route"]["assistant_message"]
    if not answer.route.run_rag:
        return
    assert value["answer"] == {"answer_markdown": typed["answer_markdown"], "sources": typed["sources"][:10]}
    assert len(value["retrieval"]) == len(answer.results)
    if typed["plan"] is not None:
        assert value["plan"]["queries"] == [one["query"] for one in typed["plan"]["queries"]][:3]
        assert value["plan"]["filter"] == (typed["plan"]["filter"] or "")
    if typed["evidence"] is not None:
        evidence = typed["evidence"]
        assert value["rerank"]["selected_chunk_texts"] == [one["text"] for one in typed["selected"]][:8]
        assert value["evidence"]["is_sufficient"] == evidence["is_sufficient"]
        assert value["evidence"].get("confidence") == evidence.get("confidence")
        assert value["evidence"]["key_points"] == [one["text"] for one in evidence["key_points"]][:8]
        assert (
            value["evidence"]["followup_retrieval_goals"] == [one["goal"] for one in evidence["followup_queries"]][:3]
        )
        assert value["rerank"]["missing_info_questions"] == evidence["missing_info_questions"][:3]
