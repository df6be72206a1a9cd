"""A client that disconnects and a server that is stopped, over loopback: what happens to the work."""

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import sys
import tracemalloc
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import pytest

from retrieval import compose
from retrieval.http.delivery import READING_SECONDS
from retrieval.local.host import Host
from retrieval.local.server import serving
from tests.conftest import ROOT, ask
from tests.rooms import MCP, cases
from tests.sampling import sample
from tests.scenarios.failures.conftest import CALLER_KEY, RUNTIME_SECONDS
from tests.scripted_azure import ScriptedAzure, delayed, document, found, held, stalling

ROADS: Final = found(document("road", 3.1))
RETRIEVE: Final = "/agents('plain')/retrieve?api-version=2025-05-01-preview"
QUESTION: Final = ask("Which roads?")
CALL: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "rag_retrieve", "arguments": {"query": "roads"}},
}
EVENTS_OF: Final = "/knowledgebases/plain/retrieve?api-version=2026-08-01-preview"
WHOLE: Final = {**QUESTION, "maxOutputDocuments": 50, "maxOutputSizeInTokens": 100_000_000}
"""Asks for everything that was found."""
WAYS: Final[dict[str, tuple[str, object]]] = {
    "retrieves": (RETRIEVE, QUESTION),
    "waits for a plan": (RETRIEVE.replace("plain", "planner"), QUESTION),
    "waits for an answer": ("/agents/planner/answer", QUESTION),
    "takes events": ("/knowledgebases/planner/retrieve?api-version=2026-08-01-preview", QUESTION),
    "uses a tool": ("/agents/plain/mcp", CALL),
}

Send = Callable[[str, object], Coroutine[Any, Any, int]]


