"""Outages of a part: one source of two, one search of two, an index without documents, and calls that no status tells.

In each somebody is told: a line from WARNING on with the source, the index, the cause and the call; a count by source
and cause; `GET ready`; and an alert.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from opentelemetry._logs import SeverityNumber

from retrieval.local.wire import WireService
from retrieval.outgoing.breakers_and_retries import PAUSE_SECONDS
from tests.conftest import Post, Response
from tests.infra import kql
from tests.rooms import NEEDS_MCP
from tests.sampling import sample
from tests.scenarios.failures.conftest import CALLER_KEY, Retrieve
from tests.scenarios.outages.alerting import Emitted, alerts, raised, rows
from tests.scenarios.outages.test_outages import LATENCY
from tests.scripted_azure import ScriptedAzure, answering, by_index, by_search, document, failing, found, queries
from tests.scripted_azure.scripts import delayed, stalling
from tests.telemetry.exported import logged
from tests.telemetry.recording import Recording, recording

CALLS: Final = 6
CLIENT_ID: Final = "their-id-4f"
NEWEST: Final = "api-version=2026-08-01-preview"
WELL: Final = found(document("road", 3.1))
HTML: Final = answering(b"<html>Maintenance</html>", content_type="text/html")
UNKNOWN_FIELD: Final = failing(400, "Could not find a property named 'page' on type 'search.document'. ($select)")

Settings = dict[str, str]


def definitions(address: str) -> Mapping[str, Any]:
    """A base with the sources `roads` and `rivers`, and an agent of one index whose model plans."""
    parameters = {"resourceUri": address, "deploymentId": "planner-model", "apiKey": "model-key"}
    sources = ("roads", "rivers")
    return {
        "knowledgeBases": [{"name": "both", "knowledgeSources": [{"name": f"{name}-source"} for name in sources]}],
        "knowledgeSources": [
            {"name": f"{name}-source", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": name}}
            for name in sources
        ],
        "agents": [
            {
                "name": "planner",
                "models": [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}],
                "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}],
                "requestLimits": {"maxRuntimeInSeconds": 10},
            }
        ],
    }


@pytest.fixture
def settings(settings: Settings, azure: ScriptedAzure, tmp_path: Path) -> Settings:
    file = tmp_path / "definitions.json"
    file.write_text(json.dumps(definitions(azure.address)))
    return {**settings, "AGENTS_FILE": str(file)}


TOLD: Final = frozenset({"alert-searches", "alert-not-ready"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfOutage:
    """`search` is what the search service answers. Each call has one of the `statuses`. `log` is in a line from WARNING
    on, and `failing` in `GET ready`, whose `search` is `state`."""

    search: WireService
    log: str
    agent: str = "both"
    statuses: frozenset[int] = frozenset({206})
    alerts: frozenset[str] = TOLD
    state: str = "failing"
    failing: tuple[str, ...] = ("rivers-source",)


def rivers(script: WireService) -> WireService:
    return by_index({"rivers": script}, otherwise=WELL)


IN_RIVERS: Final = "Azure AI Search, index 'rivers', source 'rivers-source'"
HALVES: Final[Mapping[str, HalfOutage]] = {
    "one source is away": HalfOutage(search=rivers(failing(503)), log=f"BackendUnavailable 503, {IN_RIVERS}"),
    "one source refuses": HalfOutage(search=rivers(failing(400)), log=f"BackendRefused 400, {IN_RIVERS}"),
    "one source lacks a field": HalfOutage(search=rivers(UNKNOWN_FIELD), log=f"BackendRefused 400, {IN_RIVERS}"),
    "one source forbids": HalfOutage(
        search=rivers(failing(403)), log=f"BackendForbidden 403, {IN_RIVERS}", alerts=TOLD | {"alert-refused"}
    ),
    "one source throttles": HalfOutage(
        search=rivers(failing(429)), log=f"BackendThrottled 429, {IN_RIVERS}", alerts=TOLD | {"alert-throttles"}
    ),
    "one index is gone": HalfOutage(
        search=rivers(failing(404)), log=f"BackendMissing 404, {IN_RIVERS}", alerts=TOLD | {"alert-refused"}
    ),
    "one source hangs": HalfOutage(
        search=rivers(stalling()), log=f"BackendTimeout, {IN_RIVERS}", alerts=TOLD | {"alert-suspended"}
    ),
    "one source answers with HTML": HalfOutage(search=rivers(HTML), log=f"BackendUnanswered (unreadable), {IN_RIVERS}"),
    "one search of two fails": HalfOutage(
        search=by_search({"Roads": failing(503)}, otherwise=WELL),
        agent="planner",
        statuses=frozenset({200, 206}),
        log="BackendUnavailable 503, Azure AI Search, index 'atlas', source 'atlas'",
        alerts=frozenset({"alert-searches"}),
        state="reachable",
        failing=("atlas",),
    ),
}


MESSAGE: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
TOOL: Final = {"name": "rag_retrieve", "arguments": {"query": "Roads"}}
ACCEPTED: Final = {"accept": "application/json, text/event-stream"}


async def call(post: Post, retrieve: Retrieve, agent: str) -> Response:
    """A retrieve of the agent `planner`, or of a base."""
    headers = {"x-ms-client-request-id": CLIENT_ID}
    if agent == "planner":
        return await retrieve(headers=headers)
    body = {"intents": [{"type": "semantic", "search": "Roads"}]}
    return await post(body, f"/knowledgebases('{agent}')/retrieve?{NEWEST}", headers=headers, key=CALLER_KEY)


def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("name", sample(list(HALVES), every=3))
async def test_half_an_outage_is_told_with_its_source_and_cause(
    name: str,
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half = HALVES[name]
    environment(settings, monkeypatch)
    azure.chat, azure.search = queries("Roads", "rivers"), half.search
    with logged() as kept:
        answers = [await call(post, retrieve, half.agent) for _ in range(CALLS)]
        ready = await post(b"", "/ready", method="GET", key=None)
    assert {answer.status for answer in answers} <= half.statuses, answers[0].body
    lines = [
        (str(one.log_record.body), (one.log_record.severity_number or SeverityNumber.INFO).value)
        for one in kept.get_finished_logs()
    ]
    first = next((line, level) for line, level in lines if half.log in line and line.startswith("a search failed"))
    assert first[1] == SeverityNumber.WARN.value
    assert f"request-id={answers[0].headers['request-id']} caller='query key 1'" in first[0]
    assert first[0].endswith(f"client-request-id={CLIENT_ID})")
    for answer in answers:
        assert any(f"request-id={answer.headers['request-id']} " in line for line, _ in lines if "failed" in line)
    assert (ready.json["search"], tuple(ready.json.get("failing", ()))) == (half.state, half.failing)
    cause = half.log.partition(",")[0]
    source = half.failing[0]
    assert told.total("retrieval.searches", retrieval__source=source, retrieval__cause=cause) >= 1
    statuses = [answer.status for answer in answers]
    assert raised(Emitted(rows=rows(told, statuses, []), ready=ready.status), alerts(), but=[LATENCY]) == half.alerts


async def failures_of_tools(post: Post) -> list[Response]:
    body = {**MESSAGE, "params": TOOL}
    return [await post(body, "/agents/planner/mcp", headers=ACCEPTED, key=CALLER_KEY) for _ in range(CALLS)]


@NEEDS_MCP
@pytest.mark.parametrize("closed", [False, True])
async def test_a_failure_within_a_200_counts_as_others_do(
    closed: bool,
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment(settings, monkeypatch)
    azure.chat, azure.search = queries("Roads"), failing(503)
    answers = await failures_of_tools(post)
    assert [(answer.status, answer.json["result"]["isError"]) for answer in answers] == [(200, True)] * CALLS
    emitted = Emitted(rows=rows(told, [200] * CALLS, []), ready=200)
    assert raised(emitted, alerts(closed=closed), but=[LATENCY]) == {"alert-errors", "alert-searches"}


async def test_an_app_that_nobody_can_ask_is_told_of_by_its_first_call(
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment(settings, monkeypatch)
    azure.chat, azure.search = queries("Roads"), failing(503)
    statuses = [(await call(post, retrieve, "planner")).status]
    emitted = Emitted(rows=rows(told, statuses, []), ready=200)
    assert raised(emitted, alerts(), but=[LATENCY]) == set()
    assert raised(emitted, alerts(closed=True), but=[LATENCY]) == {"alert-errors", "alert-searches"}


async def test_a_target_that_hangs_is_told_of_until_it_answers(
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment(settings, monkeypatch)
    azure.chat, azure.search = queries("Roads"), stalling()
    hanging = [(await call(post, retrieve, "planner")).status for _ in range(CALLS)]
    assert "alert-suspended" in raised(Emitted(rows=rows(told, hanging, []), ready=200), alerts(), but=[LATENCY])
    azure.search = WELL
    await asyncio.sleep(PAUSE_SECONDS)
    answered = [(await call(post, retrieve, "planner")).status for _ in range(2)]
    assert answered == [200, 200]
    rules = {"alert-suspended": alerts()["alert-suspended"]}
    assert told.total("retrieval.breaker", retrieval__change="closed") == 1
    assert raised(Emitted(rows=rows(told, answered, []), ready=200), rules) == set()


@pytest.mark.parametrize(
    ("seconds", "calls", "lines"), [(6.0, CALLS, 1), (6.0, 3 * CALLS, 2), (6.0, 2, 0), (3.0, CALLS, 0)]
)
async def test_a_source_that_regularly_takes_most_of_its_time_is_told_of_each_minute(
    seconds: float,
    calls: int,
    lines: int,
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call of `planner` has ten seconds. Its source is not called failing."""
    environment(settings, monkeypatch)
    azure.chat, azure.search = queries("Roads"), delayed(seconds, WELL)
    with logged() as kept:
        answers = [await call(post, retrieve, "planner") for _ in range(calls)]
        ready = await post(b"", "/ready", method="GET", key=None)
    assert {answer.status for answer in answers} == {200}
    slow = [one.log_record for one in kept.get_finished_logs() if str(one.log_record.body).startswith("searches are")]
    assert len(slow) == lines
    for record in slow:
        assert record.severity_number == SeverityNumber.WARN
        assert "source 'atlas', index 'atlas': " in str(record.body)
        assert "took more than half of their time, up to 6.0 s" in str(record.body)
    assert told.total("retrieval.slow", retrieval__source="atlas") == (calls if seconds > 5 else 0)
    assert (ready.json["search"], ready.json.get("failing", [])) == ("reachable", [])


