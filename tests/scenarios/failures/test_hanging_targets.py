"""A target that hangs: what it costs those who ask for it, and that it costs nobody else anything."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval.local.wire import WireService
from retrieval.model.definitions import MOST_SUBQUERIES
from retrieval.outgoing.breakers_and_retries import PAUSE_SECONDS, SILENCES, SILENT_SECONDS
from tests.conftest import Response
from tests.mcp_messages import calling
from tests.rooms import NEEDS_MCP
from tests.scenarios.failures.answer import planning, searches
from tests.scenarios.failures.conftest import MODEL_KEY, RUNTIME_SECONDS, Retrieve, Tools, result
from tests.scenarios.failures.test_lookups import Watch
from tests.scripted_azure import (
    ScriptedAzure,
    by_index,
    cutting,
    document,
    failing,
    found,
    held,
    queries,
    stalling,
)

ROADS: Final = found(document("road", 3.1))
THREE: Final = ("roads", "rivers", "harbours")
REQUESTS: Final = 64


@pytest.fixture(autouse=True)
def agents(settings: dict[str, str], azure: ScriptedAzure) -> None:
    """`swamp` and `meadow` have an index of that name; `planned` has `meadow`, and a model."""
    parameters = {"resourceUri": azure.address, "deploymentId": "planner-model", "apiKey": MODEL_KEY}
    model = {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
    models: dict[str, tuple[str, list[Any]]] = {
        "swamp": ("swamp", []),
        "meadow": ("meadow", []),
        "planned": ("meadow", [model]),
        "stuck": ("swamp", [model]),
    }
    definitions = [
        {
            "name": name,
            "models": has,
            "targetIndexes": [{"indexName": index, "defaultRerankerThreshold": 1.0}],
            "requestLimits": {"maxRuntimeInSeconds": RUNTIME_SECONDS},
        }
        for name, (index, has) in models.items()
    ]
    Path(settings["AGENTS_FILE"]).write_text(json.dumps(definitions))


@NEEDS_MCP
async def test_sixty_four_requests_of_five_sub_queries_are_all_open_at_once(azure: ScriptedAzure, tools: Tools) -> None:
    """MCP takes five queries as they are; a plan has three, four where 200 documents are asked for."""
    azure.search = held(asyncio.Barrier(REQUESTS * MOST_SUBQUERIES), ROADS)
    queries = [f"roads {number}" for number in range(MOST_SUBQUERIES)]
    five = calling("knowledge_base_retrieve", {"queries": queries})
    answers = await asyncio.gather(*(tools(five, agent="meadow") for _ in range(REQUESTS)))
    assert [result(answer)["isError"] for answer in answers] == [False] * REQUESTS
    assert len(azure.searches) == REQUESTS * MOST_SUBQUERIES


async def test_sixty_four_plans_are_open_at_once(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = held(asyncio.Barrier(REQUESTS), queries("roads")), ROADS
    answers = await asyncio.gather(*(retrieve(agent="planned") for _ in range(REQUESTS)))
    assert ["error" in planning(answer) for answer in answers] == [False] * REQUESTS


async def test_an_index_that_hangs_takes_no_time_from_another(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = queries(*THREE), by_index({"swamp": stalling()}, otherwise=ROADS)
    stuck = [asyncio.create_task(retrieve(agent="stuck")) for _ in range(40)]
    await azure.asked("search", 40 * len(THREE))
    watch = Watch()
    assert (await retrieve(agent="meadow")).status == 200
    assert (await retrieve(agent="planned")).status == 200
    assert watch.seconds < SILENT_SECONDS
    assert not any(task.done() for task in stuck)
    assert {(await task).status for task in stuck} == {504}


async def silence(azure: ScriptedAzure, retrieve: Retrieve, agent: str = "swamp") -> None:
    """Let the index of an agent not answer as often as it takes."""
    azure.search = by_index({"swamp": stalling()}, otherwise=ROADS)
    answers = await asyncio.gather(*(retrieve("Which roads?", agent=agent) for _ in range(SILENCES)))
    assert {answer.status for answer in answers} == {504}


async def refused_at_once(azure: ScriptedAzure, retrieve: Retrieve, agent: str = "swamp") -> Response:
    """An answer that took no time and no search."""
    asked, watch = len(azure.searches), Watch()
    answer = await retrieve("Which roads?", agent=agent)
    assert (answer.status, len(azure.searches)) == (502, asked)
    assert watch.seconds < SILENT_SECONDS
    return answer


async def test_an_index_that_keeps_hanging_is_answered_for_at_once_and_no_other_is(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    await silence(azure, retrieve)
    error = (await refused_at_once(azure, retrieve)).json["error"]
    assert error["code"] == "BackendUnavailable"
    assert f"'swamp' did not answer {SILENCES} times running and is asked again in" in error["message"]
    assert (await retrieve(agent="meadow")).status == 200


async def test_the_record_of_a_sub_query_that_was_not_sent_says_so(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    """After the pause one sub-query of three is the trial, and the others fail without waiting."""
    azure.chat = queries(*THREE)
    await silence(azure, retrieve, agent="stuck")
    await asyncio.sleep(PAUSE_SECONDS)
    azure.search = ROADS
    first, *others = searches(await retrieve(agent="stuck"))
    assert (first["count"], "error" in first) == (1, False)
    assert [other["error"]["code"] for other in others] == ["BackendUnavailable"] * 2
    assert all("did not answer" in other["error"]["message"] for other in others)
    assert ["error" in record for record in searches(await retrieve(agent="stuck"))] == [False] * 3


async def test_after_the_pause_one_call_finds_out_for_all_whether_the_index_is_back(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    await silence(azure, retrieve)
    for _ in range(2):
        await asyncio.sleep(PAUSE_SECONDS)
        asked = len(azure.searches)
        trial = asyncio.create_task(retrieve("Which roads?", agent="swamp"))
        await azure.asked("search", asked + 1)
        for _ in range(3):
            assert "is being asked again now" in (await refused_at_once(azure, retrieve)).json["error"]["message"]
        assert (await trial).status == 504
        await refused_at_once(azure, retrieve)
    azure.search = ROADS
    await refused_at_once(azure, retrieve)
    await asyncio.sleep(PAUSE_SECONDS)
    answers = [await retrieve("Which roads?", agent="swamp") for _ in range(3)]
    assert [answer.status for answer in answers] == [200] * 3


async def test_a_trial_whose_caller_goes_away_decides_nothing(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await silence(azure, retrieve)
    await asyncio.sleep(PAUSE_SECONDS)
    asked = len(azure.searches)
    trial = asyncio.create_task(retrieve("Which roads?", agent="swamp"))
    await azure.asked("search", asked + 1)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    azure.search = ROADS
    assert (await retrieve("Which roads?", agent="swamp")).status == 200


@pytest.mark.parametrize("script", [failing(400), failing(403), failing(404), failing(429), failing(503), cutting()])
async def test_an_index_that_answers_is_never_left_alone_whatever_it_says(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = script
    for _ in range(3 * SILENCES):
        asked = len(azure.searches)
        await retrieve("Which roads?", agent="swamp")
        assert len(azure.searches) > asked


async def test_an_answer_in_between_starts_the_count_anew(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    for _ in range(3):
        azure.search = stalling()
        await asyncio.gather(*(retrieve("Which roads?", agent="swamp") for _ in range(SILENCES - 1)))
        azure.search = failing(400)
        assert (await retrieve("Which roads?", agent="swamp")).status == 400


async def test_callers_who_soon_go_away_do_not_make_an_index_silent(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = stalling()
    for number in range(1, 3 * SILENCES):
        gone = asyncio.create_task(retrieve("Which roads?", agent="swamp"))
        await azure.asked("search", number)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
    azure.search = ROADS
    assert (await retrieve("Which roads?", agent="swamp")).status == 200


async def test_a_model_that_keeps_hanging_is_planned_without_at_once(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat, azure.search = stalling(), ROADS
    answers = await asyncio.gather(*(retrieve(agent="planned") for _ in range(SILENCES)))
    assert {planning(answer)["error"]["code"] for answer in answers} == {"BackendTimeout"}
    watch, asked = Watch(), len(azure.chats)
    answer = await retrieve(agent="planned")
    assert "did not answer" in planning(answer)["error"]["message"]
    assert planning(answer)["error"]["code"] == "BackendUnavailable"
    assert (answer.status, len(azure.chats)) == (200, asked)
    assert watch.seconds < SILENT_SECONDS
    azure.chat = queries("roads")
    await asyncio.sleep(PAUSE_SECONDS)
    assert "error" not in planning(await retrieve(agent="planned"))


@pytest.mark.parametrize("script", [failing(400), failing(429, retry_after=60), failing(500), cutting()])
async def test_a_model_that_answers_is_never_left_alone(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat, azure.search = script, ROADS
    for number in range(1, 3 * SILENCES):
        assert "error" in planning(await retrieve(agent="planned"))
        assert len(azure.chats) == number
