"""What is sent for a question, and what is read of the answer."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from retrieval.errors import NotConfigured
from retrieval.local.evaluation import runs
from retrieval.local.evaluation.collections import Question
from retrieval.local.evaluation.configurations import parse
from retrieval.local.evaluation.runs import Result
from retrieval.local.evaluation.services import Operation, Reply
from retrieval.model.conversation import Message
from retrieval.model.json_value import JsonValue

RETRIEVED = {
    "response": [],
    "activity": [
        {"type": "modelQueryPlanning", "id": 0, "inputTokens": 9, "outputTokens": 3},
        {"type": "searchIndex", "id": 1, "knowledgeSourceName": "notes", "count": 2},
        {"type": "searchIndex", "id": 2, "knowledgeSourceName": "notes", "count": 1},
        {"type": "agenticReasoning", "id": 3, "inputTokens": 70},
    ],
    "references": [
        {"type": "searchIndex", "id": "0", "docKey": "a", "rerankerScore": 3.1},
        {"type": "searchIndex", "id": "1", "docKey": "b"},
        {"type": "searchIndex", "id": "2", "docKey": "a", "rerankerScore": 1.0},
    ],
}
ANSWERED = {
    "selected": [{"id": "c2", "doc_key": "b", "score": None}, {"id": "c1", "doc_key": "a", "score": 2.5}],
    "evidence": {"confidence": 0.4, "confidence_kind": "judged", "is_sufficient": False},
    "citations": [{"chunk_id": "c1", "quote": "As it says."}, {"chunk_id": "c1", "quote": None}],
    "activity": [{"type": "step"}, {"type": "round", "searches": [{}, {}]}, {"type": "round", "searches": [{}]}],
    "totals": {"model_calls": 4},
}
ASKED = Question(
    id="q",
    messages=(
        Message(role="user", text="Where?"),
        Message(role="assistant", text="Here."),
        Message(role="user", text="Why?"),
    ),
)


class Scripted:
    """Answers with what it was given, and keeps what it was asked."""

    def __init__(self, body: object, status: int = 200) -> None:
        self._reply = Reply(status=status, content=json.dumps(body).encode(), seconds=0.25)
        self.asked: list[tuple[Operation, str, Any]] = []

    async def ask(self, operation: Operation, base: str, body: Mapping[str, JsonValue]) -> Reply:
        self.asked.append((operation, base, body))
        return self._reply


async def ask(spec: str, service: Scripted) -> Result:
    return await runs.ask(parse(spec), ASKED, service=service, base="notes", sources=[("notes", "searchIndex")])


async def test_a_retrieval_is_read_in_the_order_of_its_references() -> None:
    found = await ask("low", Scripted(RETRIEVED, 206))
    assert (found.keys, found.scores, found.top) == (("a", "b"), (3.1, None), 3.1)
    assert (found.model_calls, found.searches, found.seconds) == (1, 2, 0.25)
    assert (found.confidence, found.error) == (None, None)


async def test_an_answer_is_read_with_its_evidence_and_quotes() -> None:
    found = await ask("answer", Scripted(ANSWERED))
    assert (found.keys, found.scores) == (("b", "a"), (None, 2.5))
    assert (found.confidence, found.sufficient, [one.text for one in found.shown]) == (0.4, False, ["As it says."])
    assert (found.model_calls, found.searches) == (4, 3)


async def test_an_answer_without_retrieval_is_no_evidence() -> None:
    found = await ask("answer", Scripted({**ANSWERED, "evidence": None, "selected": []}))
    assert (found.confidence, found.sufficient, found.keys) == (None, None, ())


async def test_a_confidence_that_no_model_judged_is_none() -> None:
    calibrated = {"confidence": 0.4, "confidence_kind": "calibrated", "is_sufficient": None}
    found = await ask("answer", Scripted({**ANSWERED, "evidence": calibrated}))
    assert (found.confidence, found.sufficient, found.top) == (None, None, 2.5)


async def test_minimal_searches_the_last_turn_and_the_other_efforts_get_all_turns() -> None:
    service = Scripted(RETRIEVED)
    await ask("minimal", service)
    await ask("medium,threshold=1.5", service)
    (_, _, single), (operation, base, turns) = service.asked
    assert single["intents"] == [{"type": "semantic", "search": "Why?"}] and "messages" not in single
    assert [one["content"][0]["text"] for one in turns["messages"]] == ["Where?", "Here.", "Why?"]
    assert (operation, base, turns["retrievalReasoningEffort"]) == ("retrieve", "notes", {"kind": "medium"})
    [source] = turns["knowledgeSourceParams"]
    assert source == {"knowledgeSourceName": "notes", "kind": "searchIndex", "rerankerThreshold": 1.5}


async def test_a_retrieval_is_asked_for_as_many_documents_as_are_measured_or_as_clients_ask() -> None:
    service = Scripted(RETRIEVED)
    for spec in ("low", "minimal", "medium", "low,documents=usual"):
        await ask(spec, service)
    stated = [(body.get("maxOutputDocuments"), body.get("maxOutputSizeInTokens")) for _, _, body in service.asked]
    assert stated == [(10, 1_000_000), (10, 1_000_000), (20, 1_000_000), (None, None)]
    assert parse("low,documents=usual").told == "low,documents=usual"


async def test_a_ranking_is_the_order_of_the_ids_and_not_of_the_list() -> None:
    listed = [{"type": "searchIndex", "id": id, "docKey": id} for id in ("2", "0", "10", "1")]
    found = await ask("low", Scripted({**RETRIEVED, "references": listed}))
    assert found.keys == ("0", "1", "2", "10")


async def test_the_limits_of_an_answer_are_sent() -> None:
    service = Scripted(ANSWERED)
    await ask("answer,threshold=1,followups=0", service)
    assert service.asked[0][2]["limits"] == {"rerankerThreshold": 1.0, "maxFollowUps": 0}


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ({"error": {"code": "TooBusy", "message": "Later."}}, 429, "429 TooBusy: Later."),
        ("what", 500, "500"),
        ({"references": [{"id": "0"}]}, 200, "references.0.docKey"),
        ([], 200, "the body"),
    ],
)
async def test_a_call_that_fails_is_data(body: object, status: int, why: str) -> None:
    found = await ask("auto", Scripted(body, status))
    assert found.keys == () and found.error is not None and why in found.error


async def test_the_sources_of_a_base_are_those_that_a_first_retrieval_searched() -> None:
    assert await runs.sources(Scripted(RETRIEVED), "notes", ASKED) == [("notes", "searchIndex")]
    with pytest.raises(NotConfigured, match="404 NotFound: There is none"):
        await runs.sources(Scripted({"error": {"code": "NotFound", "message": "There is none."}}, 404), "notes", ASKED)