def hours_ago(emitted: kql.Rows, hours: int) -> list[kql.Row]:
    """The rows of the metrics, as they were so many hours ago."""
    then = (datetime.now(UTC) - timedelta(hours=hours)).replace(tzinfo=None).isoformat()
    return [{**row, "TimeGenerated": then} for row in emitted["AppMetrics"]]


@pytest.mark.parametrize(
    ("yesterday", "today", "expected"),
    [
        ((30, 0), (10, 10), {"alert-nothing-found"}),
        ((30, 0), (11, 10), set()),
        ((30, 0), (9, 10), set()),
        ((30, 10), (0, 30), set()),
        ((0, 0), (0, 30), set()),
    ],
    ids=["half found nothing", "less than half", "too few calls", "as the day before", "no day before"],
)
async def test_an_index_that_gives_nothing_any_more_is_told_of(
    yesterday: tuple[int, int],
    today: tuple[int, int],
    expected: set[str],
    azure: ScriptedAzure,
    settings: Settings,
    retrieve: Retrieve,
    post: Post,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each day is its calls that found documents, and its calls that found none."""
    environment(settings, monkeypatch)
    azure.chat = queries("Roads")

    async def day(found_some: int, found_none: int) -> kql.Rows:
        with recording() as told:
            for script, times in ((WELL, found_some), (found(), found_none)):
                azure.search = script
                for _ in range(times):
                    assert (await call(post, retrieve, "planner")).status == 200
            return rows(told, [200], [])

    before, now = await day(*yesterday), await day(*today)
    emitted = {**now, "AppMetrics": [*hours_ago(before, 5), *now["AppMetrics"]]}
    assert raised(Emitted(rows=emitted, ready=200), alerts(), but=[LATENCY]) == expected
