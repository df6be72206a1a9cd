"""The lookup of an agent where the store is silent or away: in time, and with what is remembered."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final
from urllib.parse import unquote

import pytest

from retrieval.definitions.cache import SECONDS
from retrieval.definitions.seeded_store import PATIENCE_SECONDS, READ_SECONDS
from retrieval.definitions.stored_json import AGENTS
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.model.definitions import Agent, Stored, Target
from tests.conftest import Post, ask
from tests.scenarios.failures.conftest import CALLER_KEY, RUNTIME_SECONDS, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, cutting, document, failing, found, stalling

STORED: Final = Agent(name="stored", targets=(Target(index="atlas"),), max_runtime=RUNTIME_SECONDS)


def has_one(entity: Mapping[str, str]) -> WireService:
    """A table service that has one entity."""
    there, nothing = answering({**entity, "odata.etag": 'W/"1"'}), failing(404)

    async def answer(request: WireRequest) -> WireResponse:
        return await (there if f"PartitionKey='{entity['PartitionKey']}'" in unquote(request.target) else nothing)(
            request
        )

    return answer


class Table:
    """A table service that has one agent, until another script is set."""

    def __init__(self) -> None:
        entity = {
            "PartitionKey": "agents",
            "RowKey": STORED.name,
            "Etag": "0x1",
            "Agent": AGENTS.write(Stored(value=STORED, etag="")),
        }
        self.script: WireService = has_one(entity)
        self.asked = 0

    async def __call__(self, request: WireRequest) -> WireResponse:
        self.asked += 1
        return await self.script(request)


@pytest.fixture
async def table(settings: dict[str, str], azure: ScriptedAzure) -> AsyncIterator[Table]:
    azure.search = found(document("road", 3.1))
    table = Table()
    async with serving(table) as address:
        settings.update(AGENTS_FILE="", AGENTS_STORE=f"{address}/devstoreaccount1")
        yield table


class Watch:
    """Seconds on the loop's clock since it was made."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._start = self._time()

    @property
    def seconds(self) -> float:
        return self._time() - self._start


async def test_a_table_that_never_answered_is_given_up_within_the_deadline(table: Table, retrieve: Retrieve) -> None:
    table.script = stalling()
    watch = Watch()
    answer = await retrieve(agent="stored")
    assert (answer.status, answer.json["error"]["code"]) == (504, "BackendTimeout")
    assert READ_SECONDS <= watch.seconds < RUNTIME_SECONDS


async def test_a_known_agent_is_served_as_it_is_remembered_when_the_table_falls_silent(
    table: Table, retrieve: Retrieve
) -> None:
    """One request a round waits, for a second."""
    assert (await retrieve(agent="stored")).status == 200
    table.script = stalling()
    for _ in range(3):
        await asyncio.sleep(2 * SECONDS)
        watch = Watch()
        assert (await retrieve(agent="stored")).status == 200
        assert PATIENCE_SECONDS <= watch.seconds < READ_SECONDS
        watch = Watch()
        assert {one.status for one in await asyncio.gather(*(retrieve(agent="stored") for _ in range(5)))} == {200}
        assert watch.seconds < PATIENCE_SECONDS


@pytest.mark.parametrize("script", [failing(503), failing(403), cutting()], ids=["fails", "refuses", "is cut"])
async def test_a_known_agent_is_served_as_it_is_remembered_when_the_table(
    script: WireService, table: Table, retrieve: Retrieve
) -> None:
    assert (await retrieve(agent="stored")).status == 200
    table.script = script
    for _ in range(5):
        await asyncio.sleep(SECONDS)
        watch = Watch()
        assert (await retrieve(agent="stored")).status == 200
        assert watch.seconds < READ_SECONDS


async def test_what_the_lookup_takes_is_taken_from_the_retrieval(
    table: Table, retrieve: Retrieve, azure: ScriptedAzure
) -> None:
    """A table that is slow and a search that is silent end at the one deadline."""
    slow, azure.search = asyncio.Event(), stalling()
    answers, watch = table.script, Watch()

    async def late(request: WireRequest) -> WireResponse:
        await slow.wait()
        return await answers(request)

    table.script = late
    asking = asyncio.create_task(retrieve(agent="stored"))
    await asyncio.sleep(4)
    slow.set()
    answer = await asking
    assert answer.status == 504
    assert RUNTIME_SECONDS - 0.5 <= watch.seconds < RUNTIME_SECONDS + 2


async def test_an_unknown_name_costs_one_question_and_is_a_404(table: Table, retrieve: Retrieve, post: Post) -> None:
    await retrieve(agent="stored")
    table.script, before = failing(404), table.asked
    answer = await post(ask("x"), "/agents('nobody')/retrieve?api-version=2025-05-01-preview", key=CALLER_KEY)
    assert (answer.status, table.asked - before) == (404, 1)
