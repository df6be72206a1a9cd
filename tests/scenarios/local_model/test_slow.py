"""Slow is not broken: a call has the time of its step, however long the server is silent, and waits for its turn."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, Final

import aiohttp
import pytest
from yarl import URL

from retrieval import compose
from retrieval.local.host import Host
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse, WireService
from retrieval.outgoing.breakers_and_retries import SILENCES
from tests.answer.test_answers_filters import DEFINITION
from tests.conftest import Response, ask
from tests.mcp_messages import ACCEPT, calling
from tests.rooms import NEEDS_MCP
from tests.scenarios.failures.answer import planning
from tests.scenarios.local_model.conftest import KEY, PLAN, Retrieve, replies
from tests.scripted_azure import ScriptedAzure, cutting, failing, held, stalling, streaming
from tests.scripted_azure.streams import ending, piece
from tests.scripted_chat import ScriptedChat

ANSWER: Final = "/agents/planner/answer"


def after(seconds: float, then: WireService) -> WireService:
    """Answers after so many seconds of a clock that jumps."""

    async def answer(request: WireRequest) -> WireResponse:
        await asyncio.sleep(seconds)
        return await then(request)

    return answer


def elapsed(answer: Response) -> dict[str, list[int]]:
    """The milliseconds of each model call, by step."""
    steps = [record for record in answer.json["activity"] if record.get("prompt")]
    return {step: [one["elapsed_ms"] for one in steps if one["step"] == step] for step in ("plan", "answer")}


async def test_a_minute_without_a_byte_is_no_end(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.chat = after(80, streaming(piece(PLAN), ending()))
    record = planning(await retrieve())
    assert "error" not in record
    assert record["elapsedMs"] >= 80_000


async def test_a_minute_without_a_byte_in_the_middle_is_no_end(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.chat = streaming(piece(PLAN[:9]), lambda: asyncio.sleep(80), piece(PLAN[9:]), ending())
    assert "error" not in planning(await retrieve())


async def test_a_step_ends_at_its_share_bytes_or_none(chat: ScriptedChat, retrieve: Retrieve) -> None:
    """Four tenths of 230 s are the plan's of a retrieval."""
    dripping = [part for _ in range(200) for part in (piece(" "), lambda: asyncio.sleep(1))]
    for script in (stalling(), streaming(*dripping)):
        chat.chat = script
        record = planning(await retrieve())
        assert record["error"]["code"] == "BackendTimeout"
        assert 91_000 <= record["elapsedMs"] <= 92_500


