"""What an answer tells of the prompts of its steps: what the models got, and to nobody who may not manage."""

from typing import Any, Final

import pytest

from retrieval.contracts.answer.explained import LONGEST_DATA
from tests.answer.conftest import Ask, ask, settings
from tests.answer.scripts import step_of
from tests.answer.test_answers import RIVER, ROAD, model
from tests.conftest import Response
from tests.scenarios.failures.conftest import CALLER_KEY, MODEL_KEY, SEARCH_KEY
from tests.scripted_azure import ScriptedAzure, document, failing, found

__all__ = ["ask", "settings"]

ADMIN_KEY: Final = "admin-key-77ab"


@pytest.fixture(autouse=True)
def with_an_admin(settings: dict[str, str]) -> None:
    settings["ADMIN_API_KEYS"] = ADMIN_KEY


async def asked(ask: Ask, *, detail: str | None = "explained", key: str = ADMIN_KEY, **more: Any) -> Response:
    answer = await ask(detail=detail, headers={"api-key": key}, **more)
    assert answer.status == 200, answer.body
    return answer


async def test_each_prompt_is_what_its_model_got_also_where_it_failed(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model(answer=failing(500))
    answer = (await asked(ask)).json
    steps = {record["id"]: record["step"] for record in answer["activity"] if record.get("prompt")}
    told = {steps[one["activity"]]: [one["instructions"], one["data"]] for one in answer["explained"]["prompts"]}
    got = {step_of(one.json): [message["content"] for message in one.json["messages"]] for one in azure.chats}
    assert told == got and set(told) >= {"route", "plan", "answer"}
    assert {one["left_out"] for one in answer["explained"]["prompts"]} == {0}


async def test_no_prompt_names_a_credential(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model()
    body = (await asked(ask)).body.decode()
    assert not [key for key in (ADMIN_KEY, CALLER_KEY, MODEL_KEY, SEARCH_KEY) if key in body]


async def test_a_caller_who_may_not_read_definitions_gets_none(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search, azure.chat = found(ROAD, RIVER), model()
    answer = await asked(ask, key=CALLER_KEY)
    assert answer.json["explained"]["prompts"] is None
    assert "You decide" not in answer.body.decode()
    assert "explained" not in (await asked(ask, detail=None)).json


async def test_a_long_prompt_is_cut_and_says_by_how_much(azure: ScriptedAzure, ask: Ask) -> None:
    sentences = [" ".join(f"Road {place} has {place * step} carts." for place in range(120)) for step in range(8)]
    documents = [{**ROAD, "id": f"road{step}", "content": sentence} for step, sentence in enumerate(sentences)]
    azure.search, azure.chat = found(*documents), model()
    answer = (await asked(ask)).json
    data = {step_of(one.json): one.json["messages"][1]["content"] for one in azure.chats}
    steps = {record["id"]: record.get("step") for record in answer["activity"]}
    cut = [one for one in answer["explained"]["prompts"] if one["left_out"]]
    assert cut and {len(one["data"]) for one in cut} == {LONGEST_DATA}
    for one in cut:
        whole = data[steps[one["activity"]]]
        assert whole.startswith(one["data"]) and len(whole) == LONGEST_DATA + one["left_out"]


async def test_rules_that_no_model_helped_have_no_prompt(azure: ScriptedAzure, ask: Ask) -> None:
    azure.search = found(ROAD)
    assert (await asked(ask, agent="plain")).json["explained"]["prompts"] == []


async def test_a_document_without_a_score_comes_last(azure: ScriptedAzure, ask: Ask) -> None:
    scores = [*(3 - place / 100 for place in range(16)), None, 0.5]
    azure.search = found(
        *(document(f"road{place}", score) for place, score in enumerate(scores)), partial="capacityOverloaded"
    )
    documents = (await asked(ask, agent="plain")).json["explained"]["documents"]
    assert [one["score"] for one in documents[16:]] == [0.5, None]
