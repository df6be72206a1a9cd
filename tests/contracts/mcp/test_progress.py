"""Progress of the tool `answer`: what clients that ask for it are told, before the same answer."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from retrieval.contracts.mcp.progress import token_of
from retrieval.contracts.mcp.room import tools_refusal
from retrieval.contracts.rendered import EVENT_STREAM, Part, Rendered, event
from retrieval.errors import Fault
from retrieval.http.call import Call
from retrieval.http.delivery import deliver
from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.conftest import KEY, Response
from tests.contracts.mcp.conftest import Speak
from tests.mcp_messages import PATH, calling

BASE: Final = "/knowledgebases/earth-at-night/mcp"
QUESTION: Final = {"question": "Why is the street grid of Phoenix so sharply visible?"}


def asking(tool: str = "answer", token: object = "t-1", **arguments: object) -> dict[str, Any]:
    message: dict[str, Any] = calling(tool, arguments or QUESTION, id=7)
    return {**message, "params": {**message["params"], "_meta": {"progressToken": token}}}


def messages(answer: Response) -> list[Any]:
    parts = [part.split("\n") for part in answer.body.decode().strip().split("\n\n")]
    assert {name for name, _ in parts} == {"event: message"}
    return [json.loads(data.removeprefix("data: ")) for _, data in parts]


def without_meta(answer: Any) -> Any:
    return {name: value for name, value in answer["result"].items() if name not in ("_meta", "structuredContent")}


async def test_notifications_come_before_the_same_answer(speak: Speak) -> None:
    *told, last = messages(await speak(asking()))
    whole = (await speak(calling("answer", QUESTION, id=7))).json
    assert (last["id"], without_meta(last)) == (7, without_meta(whole))
    assert {one["method"] for one in told} == {"notifications/progress"}
    assert [one["params"]["progress"] for one in told] == list(range(1, len(told) + 1))
    assert {one["params"]["progressToken"] for one in told} == {"t-1"}
    assert told[0]["params"]["message"].startswith("To be searched: ")


@pytest.mark.parametrize(
    "message",
    [
        calling("answer", QUESTION),
        asking(token=None),
        asking(token=True),
        asking(token="x" * 1_000),
        asking("rag_retrieve", query="Phoenix"),
        asking("answer", question=3),
        [asking()],
    ],
)
async def test_the_answer_is_json_where_nobody_asks_or_nothing_is_told(message: Any, speak: Speak) -> None:
    answer = await speak(message)
    assert {name.lower(): value for name, value in answer.headers.items()}["content-type"].startswith(
        "application/json"
    )
    assert answer.json


async def test_a_client_that_takes_no_events_gets_none(speak: Speak) -> None:
    assert (await speak(asking(), accept="application/json")).json["result"]


@pytest.mark.parametrize("message", [asking("rag_retrieve", query="Phoenix"), asking("answer", question=3), [asking()]])
async def test_what_tells_nothing_is_one_event_for_a_client_that_prefers_events(message: Any, speak: Speak) -> None:
    assert len(messages(await speak(message, accept="text/event-stream"))) == 1


async def test_the_progress_is_the_same_for_a_client_that_prefers_events(speak: Speak) -> None:
    *told, last = messages(await speak(asking(), accept="text/event-stream"))
    assert told and (last["id"], last["result"]["isError"]) == (7, False)


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "text/event-stream"])
async def test_a_failure_after_the_first_event_is_the_last_event(accept: str) -> None:
    call = Call(headers={"accept": accept}, query={}, body=json.dumps(asking()).encode())

    async def events() -> AsyncGenerator[Part, None]:
        yield event("message", b"{}")
        raise Fault

    draft = Rendered(status=200, headers=EVENT_STREAM, body=b"", failure_event="message")
    answer, _ = await deliver(draft, events(), call, lambda error: tools_refusal(call, Fault()))
    first, last = messages(Response(status=200, headers=answer.headers, body=answer.content))
    assert (first, last["id"], last["error"]["code"]) == ({}, 7, -32603)


@pytest.mark.parametrize("body", [b"1", b'{"params": 3}', b'{"params": {"_meta": []}}', b"[]"])
def test_what_asks_for_nothing_has_no_token(body: bytes) -> None:
    assert token_of(body) is None


@pytest.fixture
async def address(host: Host) -> AsyncIterator[str]:
    async with serving(host) as address:
        yield address


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream, application/json"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_reads_answers_that_are_events(mode: Any, accept: str, address: str) -> None:
    kinds: set[str | None] = set()

    async def prefer(request: httpx2.Request) -> None:
        request.headers["accept"] = accept

    async def note(response: httpx2.Response) -> None:
        kinds.add(response.headers.get("content-type") if response.status_code == 200 else None)

    hooks: dict[str, list[Any]] = {"request": [prefer], "response": [note]}
    async with (
        httpx2.AsyncClient(headers={"api-key": KEY}, timeout=30, trust_env=False, event_hooks=hooks) as http,
        Client(streamable_http_client(address + BASE, http_client=http), mode=mode) as client,
    ):
        (tool,) = (await client.list_tools()).tools
        result = await client.call_tool(tool.name, {"queries": ["gas flares"]})
    assert not result.is_error and result.structured_content
    assert kinds - {None} == {"text/event-stream; charset=utf-8"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_hears_the_progress(mode: Any, address: str) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async with (
        httpx2.AsyncClient(headers={"api-key": KEY}, timeout=30, trust_env=False) as http,
        Client(streamable_http_client(address + PATH, http_client=http), mode=mode) as client,
    ):
        result = await client.call_tool("answer", dict(QUESTION), progress_callback=hear)
    assert not result.is_error
    assert [progress for progress, _ in heard] == [float(number) for number in range(1, len(heard) + 1)]
    assert any("document" in (message or "") for _, message in heard)
