"""A base of this service behind a base of this service, over MCP: it is asked once, and never in a circle."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

import pytest

from retrieval.local.host import Host
from retrieval.local.server import serving
from retrieval.local.wire import WireRequest, WireResponse
from tests.rooms import NEEDS_MCP, NEEDS_MCP_SERVERS
from tests.scenarios.mcp_servers.conftest import ADMIN, Deployment
from tests.scenarios.mcp_servers.test_retrieve import calls, records
from tests.scripted_azure import ScriptedAzure, document, found, in_turn, queries

pytestmark = [NEEDS_MCP, NEEDS_MCP_SERVERS]

TOOL = "knowledge_base_retrieve"


@pytest.fixture
async def own(host: Host) -> AsyncIterator[str]:
    """The address of this service, over a socket."""
    async with serving(host) as address:
        yield address


def passed(*sources: str) -> Mapping[str, str]:
    """The caller's own key, passed on to each source."""
    parts = [
        (f"{one}-header-{part}", value) for one in sources for part, value in (("name", "api-key"), ("value", ADMIN))
    ]
    return dict(parts)


async def test_a_base_is_a_source_of_another(deployment: Deployment, azure: ScriptedAzure, own: str) -> None:
    deployment.with_model(azure)
    azure.search = found(document("d1", 3.0, title="A road", content="It is long."))
    await deployment.base("atlas", name="inner")
    await deployment.source("behind", f"{own}/knowledgebases/inner/mcp", TOOL)
    await deployment.base("behind", name="outer")
    azure.chat = in_turn(queries("Roads"), calls(("behind", TOOL, {"queries": ["roads"]})), queries("Roads"))
    answer = await deployment.retrieve(name="outer", headers=passed("behind"))
    assert answer.status == 200, answer.body
    (record,) = records(answer.json)
    assert record["mcpServerArguments"] == {"toolName": TOOL, "toolArguments": {"queries": ["roads"]}}
    assert "It is long." in answer.json["response"][0]["content"][0]["text"]


async def test_a_circle_ends_at_the_second_base(deployment: Deployment, azure: ScriptedAzure, own: str) -> None:
    deployment.with_model(azure)
    azure.search = found(document("d1", 3.0))
    for name, other in (("one", "two"), ("two", "one")):
        await deployment.source(f"to-{other}", f"{own}/knowledgebases/{other}/mcp", TOOL)
        await deployment.base("atlas", f"to-{other}", name=name)

    async def script(request: WireRequest) -> WireResponse:
        tools = json.loads(json.loads(request.body)["messages"][-1]["content"]).get("tools")
        reply = queries("Roads") if tools is None else calls((tools[0]["source"], TOOL, {"queries": ["roads"]}))
        answer: WireResponse = await reply(request)
        return answer

    azure.chat = script
    async with asyncio.timeout(60):
        answer = await deployment.retrieve(name="one", headers=passed("to-one", "to-two"))
    assert answer.status == 200, answer.body
    assert len(azure.searches) == 2
