"""Outages of everything that is called: each is told with its cause within its first minute, and somebody is woken."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.local.certificate import certificate
from retrieval.local.wire import WireService
from tests.conftest import Post, Response
from tests.rooms import NEEDS_BASES_OF_STUDIO, NEEDS_MCP_SERVERS
from tests.running import free_port
from tests.sampling import sample
from tests.scenarios.failures.conftest import CALLER_KEY
from tests.scenarios.outages.alerting import Emitted, alerts, raised, rows
from tests.scenarios.outages.test_causes import HTML
from tests.scenarios.outages.test_half_outages import NEWEST, environment
from tests.scenarios.outages.test_outages import LATENCY, lines_of
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    cutting,
    document,
    failing,
    found,
    queries,
    replying,
    stalling,
)
from tests.scripted_mcp import ScriptedMcp, text
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing
from tests.telemetry.exported import logged
from tests.telemetry.recording import Recording

pytestmark = [NEEDS_BASES_OF_STUDIO, NEEDS_MCP_SERVERS]

MINUTE: Final = 60.0
LOST_FIELD: Final = "Could not find a property named '{}' on type 'search.document'."
OF_FILTER: Final = failing(400, f"Invalid expression: {LOST_FIELD.format('group')} Parameter name: $filter", code="")
IMPOSED: Final = json.dumps({"*": {"group": {"claim": "groups", "withKey": ["a"]}}})
BY_YEAR: Final = {"targetIndexParams": [{"indexName": "atlas", "filterAddOn": "year eq 2"}]}


@dataclass(kw_only=True)
class World:
    """What a deployment calls, and its settings; `defined` is its file of definitions. `distrusted` is the address of a
    server whose certificate nobody has signed, and `nowhere` that of none."""

    azure: ScriptedAzure
    studio: ScriptedModelStudio
    tools: ScriptedMcp
    settings: dict[str, str]
    defined: str
    distrusted: str
    nowhere: str

    def moved(self, of: str, to: str) -> None:
        """Something is called at another address."""
        self.settings = {name: value.replace(of, to) for name, value in self.settings.items()}
        self.defined = self.defined.replace(of, to)


Breaks = Callable[[World], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """`line` is in one of the log from WARNING on, `ready` are the members of `GET ready` that are not well."""

    breaks: Breaks
    line: str
    alerts: set[str]
    agent: str = "planner"
    ready: Mapping[str, object]
    more: Mapping[str, object] | None = None
    calls: int = 6


def search(script: WireService, **settings: str) -> Breaks:
    def breaks(world: World) -> None:
        world.azure.search = script
        world.settings |= settings

    return breaks


def chat(script: WireService) -> Breaks:
    return lambda world: setattr(world.azure, "chat", script)


def studio(script: WireService) -> Breaks:
    return lambda world: setattr(world.studio, "script", script)


def tools(**changes: object) -> Breaks:
    def breaks(world: World) -> None:
        for name, value in changes.items():
            setattr(world.tools, name, value)

    return breaks


def model_at(address: Callable[[World], str]) -> Breaks:
    def breaks(world: World) -> None:
        old = f'"resourceUri": "{world.azure.address}"'
        world.defined = world.defined.replace(old, f'"resourceUri": "{address(world)}"')

    return breaks


def no_tokens(world: World) -> None:
    agent = json.loads(world.defined)["agents"][0]
    world.defined = json.dumps([{**agent, "models": []}])
    world.settings = {
        "AZURE_SEARCH_ENDPOINT": world.azure.address.replace("http:", "https:"),
        "AGENTS_FILE": world.settings["AGENTS_FILE"],
        "AGENTS_STORE": "",
        "API_KEYS": CALLER_KEY,
        "LOCAL": "0",
        "WEBSITE_INSTANCE_ID": "instance",
        "IDENTITY_ENDPOINT": f"{world.nowhere}/identity",
        "IDENTITY_HEADER": "from-the-platform",
    }


def _failing(source: str) -> Mapping[str, object]:
    return {"search": "failing", "failing": [source]}


ATLAS: Final = "Azure AI Search, index 'atlas', source 'atlas'"
HARBOUR: Final = "Model Studio, index 'harbour-base', source 'harbour-base'"
MCP: Final = "The MCP server of 'tools-source'"
PLAN: Final = "plan is done without the model:"
ALL: Final = {"alert-searches", "alert-errors", "alert-not-ready"}
MISCONFIGURED: Final = ALL | {"alert-refused"}
HALF: Final = {"alert-searches", "alert-not-ready"}

Of = partial(Outage, ready={})
OfSearch = partial(Outage, alerts=ALL, ready=_failing("atlas"))
OfFilter = partial(OfSearch, alerts=MISCONFIGURED, line=f"BackendMisconfigured 400 (field), {ATLAS}. Index 'atlas'")
OfModel = partial(Of, alerts={"alert-without-model"})
OfModelPart = partial(Of, alerts={"alert-without-model", "alert-refused", "alert-not-ready"})
OfThrottling = partial(
    OfSearch,
    line=f"BackendThrottled 429, {ATLAS}",
    alerts={"alert-searches", "alert-throttled", "alert-throttles", "alert-not-ready"},
)
OfTools = partial(Of, agent="tools", alerts={"alert-searches"})
OfStudio = partial(Outage, agent="harbour", alerts=HALF, ready=_failing("harbour-base"))

OUTAGES: Final[Mapping[str, Outage]] = {
    "the index was rebuilt, and the second search is refused too": OfFilter(
        breaks=search(failing(400, LOST_FIELD.format("title")))
    ),
    "the search service's certificate": Outage(
        breaks=lambda world: world.settings.update(AZURE_SEARCH_ENDPOINT=world.distrusted),
        line=f"BackendUnanswered (certificate), {ATLAS}",
        alerts=ALL,
        ready={"search": "unavailable", "failing": ["atlas"]},
    ),
    "the model's certificate": OfModel(
        breaks=model_at(lambda world: world.distrusted),
        line=f"{PLAN} BackendUnanswered (certificate), The chat model",
        alerts={"alert-without-model", "alert-not-ready"},
        ready={"model": "unavailable"},
    ),
    "the field of an imposed filter is gone": OfFilter(breaks=search(OF_FILTER, IMPOSED_FILTERS=IMPOSED)),
    "the same, beside callers' filters": OfFilter(breaks=search(OF_FILTER, IMPOSED_FILTERS=IMPOSED), more=BY_YEAR),
    "the field of a source's own filter is gone": OfFilter(
        breaks=search(OF_FILTER),
        agent="filtered",
        line="BackendMisconfigured 400 (field), Azure AI Search, index 'atlas', source 'filtered-source'",
        ready=_failing("filtered-source"),
    ),
    "an MCP server is down": OfTools(
        breaks=lambda world: world.moved(world.tools.address, f"{world.nowhere}/mcp"),
        line=f"BackendUnanswered (refused), {MCP}",
    ),
    "an MCP server fails": OfTools(breaks=tools(status=500), line=f"BackendUnavailable 500, {MCP}"),
    "an MCP server hangs": OfTools(breaks=tools(opening=asyncio.Event()), line=f"BackendTimeout, {MCP}", calls=3),
    "an MCP server accepts nobody": OfTools(
        breaks=tools(status=401), line=f"BackendForbidden 401, {MCP}", alerts={"alert-searches", "alert-refused"}
    ),
    "an MCP server's tool was renamed": OfTools(breaks=tools(tools=[]), line=f"BackendMissing 404, {MCP}"),
    "an MCP server's tool fails": OfTools(
        breaks=tools(output=text("no", error=True)), line=f"BackendUnavailable (tool), {MCP}"
    ),
    "Model Studio is down": OfStudio(
        breaks=lambda world: world.moved(world.studio.address, world.nowhere),
        line=f"BackendUnanswered (refused), {HARBOUR}",
    ),
    "Model Studio fails": OfStudio(
        breaks=studio(refusing("InternalError", http=500)), line=f"BackendUnavailable 500, {HARBOUR}"
    ),
    "Model Studio's key was changed": OfStudio(
        breaks=studio(refusing("SignatureDoesNotMatch", http=400)),
        line=f"BackendForbidden 400, {HARBOUR}",
        alerts=HALF | {"alert-refused"},
    ),
    "Model Studio's base was deleted": OfStudio(
        breaks=studio(refusing("Index.NotExist", status="400")),
        line=f"BackendMissing 404, {HARBOUR}",
        alerts=HALF | {"alert-refused"},
    ),
    "Model Studio throttles": OfStudio(
        breaks=studio(refusing("Throttling.User", http=429)),
        line=f"BackendThrottled 429, {HARBOUR}",
        alerts=HALF | {"alert-throttles"},
    ),
    "the table of definitions is down": Outage(
        breaks=lambda world: world.settings.update(AGENTS_STORE=f"{world.nowhere}/devstoreaccount1"),
        line="BackendUnanswered (refused), The agent store",
        alerts={"alert-errors", "alert-not-ready"},
        ready={"agentStore": "unavailable"},
    ),
    "the token endpoint is down": OfSearch(
        breaks=no_tokens,
        line="BackendUnanswered (refused), The token endpoint",
        ready={"search": "unavailable", "failing": ["atlas"]},
    ),
    "the model's content filter": OfModel(
        breaks=chat(failing(400, code="content_filter")),
        line=f"{PLAN} BackendRefused 400 (content filter), The chat model",
    ),
    "the model's context length": OfModel(
        breaks=chat(failing(400, code="context_length_exceeded")),
        line=f"{PLAN} BackendRefused 400 (context length), The chat model",
    ),
    "the model's host is not known": OfModel(
        breaks=model_at(lambda world: "https://nowhere.invalid"),
        line=f"{PLAN} BackendUnanswered (name), The chat model",
        alerts={"alert-without-model", "alert-not-ready"},
        ready={"model": "unavailable"},
    ),
    "the model fails": OfModel(breaks=chat(failing(500)), line=f"{PLAN} BackendUnavailable 500, The chat model"),
    "the model's plans cannot be read": OfModel(breaks=chat(replying("nonsense")), line=f"{PLAN} BadModelReply"),
    "the index's vectorizer": OfSearch(
        breaks=search(failing(400, code="InvalidVectorQuery")),
        line=f"BackendMisconfigured 400 (vectorizer), {ATLAS}",
        alerts=MISCONFIGURED,
    ),
    "the identity lost its role": OfSearch(
        breaks=search(failing(403)), line=f"BackendForbidden 403, {ATLAS}", alerts=MISCONFIGURED
    ),
    "a gateway redirects": OfSearch(
        breaks=search(answering(b"", status=302, location="https://elsewhere")),
        line=f"BackendUnavailable 302, {ATLAS}",
    ),
    "the search service's key was renewed": OfSearch(
        breaks=search(failing(401)),
        line=f"BackendForbidden 401, {ATLAS}. Its key is not accepted",
        alerts=MISCONFIGURED,
    ),
    "the connection breaks off": OfSearch(breaks=search(cutting()), line=f"BackendUnanswered (cut), {ATLAS}"),
    "half a page": OfSearch(
        breaks=search(answering(b'{"value": [{"id"', content_type="application/json")),
        line=f"BackendUnanswered (unreadable), {ATLAS}",
    ),
    "a page that is not compressed as it says": OfSearch(
        breaks=search(answering(b"plain", content_encoding="gzip", content_type="application/json")),
        line=f"BackendUnanswered (unreadable), {ATLAS}",
    ),
    "a page without a list": OfSearch(
        breaks=search(answering({"value": None})), line=f"BackendUnanswered (unreadable), {ATLAS}"
    ),
    "no content": OfSearch(breaks=search(answering(b"", status=204)), line=f"BackendUnavailable 204, {ATLAS}"),
    "a field is not retrievable any more": OfSearch(
        breaks=search(failing(400, "The field 'content' is not a retrievable field. Parameter name: $select", code="")),
        line=f"BackendMisconfigured 400 (field), {ATLAS}",
        alerts=MISCONFIGURED,
    ),
    "the semantic configuration was deleted": OfSearch(
        breaks=search(failing(400, code="InvalidRequest", detail="UnknownSemanticConfiguration")),
        line=f"BackendMisconfigured 400 (configuration), {ATLAS}",
        alerts=MISCONFIGURED,
    ),
    "the search service throttles for a time that cannot be read": OfThrottling(
        breaks=search(failing(429, retry_after="soon"))
    ),
    "the search service throttles until a date": OfThrottling(
        breaks=search(failing(429, retry_after="Wed, 21 Oct 2099 07:28:00 GMT"))
    ),
    "the search service throttles for ever": OfThrottling(breaks=search(failing(429, retry_after="1e999"))),
    "the model's deployment was deleted": OfModelPart(
        breaks=chat(failing(404, code="DeploymentNotFound")),
        line=f"{PLAN} BackendMisconfigured 404 (deployment), The chat model",
        ready={"model": "deploymentMissing"},
    ),
    "the model's quota is used up": OfModelPart(
        breaks=chat(failing(429, code="insufficient_quota")),
        line=f"{PLAN} BackendMisconfigured 429 (quota), The chat model",
        ready={"model": "misconfigured"},
    ),
    "the model takes other values": OfModel(
        breaks=chat(failing(400, code="unsupported_value")),
        line=f"{PLAN} BackendRefused 400 (unsupported parameter), The chat model",
    ),
    "half a plan": OfModel(
        breaks=chat(answering(b'{"choices": [', content_type="application/json")),
        line=f"{PLAN} BackendUnanswered (unreadable), The chat model",
    ),
    "Model Studio's access key was deleted": OfStudio(
        breaks=studio(refusing("InvalidAccessKeyId.NotFound", http=404)),
        line=f"BackendForbidden 404, {HARBOUR}",
        alerts=HALF | {"alert-refused"},
    ),
    "Model Studio breaks off": OfStudio(breaks=studio(cutting()), line=f"BackendUnanswered (cut), {HARBOUR}"),
    "a page of maintenance before Model Studio": OfStudio(
        breaks=studio(HTML), line=f"BackendUnanswered (unreadable), {HARBOUR}"
    ),
    "a page of maintenance": OfSearch(breaks=search(HTML), line=f"BackendUnanswered (unreadable), {ATLAS}"),
    "the search service hangs": OfSearch(
        breaks=search(stalling()),
        line="BackendTimeout, The search in 'atlas', index 'atlas'",
        alerts=ALL | {"alert-suspended"},
    ),
}


def definitions(world: str, tools: str) -> str:
    """An agent whose model plans, one with an index and a base of Model Studio, a base with an index and an MCP server,
    and one whose source has a filter."""
    model = {"resourceUri": world, "deploymentId": "planner-model", "apiKey": "model-key"}
    index, limits = {"searchIndexName": "atlas"}, {"requestLimits": {"maxRuntimeInSeconds": 10}}
    server = {"serverURL": tools, "tools": [{"name": "search"}]}
    bases = {"tools": ("atlas-source", "tools-source"), "filtered": ("filtered-source",)}
    planner = {"targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}], **limits}
    return json.dumps(
        {
            "agents": [
                {"name": "planner", "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": model}], **planner},
                {"name": "harbour", "targetIndexes": [{"indexName": "atlas"}, {"indexName": "harbour-base"}], **limits},
            ],
            "knowledgeBases": [
                {"name": name, "knowledgeSources": [{"name": source} for source in sources]}
                for name, sources in bases.items()
            ],
            "knowledgeSources": [
                {"name": "atlas-source", "kind": "searchIndex", "searchIndexParameters": index},
                {
                    "name": "filtered-source",
                    "kind": "searchIndex",
                    "searchIndexParameters": {**index, "baseFilter": "group eq 'a'"},
                },
                {"name": "tools-source", "kind": "mcpServer", "mcpServerParameters": server},
            ],
        }
    )


@pytest.fixture
async def world(azure: ScriptedAzure, tmp_path: Path) -> AsyncIterator[World]:
    studio, tools = ScriptedModelStudio(chunks(chunk("quay", 0.9))), ScriptedMcp()
    azure.chat, azure.search = queries("Roads"), found(document("road", 3.1))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(studio.listening())
        await stack.enter_async_context(tools.listening())
        tls = certificate("127.0.0.1").context
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=tls)
        stack.callback(server.close)
        base = {"workspace": "llm-scripted", "index": "index-1", "endpoint": studio.address}
        settings = {
            "AZURE_SEARCH_ENDPOINT": azure.address,
            "AZURE_SEARCH_API_KEY": "search-key",
            "API_KEYS": CALLER_KEY,
            "LOCAL": "1",
            "MCP_HOSTS": "127.0.0.1",
            "MODEL_STUDIO_ACCESS_KEY_ID": "id",
            "MODEL_STUDIO_ACCESS_KEY_SECRET": "secret",
            "MODEL_STUDIO_BASES": json.dumps({"harbour-base": base}),
            "AGENTS_FILE": str(tmp_path / "definitions.json"),
        }
        compose.service.cache_clear()
        yield World(
            azure=azure,
            studio=studio,
            tools=tools,
            settings=settings,
            defined=definitions(azure.address, tools.address),
            distrusted=f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}",
            nowhere=f"http://127.0.0.1:{free_port()}",
        )
        await compose.end()


def deploy(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(world.settings["AGENTS_FILE"]).write_text(world.defined)
    environment(world.settings, monkeypatch)


async def call(post: Post, agent: str, more: Mapping[str, object] | None = None) -> Response:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Roads"}]}]}
    body |= more or {}
    is_base = agent in {"tools", "filtered"}
    path = f"knowledgebases('{agent}')/retrieve?{NEWEST}"
    path = path if is_base else f"agents('{agent}')/retrieve?api-version=2025-05-01-preview"
    return await post(body, f"/{path}", key=CALLER_KEY)


@pytest.mark.parametrize("name", sample(list(OUTAGES), every=3))
async def test_an_outage_is_told_with_its_cause_within_a_minute(
    name: str, world: World, post: Post, told: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = OUTAGES[name]
    outage.breaks(world)
    deploy(world, monkeypatch)
    began = asyncio.get_running_loop().time()
    with logged() as kept:
        answers = [await call(post, outage.agent, outage.more) for _ in range(outage.calls)]
        ready = await post(b"", "/ready", method="GET", key=None)
    assert asyncio.get_running_loop().time() - began <= MINUTE
    lines = [line for _, line in lines_of(kept)]
    assert any(outage.line in line and f"request-id={answers[0].headers['request-id']}" in line for line in lines)
    well = {"ready", "notReady", "complete", "reachable", "notConfigured", ready.json["version"]}
    assert {part: state for part, state in ready.json.items() if str(state) not in well} == outage.ready
    statuses = [answer.status for answer in answers]
    emitted = Emitted(rows=rows(told, statuses, []), ready=ready.status)
    assert raised(emitted, alerts(), but=[LATENCY]) == outage.alerts


@pytest.mark.parametrize("value", ["2", "'group'"], ids=["another field", "a value that is a field's name"])
async def test_a_callers_own_filter_makes_no_source_fail(
    value: str, world: World, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line and a count tell of it. What a caller can cause takes no instance out of service."""
    text = f"year eq {value}"
    refusal = failing(400, f"Could not find a property named 'year' in: {text}", code="")
    more = {"targetIndexParams": [{"indexName": "atlas", "filterAddOn": text}]}
    search(refusal, IMPOSED_FILTERS=IMPOSED)(world)
    deploy(world, monkeypatch)
    answers = [await call(post, "planner", more) for _ in range(6)]
    ready = await post(b"", "/ready", method="GET", key=None)
    assert [answer.status for answer in answers] == [400] * 6
    assert (ready.status, ready.json["search"], "failing" in ready.json) == (200, "reachable", False)


async def test_a_caller_is_not_told_what_is_imposed(world: World, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    search(OF_FILTER, IMPOSED_FILTERS=IMPOSED)(world)
    deploy(world, monkeypatch)
    answer = await call(post, "planner", BY_YEAR)
    assert answer.status == 502 and b"IMPOSED_FILTERS" in answer.body
    assert b"group" not in answer.body