@pytest.fixture
def deployed(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The deployment's environment, in this process too; one request at a time."""
    settings["MAX_CONCURRENT_REQUESTS"] = "1"
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return settings


@pytest.fixture
async def address(host: Host, deployed: dict[str, str]) -> AsyncIterator[str]:
    await compose.end()
    async with serving(host) as address:
        yield address
    await compose.end()


@asynccontextmanager
async def client(address: str) -> AsyncIterator[Send]:
    headers = {"api-key": CALLER_KEY, "accept": "application/json, text/event-stream"}
    async with aiohttp.ClientSession(address, headers=headers, timeout=aiohttp.ClientTimeout()) as session:

        async def send(path: str, body: object) -> int:
            async with session.post(path, json=body) as response:
                await response.read()
                return response.status

        yield send


@asynccontextmanager
async def unread(address: str, body: object) -> AsyncIterator[socket.socket]:
    """A call for events whose answer nobody reads, on a connection that holds next to nothing of it."""
    parts, content = urlsplit(address), json.dumps(body).encode()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect((parts.hostname, parts.port))
        head = f"POST {EVENTS_OF} HTTP/1.1\r\nhost: {parts.netloc}\r\napi-key: {CALLER_KEY}\r\n"
        kind = f"accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        client.sendall(f"{head}{kind}".encode() + content)
        client.setblocking(False)
        yield client


@pytest.mark.parametrize("way", cases(WAYS, {"uses a tool": MCP}))
async def test_the_work_ends_and_the_slot_is_free_when_a_client_goes_away_that(
    way: str, address: str, azure: ScriptedAzure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="retrieval")
    azure.chat, azure.search = stalling(), stalling()
    async with client(address) as send:
        leaving = asyncio.create_task(send(*WAYS[way]))
        while not (azure.searches or azure.chats or leaving.done()):
            await asyncio.sleep(0.01)
        asked = len(azure.searches) + len(azure.chats)
        assert await send(RETRIEVE, QUESTION) == 429
        leaving.cancel()
        await azure.abandoned(asked)
        azure.search = ROADS
        assert await send(RETRIEVE, QUESTION) == 200
    assert "went away" in caplog.text


async def test_events_that_nobody_reads_end_at_the_deadline_and_their_place_is_free(
    address: str, azure: ScriptedAzure, caplog: pytest.LogCaptureFixture
) -> None:
    """They are many times what sockets hold."""
    azure.search = found(
        *(document(f"road {number}", 3.1, title="T", content="Road. " * 40_000) for number in range(50))
    )
    start = asyncio.get_running_loop().time()
    async with unread(address, WHOLE), client(address) as send:
        await azure.asked("search", 1)
        azure.search = ROADS
        statuses = [await send(RETRIEVE, QUESTION)]
        while statuses[-1] == 429 and len(statuses) < 2 * RUNTIME_SECONDS:
            await asyncio.sleep(1)
            statuses.append(await send(RETRIEVE, QUESTION))
    assert (statuses[0], statuses[-1]) == (429, 200)
    assert RUNTIME_SECONDS <= asyncio.get_running_loop().time() - start <= RUNTIME_SECONDS + READING_SECONDS + 2
    assert "not read in time" in caplog.text


async def test_events_that_nobody_reads_hold_their_answer_once(
    address: str, azure: ScriptedAzure, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither its documents nor the parts that several events share are kept beside it."""
    documents = [document(f"road {number}", 3.1, title="T", content="Road. " * 20_000) for number in range(50)]
    size = len(json.dumps(documents))
    azure.search = found(*documents)
    async with client(address) as send:
        await send(EVENTS_OF, WHOLE)
    tracemalloc.start()
    try:
        async with unread(address, WHOLE) as reading:
            told = b""
            while b"event: references.completed" not in told:
                told += await asyncio.get_running_loop().sock_recv(reading, 1_024)
            held = [await asyncio.to_thread(held_memory) for _ in range(10)]
    finally:
        tracemalloc.stop()
    assert min(held) < 1.5 * size
    assert "not read in time" not in caplog.text, "they were cut before they were looked at"


def held_memory() -> int:
    """Bytes that were taken since tracing began. Beside the loop: a thread that has ended its work drops it now."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


async def test_a_client_that_goes_away_while_others_wait_takes_nothing_from_them(
    address: str, azure: ScriptedAzure, deployed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first request reads the index definition for all."""
    monkeypatch.setenv("MAX_CONCURRENT_REQUESTS", "8")
    defined = asyncio.Event()
    azure.search, azure.index = ROADS, held(defined, azure.index)
    async with client(address) as send:
        first, *others = [asyncio.create_task(send(RETRIEVE, QUESTION)) for _ in range(5)]
        await azure.asked("index", 1)
        first.cancel()
        defined.set()
        assert [await other for other in others] == [200] * 4


async def test_a_stop_lets_twenty_requests_finish_that_take_nearly_all_of_their_time(
    host: Host, azure: ScriptedAzure, deployed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAX_CONCURRENT_REQUESTS", "64")
    await compose.end()
    azure.search = delayed(RUNTIME_SECONDS - 1, ROADS)
    async with AsyncExitStack() as session:
        async with serving(host, grace=host.function_timeout) as address:
            send = await session.enter_async_context(client(address))
            asking = [asyncio.create_task(send(RETRIEVE, QUESTION)) for _ in range(20)]
            await azure.asked("search", 20)
        assert await asyncio.gather(*asking) == [200] * 20
    await compose.end()


async def test_a_stop_takes_no_time_when_nothing_is_under_way(host: Host, deployed: dict[str, str]) -> None:
    await compose.end()
    clock = asyncio.get_running_loop().time
    async with AsyncExitStack() as session:
        async with serving(host) as address:
            send = await session.enter_async_context(client(address))
            assert await send(RETRIEVE.replace("plain", "nobody"), QUESTION) == 404
            began = clock()
        assert clock() == began
    await compose.end()


async def test_what_takes_longer_than_a_function_may_is_cut_by_a_stop(
    host: Host, azure: ScriptedAzure, deployed: dict[str, str]
) -> None:
    await compose.end()
    azure.search = stalling()
    async with AsyncExitStack() as session:
        async with serving(host, grace=1) as address:
            send = await session.enter_async_context(client(address))
            asking = asyncio.create_task(send(RETRIEVE, QUESTION))
            await azure.asked("search", 1)
        with pytest.raises(aiohttp.ClientError):
            await asking
        await azure.abandoned(1)
    await compose.end()


@pytest.mark.parametrize("told", sample([signal.SIGTERM, signal.SIGINT], every=2))
async def test_a_program_that_is_told_to_stop_takes_no_more_and_finishes_what_it_has(
    told: signal.Signals, azure: ScriptedAzure, deployed: dict[str, str]
) -> None:
    release = asyncio.Event()
    azure.search = held(release, ROADS)
    environ = {**os.environ, **deployed, "MAX_CONCURRENT_REQUESTS": "64"}
    command = (sys.executable, "-m", "retrieval.local", "serve", "--port", "0")
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environ, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        address = ""
        while not address.startswith("http"):
            address = (await process.stdout.readline()).decode().strip().removeprefix("ready ")
        async with client(address) as send:
            asking = [asyncio.create_task(send(RETRIEVE, QUESTION)) for _ in range(20)]
            await azure.asked("search", 20)
            process.send_signal(told)
            while await answers(address):
                await asyncio.sleep(0.01)
            release.set()
            assert await asyncio.gather(*asking) == [200] * 20
        assert await process.wait() == 0
        assert b"Waiting for 20 requests in flight" in await process.stderr.read()
    finally:
        if process.returncode is None:
            process.kill()


async def answers(address: str) -> bool:
    """Whether somebody takes connections there."""
    parts = urlsplit(address)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except OSError:
        return False
    writer.close()
    return True
