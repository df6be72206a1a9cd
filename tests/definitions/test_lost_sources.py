"""A source that is gone takes its filter with it: what names it is an error, on two instances over one store."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retrieval.compose import compose_service
from retrieval.definitions.cache import SECONDS
from retrieval.http.service import Service
from retrieval.settings.settings import Settings
from retrieval.telemetry.readiness import Readiness
from tests.definitions.instances import (
    ADMIN,
    INDEX,
    Place,
    agent,
    asked,
    base,
    error,
    pages,
    send,
    source,
    tool_names,
    used,
)
from tests.definitions.test_cache import Clock
from tests.rooms import NEEDS_MCP


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["file", "table"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "file":
        return Place(address=str(tmp_path / "agents.json"))
    return Place(address=request.getfixturevalue("table_endpoint"))


@pytest.fixture
async def instances(place: Place, clock: Clock) -> AsyncIterator[tuple[Service, Service]]:
    settings = Settings(local=True, agents_store=place.address, admin_api_keys=(ADMIN,))
    both = compose_service(settings, ticks=clock), compose_service(settings, ticks=clock)
    yield both
    for name in ("x", "y"):
        await send(both[0], "DELETE", f"agents/{name}")
    for name in ("s", "other", INDEX):
        await send(both[0], "DELETE", f"knowledgesources/{name}")
    for one in both:
        await one.process.close()


async def test_what_is_deleted_with_its_source_never_answers_without_the_filter(
    instances: tuple[Service, Service], clock: Clock
) -> None:
    one, other = instances
    await send(one, "PUT", "knowledgesources/s", source("s", "104"))
    for name in ("x", "y"):
        assert (await send(one, "PUT", f"knowledgebases/{name}", base(name, "s"))).status == 201
    assert pages(await asked(other, "x")) == {"104"}
    clock.now += 2
    assert pages(await asked(other, "y")) == {"104"}
    for path in ("knowledgebases/x", "knowledgebases/y", "knowledgesources/s"):
        assert (await send(one, "DELETE", path)).status == 204
    for _ in range(12):
        clock.now += 0.5
        for name in ("x", "y"):
            assert pages(await asked(other, name)) <= {"104"}
    assert [(await asked(other, name)).status for name in ("x", "y")] == [404, 404]


async def test_a_base_never_gets_what_a_source_became_after_the_base_had_left_it(
    instances: tuple[Service, Service], clock: Clock
) -> None:
    one, other = instances
    await send(one, "PUT", "knowledgesources/s", source("s", "104"))
    await send(one, "PUT", "knowledgesources/other", source("other", "105"))
    for name in ("x", "y"):
        await send(one, "PUT", f"knowledgebases/{name}", base(name, "s"))
    await asked(other, "x")
    clock.now += 2
    await asked(other, "y")
    for name in ("x", "y"):
        await send(one, "PUT", f"knowledgebases/{name}", base(name, "other"))
    assert (await send(one, "PUT", "knowledgesources/s", source("s"))).status == 200
    for _ in range(12):
        clock.now += 0.5
        for name in ("x", "y"):
            assert pages(await asked(other, name)) <= {"104", "105"}
    assert pages(await asked(other, "y")) == {"105"}


async def test_of_a_base_put_and_its_source_deleted_at_once_not_both_succeed(
    instances: tuple[Service, Service],
) -> None:
    one, other = instances
    for _ in range(8):
        await send(one, "PUT", "knowledgesources/s", source("s", "104"))
        put, deleted = await asyncio.gather(
            send(one, "PUT", "knowledgebases/x", base("x", "s")), send(other, "DELETE", "knowledgesources/s")
        )
        assert (put.status, deleted.status) != (201, 204)
        assert put.status in {201, 400}
        assert deleted.status in {204, 409}
        for service in instances:
            answer = await asked(service, "x")
            assert answer.status == (200 if put.status == 201 else 404)
            assert pages(answer) <= {"104"}
        await send(one, "DELETE", "knowledgebases/x")


async def test_of_a_base_replaced_and_its_new_source_deleted_at_once_not_both_succeed(
    instances: tuple[Service, Service],
) -> None:
    one, other = instances
    await send(one, "PUT", "knowledgesources/s", source("s", "104"))
    for _ in range(8):
        await send(one, "PUT", "knowledgebases/x", base("x", "s"))
        await send(one, "PUT", "knowledgesources/other", source("other", "105"))
        put, deleted = await asyncio.gather(
            send(one, "PUT", "knowledgebases/x", base("x", "other")), send(other, "DELETE", "knowledgesources/other")
        )
        assert (put.status, deleted.status) != (200, 204)
        assert pages(await asked(one, "x")) == ({"105"} if put.status == 200 else {"104"})


async def test_a_source_that_the_store_has_lost_is_named_by_whatever_needs_it(
    instances: tuple[Service, Service], place: Place, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = instances
    await send(one, "PUT", "knowledgesources/s", source("s", "104"))
    await send(one, "PUT", "knowledgebases/x", base("x", "s"))
    await send(one, "PUT", "knowledgebases/y", base("y", "s"))
    assert pages(await asked(other, "x")) == {"104"}
    await place.lose("source", "s")
    assert pages(await asked(other, "x")) <= {"104"}
    clock.now += SECONDS
    for service, name in ((one, "x"), (other, "x"), (other, "y")):
        status, sentence = error(await asked(service, name))
        assert (status, "'s' of" in sentence, f"{name!r}" in sentence) == (502, True, True)
    status, sentence = error(await send(one, "PUT", "knowledgebases/x", base("x", "s")))
    assert (status, "There is no knowledge source 's'." in sentence) == (400, True)

    states = (await Readiness(lambda: one.process.probes, ticks=clock).report()).states
    assert states["agentStore"] == "sourceMissing"
    assert "'s' of 'x', 's' of 'y'" in caplog.text

    assert (await send(one, "PUT", "knowledgesources/s", source("s", "105"))).status == 201
    assert pages(await asked(one, "x")) == {"105"}
    states = (await Readiness(lambda: one.process.probes, ticks=clock).report()).states
    assert states["agentStore"] == "reachable"


@NEEDS_MCP
async def test_the_tool_of_a_base_whose_source_is_lost_names_it(
    instances: tuple[Service, Service], place: Place, clock: Clock
) -> None:
    one, _ = instances
    await send(one, "PUT", "knowledgesources/s", source("s", "104"))
    await send(one, "PUT", "knowledgebases/x", base("x", "s"))
    await place.lose("source", "s")
    clock.now += SECONDS
    for service in instances:
        assert await tool_names(service, "x") == ["knowledge_base_retrieve"]
        called = (await used(service, "x"))["result"]
        assert (called["isError"], "'s' of" in called["content"][0]["text"]) == (True, True)


async def test_an_index_does_not_take_the_place_of_its_source_that_had_a_filter(
    instances: tuple[Service, Service], place: Place, clock: Clock
) -> None:
    one, other = instances
    assert (await send(one, "PUT", "agents/x", agent("x"))).status == 201
    assert len(pages(await asked(one, "x"))) > 10
    assert (await send(one, "PUT", f"knowledgesources/{INDEX}", source(INDEX, "104"))).status == 200
    assert pages(await asked(one, "x")) == {"104"}
    assert (await send(one, "PUT", "agents/x", {**agent("x"), "description": "d"})).status == 200
    await place.lose("source", INDEX)
    clock.now += SECONDS
    for service in instances:
        assert error(await asked(service, "x"))[0] == 502
    assert error(await send(one, "PUT", "agents/x", agent("x")))[0] == 400
    assert (await send(other, "PUT", "agents/y", agent("y"))).status == 201
    assert (await send(other, "DELETE", "agents/y")).status == 204
    assert error(await asked(other, "x"))[0] == 502
    assert (await send(one, "PUT", f"knowledgesources/{INDEX}", source(INDEX, "105"))).status == 201
    assert pages(await asked(one, "x")) == {"105"}


async def test_an_agent_that_was_made_over_a_filtered_source_does_not_outlive_its_filter(
    instances: tuple[Service, Service], place: Place, clock: Clock
) -> None:
    one, _ = instances
    await send(one, "PUT", f"knowledgesources/{INDEX}", source(INDEX, "104"))
    assert (await send(one, "PUT", "agents/x", agent("x"))).status == 201
    await place.lose("source", INDEX)
    for service in instances:
        assert error(await asked(service, "x"))[0] == 502


async def test_a_filter_of_the_file_of_definitions_holds_for_agents_and_bases_over_its_index(
    tmp_path: Path, clock: Clock
) -> None:
    configured, kept = tmp_path / "configured.json", Place(address=str(tmp_path / "kept.json"))
    members = {"knowledgeSources": [source(INDEX, "104")], "agents": [agent("x")], "knowledgeBases": [base("y", INDEX)]}
    configured.write_text(json.dumps(members))
    settings = Settings(local=True, agents_store=kept.address, agents_file=str(configured), admin_api_keys=(ADMIN,))
    service = compose_service(settings, ticks=clock)
    for name in ("x", "y"):
        assert pages(await asked(service, name)) == {"104"}
    states = (await Readiness(lambda: service.process.probes, ticks=clock).report()).states
    assert states["agentStore"] == "reachable"
    await kept.lose("source", INDEX)
    clock.now += SECONDS
    for name in ("x", "y"):
        assert error(await asked(service, name))[0] == 502
    await service.process.close()


async def test_a_base_of_the_file_over_the_index_of_an_agent_is_searched(tmp_path: Path) -> None:
    configured = tmp_path / "configured.json"
    configured.write_text(json.dumps({"agents": [agent("x")], "knowledgeBases": [base("y", INDEX)]}))
    for store in ("memory", str(tmp_path / "kept.json")):
        settings = Settings(local=True, agents_store=store, agents_file=str(configured), admin_api_keys=(ADMIN,))
        service = compose_service(settings)
        assert len(pages(await asked(service, "y"))) > 10
        await service.process.close()
