"""Calls of tools: what is sent, what is kept of a server, what its failures become."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendUnavailable,
)
from retrieval.filters.tree import Boolean
from retrieval.model.tools import NOTHING_PASSED, ListedTool, Passed
from retrieval.sources.mcp_server.search.servers import McpServers
from tests.scripted_mcp import ScriptedMcp, text, tool
from tests.sources.mcp_server.conftest import LOCAL, SECRET, calling, passing, target


@pytest.fixture
async def server() -> AsyncIterator[ScriptedMcp]:
    server = ScriptedMcp()
    async with server.listening():
        yield server


async def test_a_call_gives_documents_without_scores(servers: McpServers, server: ScriptedMcp) -> None:
    page = await servers.search(calling(target(server.address)))
    (hit,) = page.hits
    assert (hit.score, hit.content, hit.title) == (None, "A tool says something of roads.", "docs search 1")
    assert not page.scored
    assert server.called == [{"name": "search", "arguments": {"query": "roads"}}]
    assert server.methods == ["initialize", "notifications/initialized", "tools/list", "tools/call"]


async def test_a_session_serves_further_calls_and_is_ended_at_the_end(server: ScriptedMcp) -> None:
    server.session = "one"
    servers = McpServers(LOCAL, values={}, unmarked=())
    await servers.tools(target(server.address), NOTHING_PASSED)
    await asyncio.gather(*(servers.search(calling(target(server.address))) for _ in range(3)))
    await servers.close()
    assert server.methods.count("initialize") == 1
    assert server.methods[-1] == "DELETE"
    assert {request.header("mcp-session-id") for request, _ in server.recorded[1:]} == {"one"}
    assert {request.header("mcp-protocol-version") for request, _ in server.recorded[1:]} == {"2025-11-25"}


async def test_a_session_that_the_server_forgot_begins_anew(servers: McpServers, server: ScriptedMcp) -> None:
    server.session = "one"
    await servers.search(calling(target(server.address)))
    server.session = "two"
    assert (await servers.search(calling(target(server.address)))).hits
    assert server.methods.count("initialize") == 2


async def test_those_who_wait_for_a_session_share_its_failure(servers: McpServers, server: ScriptedMcp) -> None:
    server.version = "1999-01-01"
    failures = await asyncio.gather(
        *(servers.tools(target(server.address), NOTHING_PASSED) for _ in range(5)), return_exceptions=True
    )
    assert [type(failure) for failure in failures] == [BackendUnavailable] * 5
    assert server.methods == ["initialize"]


async def test_tools_of_every_page_are_known_in_the_order_of_the_source(
    servers: McpServers, server: ScriptedMcp
) -> None:
    server.tools, server.most_tools = [tool(name) for name in "abcdefg"], 3
    listed = target(server.address, ListedTool(name="g"), ListedTool(name="a"), ListedTool(name="x"))
    assert [one.name for one in await servers.tools(listed, NOTHING_PASSED)] == ["g", "a"]


async def test_a_source_whose_tools_are_gone_says_so(servers: McpServers, server: ScriptedMcp) -> None:
    with pytest.raises(BackendMissing):
        await servers.tools(target(server.address, ListedTool(name="gone")), NOTHING_PASSED)


@pytest.mark.parametrize("read_only", [None, False])
async def test_a_tool_that_does_not_say_that_it_only_reads_needs_the_switch(
    servers: McpServers, server: ScriptedMcp, read_only: bool | None
) -> None:
    server.tools = [tool(read_only=read_only)]
    with pytest.raises(BackendUnavailable, match="MCP_UNMARKED_TOOLS"):
        await servers.tools(target(server.address), NOTHING_PASSED)
    for unmarked in ("search", "*"):
        switched = McpServers(LOCAL, values={}, unmarked={unmarked})
        assert [one.name for one in await switched.tools(target(server.address), NOTHING_PASSED)] == ["search"]
        await switched.close()


async def test_a_tool_that_needs_the_switch_is_not_called_either(servers: McpServers, server: ScriptedMcp) -> None:
    server.tools = [tool(read_only=None)]
    with pytest.raises(BackendUnavailable, match="MCP_UNMARKED_TOOLS"):
        await servers.search(calling(target(server.address)))
    assert server.called == []


async def test_a_stored_header_has_its_value_of_the_settings(servers: McpServers, server: ScriptedMcp) -> None:
    await servers.search(calling(target(server.address, headers={"Authorization": "docs"})))
    assert {request.header("authorization") for request, _ in server.recorded} == {SECRET}


async def test_a_header_without_a_value_in_the_settings_is_an_error(servers: McpServers, server: ScriptedMcp) -> None:
    with pytest.raises(BackendUnavailable, match="MCP_HEADERS"):
        await servers.search(calling(target(server.address, headers={"Authorization": "unknown"})))
    assert server.recorded == []


async def test_the_value_of_a_header_goes_to_no_other_host(servers: McpServers, server: ScriptedMcp) -> None:
    other = server.address.replace("127.0.0.1", "localhost")
    with pytest.raises(BackendUnavailable, match="MCP_HEADERS"):
        await servers.search(calling(target(other, headers={"Authorization": "docs"})))
    assert server.recorded == []


async def test_a_callers_header_replaces_the_stored_one_and_has_a_session_of_its_own(
    servers: McpServers, server: ScriptedMcp
) -> None:
    call = calling(target(server.address, headers={"Authorization": "docs"}))
    own = Passed(headers={"docs": (("Authorization", "mine"), ("X-Team", "maps")), "other": (("X-Other", "no"),)})
    await servers.search(call)
    await servers.search(passing(call, own))
    assert [request.header("authorization") for request, _ in server.recorded] == [SECRET] * 4 + ["mine"] * 4
    assert {request.header("x-team") for request, _ in server.recorded[4:]} == {"maps"}
    assert {request.header("x-other") for request, _ in server.recorded} == {None}


async def test_no_answer_repeats_a_secret_of_the_deployment(servers: McpServers, server: ScriptedMcp) -> None:
    bare = SECRET.removeprefix("Bearer ")
    server.output = text(f"You sent {SECRET}.", f"It is {bare}.")
    page = await servers.search(calling(target(server.address, headers={"Authorization": "docs"})))
    assert bare not in repr(page)
    server.output = text(f"Your key {bare} is old.", error=True)
    with pytest.raises(BackendUnavailable) as raised:
        await servers.search(calling(target(server.address, headers={"Authorization": "docs"})))
    assert bare not in str(raised.value)
    assert "is old" in str(raised.value)


async def test_a_hop_is_counted_and_one_more_is_not_made(servers: McpServers, server: ScriptedMcp) -> None:
    await servers.search(calling(target(server.address)))
    assert {request.header("x-agentic-retrieval-hops") for request, _ in server.recorded} == {"1"}
    count = len(server.recorded)
    with pytest.raises(BackendUnavailable, match="knowledge base"):
        await servers.search(passing(calling(target(server.address)), Passed(hops=1)))
    assert len(server.recorded) == count


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, BackendRefused),
        (401, BackendForbidden),
        (403, BackendForbidden),
        (404, BackendMissing),
        (429, BackendThrottled),
        (307, BackendUnavailable),
        (500, BackendUnavailable),
        (503, BackendUnavailable),
    ],
)
async def test_every_status_has_its_error(
    servers: McpServers, server: ScriptedMcp, status: int, error: type[BackendError]
) -> None:
    server.status, server.headers = status, (("retry-after", "7"), ("location", server.address))
    with pytest.raises(error) as raised:
        await servers.search(calling(target(server.address)))
    assert type(raised.value) is error
    assert len(server.called) == 1
    if isinstance(raised.value, BackendThrottled):
        assert raised.value.retry_after == 7


async def test_a_filter_is_never_dropped(servers: McpServers, server: ScriptedMcp) -> None:
    call = calling(target(server.address))
    limited = passing(call, NOTHING_PASSED)
    limited = type(limited)(
        search=call.search,
        target=type(call.target)(
            index=server.address, threshold=0, server=call.target.server, source="docs", filter=Boolean(True)
        ),
        call=call.call,
    )
    with pytest.raises(BackendRefused):
        await servers.search(limited)
    assert server.called == []


async def test_an_answer_may_be_a_stream_with_other_messages(servers: McpServers, server: ScriptedMcp) -> None:
    server.events = True
    assert (await servers.search(calling(target(server.address)))).hits
    assert json.loads(server.recorded[0][0].body)["params"]["protocolVersion"] == "2025-11-25"
