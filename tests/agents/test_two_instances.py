"""Two instances of the service over one store: what one changes, the other sees within the time of its memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from azure.core.credentials import AzureNamedKeyCredential

from retrieval.backends.agent_cache import SECONDS
from retrieval.backends.agent_table import TableAgentStore
from retrieval.compose import compose
from retrieval.contracts.rendered import Rendered
from retrieval.endpoints import Call, Service, retrieve_with_agent
from retrieval.errors import BackendForbidden
from retrieval.management import create_agent, delete_agent, get_agent, list_agents, put_agent
from retrieval.model import Agent, Target
from retrieval.settings import Settings
from retrieval.stored import UNCONDITIONAL
from tests.agents.test_cache import Clock
from tests.azurite import azurite
from tests.conftest import ask

ADMIN: Final = "admin-key"


def call(body: object = None, headers: Mapping[str, str] | None = None) -> Call:
    content = b"" if body is None else json.dumps(body).encode()
    sent = {"api-key": ADMIN, **(headers or {})}
    return Call(headers=sent, query={"api-version": "2025-05-01-preview"}, body=content)


def definition(name: str, **target: object) -> dict[str, object]:
    return {"name": name, "models": [], "targetIndexes": [{"indexName": "earth_at_night", **target}]}


def read(answer: Rendered) -> Any:
    return json.loads(answer.body)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["file", "table"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "agents.json")
    endpoint: str = request.getfixturevalue("table_endpoint")
    return endpoint


@pytest.fixture
async def instances(place: str, clock: Clock) -> AsyncIterator[tuple[Service, Service]]:
    settings = Settings(local=True, agents_store=place, admin_api_keys=(ADMIN,))
    both = compose(settings, ticks=clock), compose(settings, ticks=clock)
    yield both
    for one in both:
        await one.close()


async def references(service: Service, agent: str) -> int:
    """How many documents a retrieval finds; -1 where there is no such agent."""
    answer = await retrieve_with_agent(service, call(ask("Why is the street grid of Phoenix so visible?")), agent)
    return len(read(answer)["references"]) if answer.status == 200 else -1


async def test_a_change_is_seen_by_the_other_instance_when_its_time_is_up_and_by_its_own_at_once(
    instances: tuple[Service, Service], clock: Clock
) -> None:
    one, other = instances
    all_of_them, the_best = {"defaultRerankerThreshold": 0.0}, {"defaultRerankerThreshold": 4.0}
    assert (await create_agent(one, call(definition("shared", **all_of_them)))).status == 201
    many = await references(one, "shared")
    assert await references(other, "shared") == many
    assert (await put_agent(other, call(definition("shared", **the_best)), "shared")).status == 200
    few = await references(other, "shared")
    assert 0 <= few < many
    assert await references(one, "shared") == many
    clock.now += SECONDS
    assert await references(one, "shared") == await references(other, "shared") == few
    assert (await delete_agent(one, call(), "shared")).status == 204
    assert await references(one, "shared") == -1
    assert await references(other, "shared") == few
    clock.now += SECONDS
    assert await references(other, "shared") == -1


async def test_definitions_are_read_as_they_are_stored_at_this_moment(instances: tuple[Service, Service]) -> None:
    one, other = instances
    created = await create_agent(one, call(definition("fresh")))
    assert read(await get_agent(other, call(), "fresh")) == read(created)
    assert "fresh" in [agent["name"] for agent in read(await list_agents(other, call()))["value"]]
    assert (await create_agent(other, call(definition("fresh")))).status == 409


async def test_of_writers_at_both_instances_with_one_etag_one_wins(instances: tuple[Service, Service]) -> None:
    created = read(await create_agent(instances[0], call(definition("contested"))))
    condition = {"if-match": created["@odata.etag"]}

    async def write(number: int) -> Rendered:
        body = {**definition("contested"), "description": f"version {number} " * 100}
        return await put_agent(instances[number % 2], call(body, condition), "contested")

    answers = await asyncio.gather(*(write(number) for number in range(24)))
    [won] = [answer for answer in answers if answer.status == 200]
    assert {answer.status for answer in answers} == {200, 412}
    for one in instances:
        assert read(await get_agent(one, call(), "contested")) == read(won)


async def test_instances_that_start_at_once_seed_once(instances: tuple[Service, Service]) -> None:
    lists = await asyncio.gather(*(list_agents(one, call()) for one in (*instances, *instances)))
    assert len({answer.body for answer in lists}) == 1
    assert "earth-at-night" in [agent["name"] for agent in read(lists[0])["value"]]


async def test_without_the_table_service_a_known_agent_retrieves_while_it_is_remembered(clock: Clock) -> None:
    settings = Settings(local=True, agents_store="", admin_api_keys=(ADMIN,))
    with azurite() as endpoint:
        service = compose(replace(settings, agents_store=endpoint), ticks=clock)
        assert await references(service, "earth-at-night") > 0
    assert await references(service, "earth-at-night") > 0
    clock.now += SECONDS
    answer = await retrieve_with_agent(service, call(ask("Where are gas flares?")), "earth-at-night")
    await service.close()
    assert answer.status == 502
    assert "The agent store could not be reached" in read(answer)["error"]["message"]


async def test_a_table_service_that_does_not_accept_the_credential_is_told_with_what_it_takes(
    table_endpoint: str,
) -> None:
    wrong = AzureNamedKeyCredential("devstoreaccount1", "d3Jvbmc=")
    store = TableAgentStore(table_endpoint, wrong)
    with pytest.raises(BackendForbidden, match="Storage Table Data Contributor"):
        await store.list()
    with pytest.raises(BackendForbidden):
        await store.put(Agent(name="a", targets=(Target(index="i"),)), when=UNCONDITIONAL)
    await store.close()
