"""Two instances of the service over one store: what one changes, the other sees within the time of its memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from azure.core.credentials import AzureNamedKeyCredential

from retrieval.compose import compose_service
from retrieval.contracts.rendered import Rendered
from retrieval.definitions.cache import SECONDS
from retrieval.definitions.stored_json import AGENTS
from retrieval.definitions.table_store import TableStore
from retrieval.errors import BackendForbidden
from retrieval.http.call import Call
from retrieval.http.retrieve import RETRIEVE
from retrieval.http.service import Service
from retrieval.model.definitions import Agent, Target
from retrieval.model.precondition import UNCONDITIONAL
from retrieval.settings.settings import Settings
from tests.azurite import azurite
from tests.conftest import ask
from tests.definitions.instances import OPERATIONS, answer_call
from tests.definitions.test_cache import Clock

ADMIN: Final = "admin-key"

LIST, CREATE = OPERATIONS["GET agents"], OPERATIONS["POST agents"]
GET, PUT, DELETE = (OPERATIONS[f"{method} agents/{{name}}"] for method in ("GET", "PUT", "DELETE"))


def call(name: str = "", body: object = None, headers: Mapping[str, str] | None = None) -> Call:
    content = b"" if body is None else json.dumps(body).encode()
    sent = {"api-key": ADMIN, **(headers or {})}
    return Call(headers=sent, query={"api-version": "2025-05-01-preview"}, route={"name": name}, body=content)


def definition(name: str, **target: object) -> dict[str, object]:
    return {"name": name, "models": [], "targetIndexes": [{"indexName": "earth_at_night", **target}]}


def read(answer: Rendered) -> Any:
    return json.loads(answer.content)


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
    both = compose_service(settings, ticks=clock), compose_service(settings, ticks=clock)
    yield both
    for one in both:
        await one.process.close()


async def references(service: Service, agent: str) -> int:
    """How many documents a retrieval finds; -1 where there is no such agent."""
    answer = await answer_call(RETRIEVE, service, call(agent, ask("Why is the street grid of Phoenix so visible?")))
    return len(read(answer)["references"]) if answer.status == 200 else -1


async def test_a_change_is_seen_by_the_other_instance_when_its_time_is_up_and_by_its_own_at_once(
    instances: tuple[Service, Service], clock: Clock
) -> None:
    one, other = instances
    all_of_them, the_best = {"defaultRerankerThreshold": 0.0}, {"defaultRerankerThreshold": 4.0}
    assert (await answer_call(CREATE, one, call(body=definition("shared", **all_of_them)))).status == 201
    many = await references(one, "shared")
    assert await references(other, "shared") == many
    assert (await answer_call(PUT, other, call("shared", definition("shared", **the_best)))).status == 204
    few = await references(other, "shared")
    assert 0 <= few < many
    assert await references(one, "shared") == many
    clock.now += SECONDS
    assert await references(one, "shared") == await references(other, "shared") == few
    assert (await answer_call(DELETE, one, call("shared"))).status == 204
    assert await references(one, "shared") == -1
    assert await references(other, "shared") == few
    clock.now += SECONDS
    assert await references(other, "shared") == -1


async def test_definitions_are_read_as_they_are_stored_at_this_moment(instances: tuple[Service, Service]) -> None:
    one, other = instances
    created = await answer_call(CREATE, one, call(body=definition("fresh")))
    assert read(await answer_call(GET, other, call("fresh"))) == read(created)
    assert "fresh" in [agent["name"] for agent in read(await answer_call(LIST, other, call()))["value"]]
    assert (await answer_call(CREATE, other, call(body=definition("fresh")))).status == 409


async def test_of_writers_at_both_instances_with_one_etag_one_wins(instances: tuple[Service, Service]) -> None:
    created = read(await answer_call(CREATE, instances[0], call(body=definition("contested"))))
    condition = {"if-match": created["@odata.etag"], "prefer": "return=representation"}

    async def write(number: int) -> Rendered:
        body = {**definition("contested"), "description": f"version {number} " * 100}
        return await answer_call(
            OPERATIONS["PUT agents/{name}"], instances[number % 2], call("contested", body, condition)
        )

    answers = await asyncio.gather(*(write(number) for number in range(24)))
    [won] = [answer for answer in answers if answer.status == 200]
    assert {answer.status for answer in answers} == {200, 412}
    for one in instances:
        assert read(await answer_call(GET, one, call("contested"))) == read(won)


async def test_instances_that_start_at_once_seed_once(instances: tuple[Service, Service]) -> None:
    lists = await asyncio.gather(*(answer_call(LIST, one, call()) for one in (*instances, *instances)))
    assert len({answer.body for answer in lists}) == 1
    assert "earth-at-night" in [agent["name"] for agent in read(lists[0])["value"]]


async def test_without_the_table_service_a_known_agent_retrieves_and_an_unknown_one_is_an_error(clock: Clock) -> None:
    settings = Settings(local=True, agents_store="", admin_api_keys=(ADMIN,))
    with azurite() as endpoint:
        service = compose_service(replace(settings, agents_store=endpoint), ticks=clock)
        assert await references(service, "earth-at-night") > 0
    assert await references(service, "earth-at-night") > 0
    clock.now += SECONDS
    assert await references(service, "earth-at-night") > 0
    answer = await answer_call(RETRIEVE, service, call("another", ask("Where are gas flares?")))
    await service.process.close()
    assert answer.status == 502
    assert "The agent store could not be reached" in read(answer)["error"]["message"]


async def test_a_table_service_that_does_not_accept_the_credential_is_told_with_what_it_takes(
    table_endpoint: str,
) -> None:
    wrong = AzureNamedKeyCredential("devstoreaccount1", "d3Jvbmc=")
    store = TableStore(table_endpoint, wrong, AGENTS)
    with pytest.raises(BackendForbidden, match="Storage Table Data Contributor, or network rules"):
        await store.list()
    with pytest.raises(BackendForbidden):
        await store.put(Agent(name="a", targets=(Target(index="i"),)), when=UNCONDITIONAL)
    await store.close()
