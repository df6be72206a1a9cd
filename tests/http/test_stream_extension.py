"""STREAM_EVENTS=1 in the code that Azure runs: events leave as they happen, and the rest is as without it."""

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import pytest

from tests.answer.material import blocks
from tests.answer.scripts import by_step, judgement, planned, routed
from tests.answer.test_answer_events import joined
from tests.conftest import ROOT, Response
from tests.environments import needs
from tests.scenarios.failures.conftest import CALLER_KEY, SEARCH_KEY, _agent
from tests.scenarios.failures.test_events import events
from tests.scripted_azure import ScriptedAzure, document, found, streaming
from tests.scripted_azure.streams import ending, piece
from tests.third_parties import AZURE_PYTHON, worker

FIRST, SECOND = (json.dumps(one) for one in blocks("The old road follows the river [c1].\nIt ends at Ostia [c1]."))
REST: Final = json.dumps(judgement("c1"))[1:]
ROAD: Final = document(
    "road", 3.1, title="Roads", content="The old road follows the river down to Ostia, where it ends."
)
BODY: Final = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Roads"}]}]}
HEADERS: Final = {"api-key": CALLER_KEY, "accept": "text/event-stream"}
PATH: Final = "/agents/planner/answer"
STREAMS: Final = 1_000


@pytest.fixture(scope="module")
def python() -> Path:
    needs(AZURE_PYTHON)
    return worker()


