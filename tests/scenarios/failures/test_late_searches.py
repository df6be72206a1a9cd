"""A search that is silent much longer than its target's recent ones: it is given up, told, and the others answer."""

import asyncio
from collections import Counter
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import pytest

from retrieval.call.ports import LEAST_RECORDS, LEAST_SECONDS, MOST_RECORDS, Pace, Waits
from retrieval.errors import BackendLate
from retrieval.local.wire import WireService
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.outgoing.breakers_and_retries import GuardedIndex, pause_listeners
from tests.mcp_messages import calling
from tests.rooms import NEEDS_MCP
from tests.scenarios.failures.answer import searches
from tests.scenarios.failures.conftest import RUNTIME_SECONDS, Retrieve, Tools, result
from tests.scenarios.failures.test_lookups import Watch
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    delayed,
    document,
    failing,
    found,
    in_turn,
    queries,
    stalling,
    streaming,
)
from tests.scripted_azure.streams import ending, piece

ROADS: Final = found(document("road", 3.1))
THREE: Final = ("roads", "rivers", "harbours")
LATE: Final = "usually answers much sooner"


async def learn(azure: ScriptedAzure, retrieve: Retrieve, script: WireService = ROADS) -> None:
    """Put enough searches of the index on record."""
    azure.search = script
    for _ in range(LEAST_RECORDS):
        assert (await retrieve("Which roads?", agent="plain")).status == 200


