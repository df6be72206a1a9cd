"""The table of docs/deploy.md, "What happens when something is away": every row of it is made to happen."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

import pytest

from retrieval.backends.agent_cache import SECONDS, AgentCache
from retrieval.backends.agent_store import MemoryAgentStore
from retrieval.errors import BackendUnavailable
from retrieval.model import Agent, Target
from retrieval.pipeline import PLANNING_SHARE
from retrieval.stored import StoredAgent
from tests.conftest import Answer
from tests.failures.answer import header, planning, searches
from tests.failures.conftest import Retrieve
from tests.infra.deploying import PAGE
from tests.running import free_port
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

TABLE: Final = PAGE.split("\n| What is away |")[1].split("\n\n")[0].splitlines()[2:]
ROWS: Final = {cells[1].strip(): cells[2].strip() for cells in (line.split("|") for line in TABLE)}
FOUND: Final = found(document("road", 3.1))

Scene = Callable[[ScriptedAzure, Retrieve, dict[str, str]], Coroutine[Any, Any, Answer]]


async def search_fails(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = cutting()
    unreachable = await retrieve()
    azure.search = failing(503)
    failed = await retrieve()
    assert unreachable.status == failed.status
    return failed


async def search_is_silent(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = stalling()
    answer = await retrieve(agent="patient")
    assert "30.0 s" in answer.json["error"]["message"]
    return answer


async def search_throttles(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = failing(429, retry_after=40)
    answer = await retrieve()
    assert header(answer, "retry-after") == "40"
    return answer


async def search_refuses(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = failing(403)
    return await retrieve()


async def no_index(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = failing(404)
    return await retrieve()


async def some_fail(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = by_search({"rivers": failing(503)}, otherwise=FOUND)
    answer = await retrieve()
    assert ["error" in record for record in searches(answer)] == [False, True]
    return answer


async def all_fail_differently(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = by_search({"rivers": failing(429, retry_after=40)}, otherwise=failing(503))
    answer = await retrieve()
    assert len(answer.json["error"]["details"]) == 2
    return answer


async def no_ranker(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.search = found(document("ranked", 3.1), document("unranked", None), partial="capacityOverloaded")
    answer = await retrieve(agent="plain")
    assert [one["docKey"] for one in answer.json["references"]] == ["ranked", "unranked"]
    assert ["error" in record for record in searches(answer)] == [True]
    return answer


async def model_fails(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    answers = []
    for azure.chat in (failing(429), failing(500), cutting(), replying("I would rather not.")):
        answers.append(await retrieve())
        assert "error" in planning(answers[-1])
        assert searches(answers[-1])
    assert {one.status for one in answers} == {200}
    return answers[0]


async def model_is_silent(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    azure.chat = stalling()
    answer = await retrieve()
    assert "error" in planning(answer)
    assert PLANNING_SHARE == 0.4
    return answer


async def table_is_away_for_a_moment(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    assert SECONDS == 5
    store, now = Failing(), [0.0]
    cache = AgentCache(store, ticks=lambda: now[0])
    assert await cache.find("planner") is not None
    store.away = True
    now[0] = 4.9
    assert await cache.find("planner") is not None
    await asyncio.sleep(0)
    now[0] = 5.1
    with pytest.raises(BackendUnavailable):
        await cache.find("planner")
    return await retrieve()


async def table_is_away(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    settings["AGENTS_STORE"] = f"http://127.0.0.1:{free_port()}/devstoreaccount1"
    return await retrieve()


async def settings_are_missing(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    settings["AZURE_SEARCH_ENDPOINT"] = ""
    return await retrieve()


async def instance_is_full(azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]) -> Answer:
    release = asyncio.Event()
    azure.search = held(release, FOUND)
    async with asyncio.TaskGroup() as group:
        under_way = [group.create_task(retrieve(agent="plain")) for _ in range(64)]
        await azure.asked("search", 64)
        answer = await retrieve(agent="plain")
        release.set()
    assert {task.result().status for task in under_way} == {200}
    assert header(answer, "retry-after") == "1"
    return answer


class Failing(MemoryAgentStore):
    """A store that can be away."""

    def __init__(self) -> None:
        super().__init__([Agent(name="planner", targets=(Target(index="atlas"),))])
        self.away = False

    async def get(self, name: str, *, known: StoredAgent | None = None) -> StoredAgent | None:
        if self.away:
            raise BackendUnavailable("The store", "could not be reached.")
        return await super().get(name, known=known)


SCENES: Final[dict[str, Scene]] = {
    "Search fails or cannot be reached": search_fails,
    "Search is silent for 30 s": search_is_silent,
    "Search throttles every sub-query": search_throttles,
    "Search refuses the identity": search_refuses,
    "Search has no such index": no_index,
    "Some sub-queries fail": some_fail,
    "All fail, in different ways": all_fail_differently,
    "The semantic ranker is away": no_ranker,
    "The model throttles, fails or talks nonsense": model_fails,
    "The model is silent": model_is_silent,
    "The table, and the agent was read within 5 s": table_is_away_for_a_moment,
    "The table, for longer": table_is_away,
    "Settings are missing": settings_are_missing,
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