@contextmanager
def forwarding(python: Path, azure: ScriptedAzure, folder: Path) -> Iterator[str]:
    """The address of the app in the worker code, with the extension."""
    file = folder / "agents.json"
    file.write_text(json.dumps([_agent("planner", azure.address, runtime=60), _agent("plain", None)]))
    settings = {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SEARCH_KEY,
        "AGENTS_FILE": str(file),
        "API_KEYS": CALLER_KEY,
        "STREAM_EVENTS": "1",
        "PYTHONPATH": str(ROOT),
    }
    with subprocess.Popen(
        [python, "-m", "tests.local.host.forwarding_host"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        lines = iter(process.stdout.readline, "")
        yield next(line.split()[1] for line in lines if line.startswith("ready "))
        process.stdin.close()
        process.wait(timeout=30)


@pytest.fixture
async def address(python: Path, azure: ScriptedAzure, tmp_path: Path) -> AsyncIterator[str]:
    with forwarding(python, azure, tmp_path) as address:
        yield address


def script(azure: ScriptedAzure, *parts: Any) -> None:
    azure.search = found(ROAD)
    usual = {"route": routed(), "plan": planned("roads")}
    azure.chat = by_step({**usual, "answer": streaming(*parts)})


def whole(azure: ScriptedAzure) -> None:
    script(azure, piece(f'{{"blocks": [{FIRST}, {SECOND}], {REST}'), ending())


async def test_the_first_block_is_there_before_the_model_goes_on(azure: ScriptedAzure, address: str) -> None:
    read = asyncio.Event()
    script(azure, piece(f'{{"blocks": [{FIRST}'), read.wait, piece(f", {SECOND}], {REST}"), ending())
    content = b""
    async with aiohttp.ClientSession(address, headers=HEADERS) as session, session.post(PATH, json=BODY) as response:
        assert (response.status, response.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        async for line in response.content:
            content += line
            if b"old road follows" in line and line.startswith(b"data:"):
                read.set()
    told = events(Response(status=200, headers={}, body=content))
    assert joined(told) == told[-1][1]["answer_markdown"]


@pytest.mark.slow
async def test_a_caller_who_goes_away_ends_the_work(azure: ScriptedAzure, address: str) -> None:
    never = asyncio.Event()
    script(azure, piece(f'{{"blocks": [{FIRST}'), never.wait)
    async with aiohttp.ClientSession(address, headers=HEADERS) as session, session.post(PATH, json=BODY) as response:
        async for line in response.content:
            if b"old road follows" in line:
                break
        response.close()
    await azure.abandoned(1)


@pytest.mark.slow
async def test_an_error_in_the_middle_is_the_last_event(azure: ScriptedAzure, address: str) -> None:
    whole(azure)
    azure.search = partial(_failing, azure.search)
    async with aiohttp.ClientSession(address, headers=HEADERS) as session, session.post(PATH, json=BODY) as response:
        told = events(Response(status=200, headers={}, body=await response.read()))
    assert told[-1][0] == "error"


async def _failing(then: Any, request: Any) -> Any:
    from tests.scripted_azure import failing

    return await failing(503)(request)


async def test_the_rest_is_as_without_the_extension(azure: ScriptedAzure, address: str) -> None:
    """Answers, refusals, the router's rules, and a body in chunks, which reaches the app."""
    whole(azure)
    json_headers = {"api-key": CALLER_KEY, "content-type": "application/json"}

    async def chunks() -> AsyncIterator[bytes]:
        yield json.dumps(BODY).encode()

    async with aiohttp.ClientSession(address) as session:

        async def ask(method: str, path: str, **more: Any) -> tuple[int, str, bytes]:
            async with session.request(method, path, **more) as response:
                return response.status, response.headers.get("content-type", ""), await response.read()

        answer = await ask("POST", PATH, headers=json_headers, json=BODY)
        assert answer[:2] == (200, "application/json; charset=utf-8")
        assert json.loads(answer[2])["answer_markdown"].startswith("The old road follows the river [1].")
        assert (await ask("POST", PATH, headers=json_headers, data=chunks()))[0] == 200
        odata = "/agents('planner')/retrieve?api-version=2025-05-01-preview"
        assert (await ask("POST", odata, headers=json_headers, json=BODY))[0] == 200
        assert (await ask("POST", PATH, json=BODY))[0] == 401
        assert (await ask("GET", "/nothing/here"))[0] == 404
        assert (await ask("POST", PATH, headers=json_headers, data=BytesIO(b"x" * 1_100_000)))[0] == 413
        assert json.loads((await ask("GET", "/health"))[2])
        assert (await ask("POST", "/agents/none/answer", headers=json_headers, json=BODY))[0] == 404


@pytest.mark.slow
async def test_sixty_four_slow_readers_hold_no_one_up(azure: ScriptedAzure, address: str) -> None:
    whole(azure)
    parts, content = urlsplit(address), json.dumps(BODY).encode()
    head = f"POST {PATH} HTTP/1.1\r\nhost: {parts.netloc}\r\napi-key: {CALLER_KEY}\r\naccept: text/event-stream\r\n"
    sent = f"{head}content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n".encode() + content
    readers = [socket.create_connection((parts.hostname, parts.port)) for _ in range(64)]
    for reader in readers:
        reader.sendall(sent)
    async with aiohttp.ClientSession(address, headers=HEADERS) as session, asyncio.timeout(30):
        status, answer = 429, b""
        while status == 429:  # the places of the readers are free once their answers are written
            async with session.post(PATH, json=BODY) as response:
                status, answer = response.status, await response.read()
        assert b"event: end" in answer
    for reader in readers:
        reader.close()


@pytest.mark.slow
async def test_memory_is_flat_over_a_thousand_streams(azure: ScriptedAzure, address: str) -> None:
    whole(azure)
    async with aiohttp.ClientSession(address, headers=HEADERS) as session:

        async def many(count: int) -> int:
            for _ in range(count // 8):
                async with asyncio.TaskGroup() as group:
                    for _ in range(8):
                        group.create_task(one())
            async with session.get("/memory") as response:
                return int(await response.text())

        async def one() -> None:
            async with session.post(PATH, json=BODY) as response:
                assert b"event: end" in await response.read()

        before = await many(STREAMS // 4)
        assert await many(STREAMS) < before + 8_192


@pytest.mark.slow
@pytest.mark.parametrize("target", ["/late", "/left"])
async def test_the_work_for_a_caller_who_does_not_read_ends_when_it_is_late_or_the_caller_leaves(
    python: Path, target: str
) -> None:
    process = await asyncio.create_subprocess_exec(
        python, "-m", "tests.http.unread_stream", cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            await _unread(process, target)
    finally:
        process.terminate()
        _, errors = await process.communicate()
    assert b"pending" not in errors


CUT: Final = """
import asyncio
from retrieval.http.stream_extension import ForwardedCarrier

async def main():
    carrier = ForwardedCarrier()
    await carrier.begin(200, {})
    carrier.cut()
    carrier.end()
    try:
        print([piece async for piece in carrier.parts()])
    except asyncio.CancelledError:
        print("cut")

asyncio.run(main())
"""


@pytest.mark.slow
def test_an_answer_that_is_cut_before_its_first_part_does_not_end_as_if_it_were_whole(python: Path) -> None:
    ended = subprocess.run([python, "-c", CUT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "cut\n"


async def _unread(process: asyncio.subprocess.Process, target: str) -> None:
    """A caller who reads eight bytes, until the work for it has ended."""
    assert process.stdout is not None
    port = int(await process.stdout.readline())
    with socket.create_connection(("127.0.0.1", port)) as caller:
        caller.sendall(f"GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        assert caller.recv(8) == b"HTTP/1.1"
        if target == "/left":
            caller.close()
        assert await process.stdout.readline() == b"ended\n"
        if target == "/late":
            assert not (await asyncio.to_thread(_rest, caller)).endswith(b"0\r\n\r\n")


def _rest(caller: socket.socket) -> bytes:
    """What comes until the connection ends, the last of it."""
    last = b""
    while part := caller.recv(1_000_000):
        last = part
    return last