@pytest.mark.parametrize("script", [stalling(), delayed(10, ROADS)], ids=["silent", "slow"])
async def test_one_late_search_of_three_costs_at_most_two_seconds(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    await learn(azure, retrieve)
    azure.chat, azure.search = queries(*THREE), by_search({"rivers": script}, otherwise=ROADS)
    watch = Watch()
    answer = await retrieve()
    assert watch.seconds < 2
    assert (answer.status, len(answer.json["references"])) == (200, 1)
    roads, rivers, harbours = searches(answer)
    assert "error" not in roads and "error" not in harbours
    assert rivers["error"]["code"] == "BackendTimeout"
    assert LATE in rivers["error"]["message"]
    assert LEAST_SECONDS * 1000 <= rivers["elapsedMs"] < 2_000


@NEEDS_MCP
async def test_one_hanging_search_of_five_costs_at_most_two_seconds(
    azure: ScriptedAzure, retrieve: Retrieve, tools: Tools
) -> None:
    await learn(azure, retrieve)
    azure.search = by_search({"roads 3": stalling()}, otherwise=ROADS)
    watch = Watch()
    five = calling("knowledge_base_retrieve", {"queries": [f"roads {number}" for number in range(5)]})
    answer = await tools(five, agent="plain")
    assert watch.seconds < 2
    assert result(answer)["isError"] is False


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_throttled_search_is_repeated_when_its_target_says_and_is_not_late(
    times: int, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    await learn(azure, retrieve)
    throttled = in_turn(*[failing(429, retry_after=2)] * times, ROADS)
    azure.chat, azure.search = queries(*THREE), by_search({"rivers": throttled}, otherwise=ROADS)
    watch = Watch()
    rivers = searches(await retrieve())[1]
    assert watch.seconds < 5
    if times < 3:
        assert "error" not in rivers
    else:
        assert rivers["error"]["code"] == "BackendThrottled"


async def test_the_only_search_is_waited_for(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await learn(azure, retrieve)
    azure.search = delayed(8, ROADS)
    (search,) = searches(await retrieve("Which roads?", agent="plain"))
    assert "error" not in search


async def test_where_all_are_slow_alike_none_is_late(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await learn(azure, retrieve)
    slow = {name: delayed(seconds, ROADS) for name, seconds in zip(THREE, (3, 3.5, 5), strict=True)}
    azure.chat, azure.search = queries(*THREE), by_search(slow, otherwise=ROADS)
    assert ["error" in search for search in searches(await retrieve())] == [False] * 3


async def test_what_most_searches_of_a_call_wait_for_is_waited_for(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await learn(azure, retrieve)
    azure.chat = queries(*THREE)
    azure.search = by_search({"rivers": delayed(4, ROADS), "harbours": delayed(7, ROADS)}, otherwise=ROADS)
    assert ["error" in search for search in searches(await retrieve())] == [False] * 3


async def test_no_search_is_late_while_the_plan_is_being_written(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    """`rivers` takes two seconds and the plan three: nobody waits for `rivers`."""
    await learn(azure, retrieve)
    azure.search = by_search({"rivers": delayed(2, ROADS)}, otherwise=ROADS)
    azure.chat = streaming(piece('{"queries": ["roads", "rivers"'), partial(asyncio.sleep, 3), piece("]}"), ending())
    assert ["error" in search for search in searches(await retrieve())] == [False] * 2


async def test_a_search_that_hangs_since_the_plan_was_written_is_given_up_with_it(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    await learn(azure, retrieve)
    azure.search = by_search({"rivers": stalling()}, otherwise=ROADS)
    azure.chat = streaming(piece('{"queries": ["roads", "rivers"'), partial(asyncio.sleep, 3), piece("]}"), ending())
    watch = Watch()
    assert ["error" in search for search in searches(await retrieve())] == [False, True]
    assert watch.seconds < 3.5


async def test_a_target_that_is_always_slow_is_waited_for(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    await learn(azure, retrieve, delayed(1.5, ROADS))
    azure.chat, azure.search = queries(*THREE), by_search({"rivers": delayed(4, ROADS)}, otherwise=ROADS)
    assert ["error" in search for search in searches(await retrieve())] == [False] * 3


@pytest.mark.parametrize("switched_off", [False, True], ids=["too few are on record", "it is switched off"])
async def test_no_search_is_given_up_where(
    switched_off: bool, azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> None:
    if switched_off:
        settings["WAIT_FOR_LATE_SEARCHES"] = "1"
        await learn(azure, retrieve)
    azure.chat, azure.search = queries(*THREE), by_search({"rivers": stalling()}, otherwise=ROADS)
    rivers = searches(await retrieve())[1]
    assert "did not answer within" in rivers["error"]["message"]
    assert rivers["elapsedMs"] > RUNTIME_SECONDS * 500


class Silent:
    """An index that answers every search but the last one, for which it takes six seconds."""

    async def search(self, subquery: Subquery) -> Page:
        await asyncio.sleep(6 if subquery.search == "last" else 0)
        return Page()


@pytest.mark.parametrize("required", [False, True])
async def test_a_target_whose_failure_fails_the_call_is_waited_for(required: bool) -> None:
    pace, index = Pace(), Silent()
    waits, until = Waits(pace), asyncio.get_running_loop().time() + 10
    target = SearchTarget(index="atlas", threshold=0, fail_on_error=required)
    for _ in range(LEAST_RECORDS):
        pace.took("atlas", 0.1)
    both = [Subquery(search=text, target=target) for text in ("first", "last")]
    waits.expect(len(both), round=0)
    made = (waits.search(index, one, until=until, round=0) for one in both)
    found = await asyncio.gather(*made, return_exceptions=True)
    assert [type(one) for one in found] == [Page, Page if required else BackendLate]


class Paced:
    """An index that takes as many seconds for an answer as `seconds` says of the target."""

    def __init__(self) -> None:
        self.seconds = {"atlas": 0.01, "globe": 0.02}

    async def search(self, subquery: Subquery) -> Page:
        await asyncio.sleep(self.seconds[subquery.target.index])
        return Page()


@dataclass(kw_only=True)
class Asking:
    """Calls of three searches in each of two targets."""

    paced: Paced = field(default_factory=Paced)
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        self._index = GuardedIndex(self.paced, requests=10)

    async def call(self, *, runtime: float = 30) -> Counter[str]:
        """What becomes of the searches in `globe`, by the names of classes."""
        waits, until = Waits(self.pace), asyncio.get_running_loop().time() + runtime
        wanted = [
            Subquery(search=text, target=SearchTarget(index=name, threshold=0))
            for name in ("atlas", "globe")
            for text in THREE
        ]
        waits.expect(len(wanted), round=0)
        made = (waits.search(self._index, one, until=until, round=0) for one in wanted)
        found = await asyncio.gather(*made, return_exceptions=True)
        return Counter(type(one).__name__ for one in found[len(THREE) :])


@pytest.fixture
async def asking() -> Asking:
    """Enough searches of both targets are on record for a slow one to be one in a hundred."""
    asking = Asking()
    for _ in range(MOST_RECORDS // len(THREE) + 1):
        await asking.call()
    return asking


@pytest.mark.parametrize("seconds", [1.5, 2.5])
async def test_a_target_that_has_become_slower_has_all_its_documents_again_after_a_few_calls(
    seconds: float, asking: Asking
) -> None:
    asking.paced.seconds["globe"] = seconds
    calls = [await asking.call() for _ in range(8)]
    assert calls[0] == {"BackendLate": len(THREE)}
    assert calls[4:] == [{"Page": len(THREE)}] * 4


async def test_a_target_that_hangs_beside_a_quick_one_is_soon_not_called(asking: Asking) -> None:
    asking.paced.seconds["globe"] = 100
    calls = [await asking.call() for _ in range(8)]
    assert calls[0] == {"BackendLate": len(THREE)}
    assert calls[-1] == {"BackendSuspended": len(THREE)}
    watch = Watch()
    await asking.call()
    assert watch.seconds < LEAST_SECONDS


class Keeping:
    """An index that keeps the context of a search, as a connection does that is opened in it."""

    kept: Context

    async def search(self, subquery: Subquery) -> Page:
        self.kept = copy_context()
        assert len(self.kept.run(pause_listeners.get) or ()) == 1
        return Page()


async def test_a_context_that_outlives_a_search_keeps_nothing_of_it() -> None:
    index, until = Keeping(), asyncio.get_running_loop().time() + RUNTIME_SECONDS
    subquery = Subquery(search="roads", target=SearchTarget(index="atlas", threshold=0))
    assert await Waits().search(index, subquery, until=until, round=0) == Page()
    assert index.kept.run(pause_listeners.get) == []
