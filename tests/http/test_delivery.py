"""Answers that are events, over a socket on both local engines, and in one body where the host takes no parts."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.environments import ROOT, needs
from tests.http.events_app import KEY
from tests.third_parties import worker

STARTED: Final = ["event: started", 'data: {"name":"NAME"}', ""]
COMPLETED: Final = ["event: completed", "data: [1,", "data: 2]", ""]


@pytest.fixture(scope="module", params=["sdk", "runtime"])
def program(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What the program said when it was ready. It ends with its input, and must end well."""
    python = Path(sys.executable)
    if request.param == "runtime":
        needs("3.13")
        python = worker()
    with subprocess.Popen(
        [python, "-m", "tests.http.events_app.program", request.param],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        said = json.loads(process.stdout.readline())
        assert said["title"].startswith(request.param)
        yield said
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.fixture
async def client(program: dict[str, Any]) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=program["address"], headers={"api-key": KEY}, timeout=30) as client:
        yield client


@asynccontextmanager
async def events(client: httpx.AsyncClient, target: str) -> AsyncIterator[tuple[httpx.Response, AsyncIterator[str]]]:
    async with client.stream("POST", target) as response:
        yield response, response.aiter_lines()


async def take(lines: AsyncIterator[str], many: int) -> list[str]:
    return [await anext(lines) for _ in range(many)]


def named(lines: list[str], name: str) -> list[str]:
    return [line.replace("NAME", name) for line in lines]


async def test_an_event_arrives_before_the_next_one_happens(client: httpx.AsyncClient) -> None:
    async with events(client, "/events/held") as (response, lines):
        assert await take(lines, 3) == named(STARTED, "held")
        await client.post("/release/held")
        assert [line async for line in lines] == COMPLETED
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (response.headers["transfer-encoding"], response.headers["request-id"]) == ("chunked", "id-of-the-call")
    assert "content-length" not in response.headers


async def test_a_quiet_connection_gets_comments(client: httpx.AsyncClient) -> None:
    async with events(client, "/quiet/silent") as (_, lines):
        assert await take(lines, 7) == [*named(STARTED, "silent"), *[": heartbeat", ""] * 2]
        await client.post("/release/silent")
        rest = [line async for line in lines]
    assert [line for line in rest if line != ": heartbeat" and line] == COMPLETED[:3]


async def test_the_work_ends_when_the_client_goes_away(client: httpx.AsyncClient) -> None:
    async with events(client, "/events/left") as (_, lines):
        await take(lines, 3)
    assert (await client.get("/ended/left")).status_code == 204


async def test_a_call_is_in_flight_until_its_last_event(client: httpx.AsyncClient) -> None:
    async with events(client, "/events/a") as (_, first), events(client, "/events/b") as (_, second):
        await take(first, 3), await take(second, 3)
        refused = await client.post("/events/c")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        await asyncio.gather(client.post("/release/a"), client.post("/release/b"), client.post("/release/c"))
        assert [line async for line in first] == [line async for line in second] == COMPLETED
    assert (await client.post("/events/c")).status_code == 200


@pytest.mark.parametrize(("name", "code"), [("fails", "BackendUnavailable"), ("breaks", "InternalError")])
async def test_what_fails_under_way_is_the_last_event(name: str, code: str, client: httpx.AsyncClient) -> None:
    async with events(client, f"/events/{name}") as (response, lines):
        told = [line async for line in lines]
    assert (response.status_code, told[:4]) == (200, [*named(STARTED, name), "event: error"])
    assert json.loads(told[4].removeprefix("data: "))["error"]["code"] == code
    assert "log alone" not in "".join(told)


async def test_what_fails_before_the_first_event_has_a_status_of_its_own(client: httpx.AsyncClient) -> None:
    answer = await client.post("/events/refused")
    assert (answer.status_code, answer.headers["content-type"]) == (502, "application/json")
    assert answer.json()["error"]["code"] == "BackendUnavailable"


def test_where_the_host_takes_no_parts_the_same_events_come_in_one_body(program: dict[str, Any]) -> None:
    whole = program["whole"]
    assert whole["whole"]["status"] == 200
    assert whole["whole"]["body"].split("\n") == [*named(STARTED, "whole"), *COMPLETED, ""]
    assert {name.lower(): value for name, value in whole["whole"]["headers"].items()} == {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "request-id": "id-of-the-call",
    }
    assert [whole[name]["status"] for name in ("fails", "breaks", "refused")] == [200, 200, 502]
    assert "event: error\ndata: {" in whole["fails"]["body"]
