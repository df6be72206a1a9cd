"""Sub-queries overlap, requests overlap, and a request beyond the limit is refused at once."""

import asyncio
from typing import Final

from tests.scenarios.failures.answer import header, searches
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import ScriptedAzure, document, found, held, queries

ROADS: Final = document("road", 3.1)


async def test_all_sub_queries_are_open_at_once(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.chat = queries("roads", "rivers", "harbours")
    azure.search = held(asyncio.Barrier(3), found(ROADS))
    answer = await retrieve()
    assert [search.get("error") for search in searches(answer)] == [None] * 3


async def test_requests_do_not_wait_for_one_another(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = held(asyncio.Barrier(8), found(ROADS))
    answers = await asyncio.gather(*(retrieve("Which roads?", agent="plain") for _ in range(8)))
    assert [answer.status for answer in answers] == [200] * 8


async def test_one_request_too_many_is_refused_at_once(
    azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> None:
    settings["MAX_CONCURRENT_REQUESTS"] = "2"
    release = asyncio.Event()
    azure.search = held(release, found(ROADS))
    async with asyncio.TaskGroup() as group:
        served = [group.create_task(retrieve("Which roads?", agent="plain")) for _ in range(2)]
        await azure.asked("search", 2)
        refused = await retrieve("Which roads?", agent="plain")
        assert (refused.status, header(refused, "retry-after")) == (429, "12")
        assert refused.json["error"]["code"] == "TooManyRequests"
        assert len(azure.searches) == 2
        release.set()
    assert [task.result().status for task in served] == [200, 200]
    assert (await retrieve("Which roads?", agent="plain")).status == 200
