"""The table of docs/calling/errors.md: every row of it is made to happen."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.call.budget import PLANNING_SHARE
from retrieval.definitions.cache import SECONDS
from retrieval.definitions.seeded_store import READ_SECONDS
from retrieval.definitions.stored_json import AGENTS
from retrieval.local.server import serving
from retrieval.local.wire import WireService
from retrieval.model.definitions import Agent, Stored, Target
from retrieval.outgoing.breakers_and_retries import SILENCES
from tests.conftest import ROOT, Response
from tests.running import free_port
from tests.scenarios.failures.answer import header, planning, searches
from tests.scenarios.failures.conftest import RUNTIME_SECONDS, Retrieve
from tests.scenarios.failures.test_lookups import has_one
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    cutting,
    definition,
    document,
    failing,
    found,
    held,
    queries,
    replying,
    stalling,
)

PAGE: Final = (ROOT / "docs" / "calling" / "errors.md").read_text(encoding="utf-8")
TABLE: Final = PAGE.split("\nWhat a retrieve meets | What it returns\n---|---\n")[1].split("\n\n")[0]
ROWS: Final = dict(line.split(" | ") for line in TABLE.splitlines())
FOUND: Final = found(document("road", 3.1))
STORED: Final = Agent(name="stored", targets=(Target(index="atlas"),))

Scene = Callable[[ScriptedAzure, Retrieve, dict[str, str]], Coroutine[Any, Any, Response]]


async def search_fails(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = cutting()
    unreachable = await retrieve()
    azure.search = failing(503)
    failed = await retrieve()
    assert unreachable.status == failed.status
    return failed


async def search_is_silent(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = stalling()
    answer = await retrieve(agent="patient")
    assert "30.0 s" in answer.json["error"]["message"]
    return answer


async def search_hangs_again_and_again(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    assert SILENCES == 5
    azure.search = stalling()
    await asyncio.gather(*(retrieve("Which roads?", agent="plain") for _ in range(SILENCES)))
    asked, start = len(azure.searches), asyncio.get_running_loop().time()
    answer = await retrieve("Which roads?", agent="plain")
    assert len(azure.searches) == asked
    assert asyncio.get_running_loop().time() - start < RUNTIME_SECONDS / 2
    return answer


async def search_throttles(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = failing(429, retry_after=40)
    answer = await retrieve()
    assert header(answer, "retry-after") == "40"
    return answer


async def search_refuses(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = failing(403)
    return await retrieve()


async def ranker_off(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = failing(400, code="FeatureNotSupportedInService", detail="SemanticQueriesNotAvailable")
    return await retrieve()


async def no_index(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = failing(404)
    return await retrieve()


async def some_fail(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = by_search({"rivers": failing(503)}, otherwise=FOUND)
    answer = await retrieve()
    assert ["error" in record for record in searches(answer)] == [False, True]
    return answer


async def all_fail_differently(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = by_search({"rivers": failing(429, retry_after=40)}, otherwise=failing(503))
    answer = await retrieve()
    assert len(answer.json["error"]["details"]) == 2
    return answer


async def no_ranker(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.search = found(document("ranked", 3.1), document("unranked", None), partial="capacityOverloaded")
    answer = await retrieve(agent="plain")
    assert [one["docKey"] for one in answer.json["references"]] == ["ranked", "unranked"]
    assert ["error" in record for record in searches(answer)] == [True]
    return answer


async def model_fails(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    answers = []
    for azure.chat in (failing(429), failing(500), cutting(), replying("I would rather not.")):
        answers.append(await retrieve())
        assert "error" in planning(answers[-1])
        assert searches(answers[-1])
    assert {one.status for one in answers} == {200}
    return answers[0]


async def model_is_silent(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    azure.chat = stalling()
    answer = await retrieve()
    assert "error" in planning(answer)
    assert PLANNING_SHARE == 0.4
    return answer


async def table_is_away_and_the_agent_known(
    azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> Response:
    entity = {
        "PartitionKey": "agents",
        "RowKey": "stored",
        "Etag": "0x1",
        "Agent": AGENTS.write(Stored(value=STORED, etag="")),
    }
    away: list[WireService] = [has_one(entity)]
    async with serving(lambda request: away[-1](request)) as address:
        settings.update(AGENTS_FILE="", AGENTS_STORE=f"{address}/devstoreaccount1")
        assert (await retrieve(agent="stored")).status == 200
        away.append(failing(503))
        for _ in range(3):
            await asyncio.sleep(2 * SECONDS)
            answer = await retrieve(agent="stored")
    return answer


async def table_is_away(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    assert READ_SECONDS == 5
    async with serving(stalling()) as address:
        settings["AGENTS_STORE"] = f"{address}/devstoreaccount1"
        assert (await retrieve()).status == 504
        await compose.end()
    settings["AGENTS_STORE"] = f"http://127.0.0.1:{free_port()}/devstoreaccount1"
    return await retrieve()


async def definition_is_unreadable(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    store = Path(settings["AGENTS_FILE"]).with_name("store.json")
    store.write_text(json.dumps({"agents": {"broken": {"etag": "0x1", "agent": "{"}}}))
    settings["AGENTS_STORE"] = str(store)
    assert (await retrieve()).status == 200
    return await retrieve(agent="broken")


async def settings_are_missing(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    settings["AZURE_SEARCH_ENDPOINT"] = ""
    return await retrieve()


async def instance_is_full(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Response:
    release = asyncio.Event()
    azure.search = held(release, FOUND)
    async with asyncio.TaskGroup() as group:
        under_way = [group.create_task(retrieve(agent="plain")) for _ in range(64)]
        await azure.asked("search", 64)
        answer = await retrieve(agent="plain")
        release.set()
    assert {task.result().status for task in under_way} == {200}
    assert header(answer, "retry-after") == "9"
    return answer


SCENES: Final[dict[str, Scene]] = {
    "Search fails or cannot be reached": search_fails,
    "Search is silent for 30 s": search_is_silent,
    "An index did not answer the last five calls": search_hangs_again_and_again,
    "Search throttles every sub-query": search_throttles,
    "Search refuses the identity": search_refuses,
    "Search lacks something that the call needs": ranker_off,
    "Search has no such index": no_index,
    "Some sub-queries fail": some_fail,
    "All sub-queries fail, in different ways": all_fail_differently,
    "The semantic ranker fails for some sub-queries": no_ranker,
    "The model throttles, fails or returns an unreadable reply": model_fails,
    "The model is silent": model_is_silent,
    "The store does not answer, but this instance knows the agent": table_is_away_and_the_agent_known,
    "The store does not answer, and this instance does not know the agent": table_is_away,
    "One agent's definition cannot be read": definition_is_unreadable,
    "The service lacks settings": settings_are_missing,
    "An instance has 64 requests in flight": instance_is_full,
}


def test_every_row_has_its_scene() -> None:
    assert list(ROWS) == list(SCENES)


@pytest.mark.parametrize("row", SCENES)
async def test_a_retrieve_answers_as_the_row_says(
    row: str, azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> None:
    azure.index, azure.search, azure.chat = definition(), FOUND, queries("roads", "rivers")
    answer = await SCENES[row](azure, retrieve, settings)
    said = ROWS[row]
    assert said.startswith(str(answer.status))
    if answer.status != 200:
        assert f"`{answer.json['error']['code']}`" in said