async def test_one_call_at_a_time_is_sent_and_each_step_has_a_share_of_what_is_left_then(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.text = replies
    quick = chat.chat
    chat.chat = after(40, quick)
    answer = await retrieve(target=ANSWER)
    assert chat.most_open == 1
    steps = elapsed(answer)
    assert [len(steps[step]) for step in steps] == [1, 1]
    assert all(39_000 < ms < 42_000 for times in steps.values() for ms in times)
    assert answer.json["evidence"]["by"] == "model"
    assert "A road is there" in answer.json["answer_markdown"]


async def test_rules_route_since_a_small_model_answers_of_itself_when_it_is_asked(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.text = replies
    answer = await retrieve("Electoral votes/Electoral College", target=ANSWER)
    assert answer.json["route"]["should_run_rag"] is True and answer.json["answer_by"] == "model"
    thanks = await retrieve("Thanks a lot!", target=ANSWER)
    assert thanks.json["answer_markdown"] == "You are welcome."
    names = [asked["response_format"]["json_schema"]["name"] for asked in chat.asked]
    assert [name.partition("-")[0] for name in names] == ["plan", "answer"]


async def test_no_plan_is_told_of_fields(chat: ScriptedChat, azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.index = DEFINITION
    chat.text = replies
    await retrieve(target=ANSWER)
    assert '"fields"' not in chat.asked[0]["messages"][1]["content"]


async def test_a_reading_that_never_ends_leaves_the_rules_time_to_answer(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.text = replies
    usual, stuck = chat.chat, stalling()

    async def reading_hangs(request: WireRequest) -> WireResponse:
        return await (stuck if b'"answer-' in request.body else usual)(request)

    chat.chat = reading_hangs
    answer = await retrieve(target=ANSWER)
    assert 220_000 < elapsed(answer)["answer"][0] < 230_000
    assert answer.json["answer_by"] == "rules" and answer.json["citations"]


async def test_as_many_calls_are_sent_at_once_as_the_server_takes(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve
) -> None:
    settings["CHAT_CALLS"] = "2"
    both = asyncio.Barrier(2)
    chat.chat = held(both, streaming(piece(PLAN), ending()))
    answers = await asyncio.gather(*(retrieve() for _ in range(4)))
    assert ["error" in planning(answer) for answer in answers] == [False] * 4
    assert chat.most_open == 2


async def test_calls_of_other_requests_wait_too(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.chat = after(10, streaming(piece(PLAN), ending()))
    answers = await asyncio.gather(*(retrieve() for _ in range(5)))
    assert ["error" in planning(answer) for answer in answers] == [False] * 5
    assert chat.most_open == 1


SAYS_NOTHING: Final[dict[str, WireService]] = {
    "times out": stalling(),
    "refuses": failing(400, "The template has no system role."),
    "fails": failing(500),
}


@pytest.mark.parametrize("way", SAYS_NOTHING)
async def test_a_server_is_asked_again_however_often_it(way: str, chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.chat = SAYS_NOTHING[way]
    for _ in range(SILENCES + 1):
        await retrieve()
    chat.chat = streaming(piece(PLAN), ending())
    assert "error" not in planning(await retrieve())


async def test_a_server_that_closes_connections_is_left_alone_for_a_while(
    chat: ScriptedChat, retrieve: Retrieve
) -> None:
    chat.chat = cutting()
    for _ in range(SILENCES):
        assert planning(await retrieve())["error"]["code"] == "BackendUnavailable"
    asked = len(chat.asked)
    message = planning(await retrieve())["error"]["message"]
    assert "did not answer 5 times running" in message
    assert len(chat.asked) == asked


async def test_a_deadline_ends_the_generation(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.chat = streaming(piece(PLAN[:9]), lambda: asyncio.Event().wait())
    await retrieve()
    await chat.abandoned(1)


@pytest.fixture
async def address(host: Host, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    await compose.end()
    async with serving(host) as address:
        yield address
    await compose.end()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_caller_who_leaves_ends_the_generation(accept: str, chat: ScriptedChat, address: str) -> None:
    chat.chat = streaming(piece("{"), lambda: asyncio.Event().wait())
    async with aiohttp.ClientSession(address, headers={"api-key": KEY, "accept": accept}) as session:
        call = asyncio.create_task(_call(session))
        await chat.came(1)
        call.cancel()
    await chat.abandoned(1)
    assert len(chat.asked) <= 2


async def _call(session: aiohttp.ClientSession) -> bytes:
    async with session.post(ANSWER, json=ask("Roads")) as response:
        return await response.read()


async def test_the_runtime_that_a_caller_states_holds(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve, post: Callable[..., Any]
) -> None:
    await retrieve()
    chat.chat = stalling()
    body = {**ask("Roads"), "limits": {"maxRuntimeInSeconds": 20}}
    answer = await post(body, ANSWER, key=KEY)
    assert 5_900 <= elapsed(answer)["plan"][0] <= 6_100


def events(answer: Response) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in answer.body.decode().split("\n\n") if block.startswith("event: ")]
    return [(lines[0][7:], json.loads(lines[1][6:])) for lines in blocks]


async def test_each_step_is_told_as_its_call_is_sent(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.text = replies
    chat.chat = after(10, chat.chat)
    told = events(await retrieve(target=ANSWER, headers={"accept": "text/event-stream"}))
    steps = [
        (name, data["step"] if name == "step" else data["record"]["step"], (data.get("record") or data)["started_ms"])
        for name, data in told
        if name == "step" or (name == "activity" and data["record"].get("prompt"))
    ]
    assert [(name, step) for name, step, _ in steps] == [
        (name, step) for step in ("plan", "answer") for name in ("step", "activity")
    ]
    begun, ended = steps[::2], steps[1::2]
    assert [ms for *_, ms in begun] == [ms for *_, ms in ended]
    assert all(later - earlier >= 9_900 for (*_, earlier), (*_, later) in pairwise(begun))


async def test_the_explained_answer_names_the_model(chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.text = replies
    answer = await retrieve(target=f"{ANSWER}?detail=explained")
    assert answer.json["explained"]["model"] == "qwen2.5:3b"


@NEEDS_MCP
async def test_a_tool_of_mcp_has_the_time_of_a_slow_model(chat: ScriptedChat, retrieve: Retrieve, post: Any) -> None:
    await retrieve()
    chat.text = replies
    chat.chat = after(40, ScriptedChat(replies).chat)
    call = calling("answer", {"question": "Which roads?"})
    answer = await post(call, "/agents/planner/mcp", headers={"accept": ACCEPT}, key=KEY)
    assert answer.json["result"]["structuredContent"]["answeredBy"] == "model"


@pytest.mark.parametrize("target", [ANSWER, "", "/knowledgebases/planner/retrieve?api-version=2026-05-01-preview"])
async def test_nobody_goes_away_empty_however_many_wait(target: str, chat: ScriptedChat, retrieve: Retrieve) -> None:
    chat.text = replies
    chat.chat = after(40, chat.chat)
    answers = await asyncio.gather(*(retrieve(target=target) for _ in range(12)))
    assert [answer.status for answer in answers] == [200] * 12
    found = [answer.json.get("references") or answer.json.get("selected") for answer in answers]
    assert all(found) and chat.most_open == 1
    assert chat.most_open == 1


@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_call_is_sent_again_where_the_server_closed_a_connection_that_was_unused(
    chat: ScriptedChat, settings: dict[str, str], retrieve: Retrieve, is_reset: bool
) -> None:
    """llama.cpp, uvicorn and Node.js close a connection that was unused for five seconds."""
    async with answering_once(chat.url, is_reset=is_reset) as url:
        settings["CHAT_URL"] = url
        assert ["error" in planning(await retrieve()) for _ in range(3)] == [False, False, False]


@asynccontextmanager
async def answering_once(url: str, *, is_reset: bool) -> AsyncIterator[str]:
    """The address of a relay to `url`, which closes or resets a connection when a second request comes on it."""
    address = URL(url)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection(address.host, address.port)
        answers = asyncio.create_task(copy(back, writer))
        requests = 0
        while data := await reader.read(65_536):
            requests += data.startswith(b"POST")
            if requests > 1:
                break
            forth.write(data)
        answers.cancel()
        forth.close()
        if is_reset:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    try:
        yield str(address.with_port(server.sockets[0].getsockname()[1]))
    finally:
        server.close()
