"""Which sessions are kept, and that the server is told of the end of each that is not."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from retrieval.model.tools import Passed
from retrieval.sources.mcp_server.search.servers import MOST_KEPT, McpServers
from tests.scripted_mcp import ScriptedMcp
from tests.sources.mcp_server.conftest import LOCAL, calling, passing, target


@pytest.fixture
async def server() -> AsyncIterator[ScriptedMcp]:
    server = ScriptedMcp()
    async with server.listening():
        yield server


def own(number: int) -> Passed:
    """What a caller passes on who has a session alone."""
    return Passed(headers={"docs": (("Authorization", f"caller-{number}"),)})


def ended(server: ScriptedMcp) -> list[str | None]:
    return [request.header("authorization") for request, _ in server.recorded if request.method == "DELETE"]


async def settled(server: ScriptedMcp, *callers: str) -> None:
    """Waits until the sessions of these callers are ended."""
    async with asyncio.timeout(5):
        while ended(server) != [*callers]:
            await asyncio.sleep(0.01)


async def test_the_session_that_was_used_the_longest_ago_is_displaced_and_ended_at_the_server(
    servers: McpServers, server: ScriptedMcp
) -> None:
    server.session = "one"
    for number in (*range(MOST_KEPT), 0, MOST_KEPT):
        await servers.tools(target(server.address), own(number))
    await settled(server, "caller-1")
    await servers.tools(target(server.address), own(0))
    assert server.methods.count("initialize") == MOST_KEPT + 1


async def test_a_displaced_session_is_ended_after_the_call_that_uses_it(
    servers: McpServers, server: ScriptedMcp
) -> None:
    server.session, server.held = "one", asyncio.Event()
    call = asyncio.create_task(servers.search(passing(calling(target(server.address)), own(0))))
    while not server.called:
        await asyncio.sleep(0.01)
    for number in range(1, MOST_KEPT + 1):
        await servers.tools(target(server.address), own(number))
    assert ended(server) == []
    server.held.set()
    assert (await call).hits
    await settled(server, "caller-0")


async def test_a_session_whose_time_is_over_is_ended_and_another_begins(server: ScriptedMcp) -> None:
    server.session = "one"
    servers = McpServers(LOCAL, values={}, unmarked=(), kept_seconds=0.0)
    for _ in range(2):
        await servers.tools(target(server.address), own(0))
    await settled(server, "caller-0")
    assert server.methods.count("initialize") == 2
    await servers.close()
