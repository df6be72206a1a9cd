"""docs/operating/telemetry.md names what is emitted, all and nothing else; so do the queries, and the workbook."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeAlias

import pytest

from retrieval import compose
from retrieval.http.monitoring import beat
from tests.answer.scripts import answered, judged, selected
from tests.answer.test_answers import model
from tests.conftest import Post
from tests.infra.watching import COUNTS_ROWS
from tests.rooms import NEEDS_BASES_OF_STUDIO, NEEDS_MCP
from tests.running import ROOT
from tests.scenarios.federation.conftest import CALLER_KEY, Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    delayed,
    document,
    failing,
    found,
    in_turn,
    queries,
    replying,
    stalling,
)
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing
from tests.telemetry.recording import Recording

pytestmark = NEEDS_BASES_OF_STUDIO

PAGE: Final = (ROOT / "docs" / "operating" / "telemetry.md").read_text(encoding="utf-8")
WORKBOOK: Final = json.loads((ROOT / "infra" / "workbook.json").read_text(encoding="utf-8"))
ALERTS: Final = (ROOT / "infra" / "modules" / "alerts.bicep").read_text(encoding="utf-8")
VARIABLES: Final = dict(re.findall(r"^var (ours|calls|metrics) = '(.*)'$", ALERTS, re.MULTILINE))
ALERTING: Final = [
    re.sub(r"\$\{(ours|calls|metrics)\}", lambda named: VARIABLES[named[1]], query)
    for query in re.findall(r"^ *query: '(.*)'$", ALERTS, re.MULTILINE)
]
QUERIES: Final = [
    *re.findall(r"^```kusto\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL),
    *[item["content"]["query"] for item in WORKBOOK["items"] if "query" in item["content"]],
    *ALERTING,
]
TABLES: Final = {
    "dependencies": "spans",
    "customMetrics": "metrics",
    "requests": "the host's",
    "AppRequests": "the host's",
    "AppMetrics": "metrics",
    "traces": "logs",
    "exceptions": "logs",
    "Usage": "what is billed",
}
"""What is in each table: https://learn.microsoft.com/azure/azure-monitor/app/data-model-complete. `AppRequests` is the
name of `requests` in the workspace, where alerts ask, `AppMetrics` that of `customMetrics`."""
ERRORS: Final = {"error.type", "retrieval.error"}
ADMIN_KEY: Final = "admin-key-40d2"
NAMED: Final = {"x-ms-client-request-id": "their-id-4f"}

Names: TypeAlias = Mapping[str, set[str]]


def table(heading: str) -> Names:
    """Each name in the first cell of a row to the names in its last cell."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [row.split("|") for row in section.splitlines() if row.startswith("`") and " | " in row]
    return {name: set(re.findall("`([^`]+)`", row[-1])) for row in rows for name in re.findall("`([^`]+)`", row[0])}


def general(name: str) -> str:
    """A span's name as the page has it."""
    return re.sub(r"^(?:chat) .*", "chat {deployment}", re.sub(r"^(?:search) .*", "search {index}", name))


def emitted_by_spans(told: Recording) -> Names:
    names: dict[str, set[str]] = defaultdict(set)
    for span in told.ours:
        dropped = re.compile(r"(?<=^retrieval\.documents\.dropped\.).*")
        names[general(span.name)] |= {dropped.sub("{reason}", name) for name in span.attributes or {}}
    return names


async def everything_happens(
    settings: dict[str, str], azure: ScriptedAzure, studio: ScriptedModelStudio, retrieve: Retrieve, post: Post
) -> None:
    """Calls after which every name has been emitted."""
    answering_model = model(
        answer=judged("c1", sufficient=False, confidence=0.2, more=("bridge toll",)),
        again=answered("The toll [c2].", "c2"),
        judge=selected("c1"),
    )
    settings |= {"LOG_CONTENT": "1", "ADMIN_API_KEYS": ADMIN_KEY}
    azure.chat = in_turn(queries("roads"), failing(429), replying("nonsense"))
    azure.search = in_turn(failing(429), found(document("road", 3.1), document("path", None)), failing(400))
    studio.script = in_turn(chunks(chunk("quay", 0.1)), refusing("InternalError", http=500))
    for agent in ("planner", "planner", "planner", "nobody"):
        await retrieve(agent=agent, headers=NAMED)
    azure.chat = answering_model
    azure.search = by_search(
        {"bridge toll": found(document("toll", 3.2))}, otherwise=found(document("road", 3.1), document("path", 0.1))
    )
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads follow rivers?"}]}]}
    assert (await post(body, "/agents/planner/answer", headers=NAMED, key=CALLER_KEY)).status == 200
    judging = {**body, "retrievalReasoningEffort": {"kind": "medium"}}
    target = "/knowledgebases/planner/retrieve?api-version=2026-05-01-preview"
    assert (await post(judging, target, headers=NAMED, key=CALLER_KEY)).status == 206
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "rag_retrieve", "arguments": {"query": "roads"}},
    }
    accepted = {**NAMED, "accept": "application/json, text/event-stream"}
    assert (await post(message, "/agents/planner/mcp", headers=accepted, key=CALLER_KEY)).status == 200
    answering = {**message, "params": {"name": "answer", "arguments": {"question": "Which roads follow rivers?"}}}
    assert (await post(answering, "/agents/planner/mcp", headers=accepted, key=CALLER_KEY)).status == 200
    target = "/agents('new')?api-version=2025-05-01-preview"
    definition = {"name": "new", "targetIndexes": [{"indexName": "atlas"}]}
    assert (await post(definition, target, method="PUT", headers=NAMED, key=ADMIN_KEY)).status == 201
    assert (await post(b"", "/knowledgebases?api-version=2030-01-01", method="GET", key=ADMIN_KEY)).status == 200
    await beat(compose)
    azure.search = stalling()
    for _ in range(5):
        await retrieve(agent="planner", headers=NAMED)
    settings |= {"TRACE_STEPS": "0", "LIMITS": '{"query key 1": {"day": 3}}'}
    await compose.end()
    azure.search = delayed(6, found(document("road", None), partial="transient"))
    await retrieve(agent="planner")
    azure.search = found(document("road", None), partial="transient")
    assert (await post(body, "/agents/planner/answer", headers=NAMED, key=CALLER_KEY)).status == 200
    assert (await post(message, "/agents/planner/mcp", headers=accepted, key=CALLER_KEY)).status == 200
    assert (await post(body, "/agents/planner/answer", key=CALLER_KEY)).status == 429
    assert (await post(definition, target, method="PUT", headers=NAMED, key=ADMIN_KEY)).status in {200, 201}


@pytest.fixture
async def emitted(
    settings: dict[str, str],
    azure: ScriptedAzure,
    studio: ScriptedModelStudio,
    retrieve: Retrieve,
    post: Post,
    told: Recording,
) -> Recording:
    await everything_happens(settings, azure, studio, retrieve, post)
    return told


@NEEDS_MCP
async def test_the_page_has_every_span_and_its_attributes(emitted: Recording) -> None:
    spans = {name: names - ERRORS for name, names in emitted_by_spans(emitted).items()}
    assert spans == table("Spans")
    kinds = {general(span.name): span.kind.name.lower() for span in emitted.ours}
    rows = re.findall(r"^(`.+`) \| (internal|client) \|", PAGE, re.MULTILINE)
    assert kinds == {name: kind for names, kind in rows for name in re.findall("`([^`]+)`", names)}


@NEEDS_MCP
async def test_every_span_that_can_fail_says_how(emitted: Recording) -> None:
    failed = {name for name, names in emitted_by_spans(emitted).items() if "retrieval.error" in names}
    assert failed >= {"retrieve", "plan", "chat {deployment}", "search {index}"}


@NEEDS_MCP
async def test_the_page_has_every_metric_and_its_attributes(emitted: Recording) -> None:
    metrics = {
        name: {label for point in points for label in point.attributes or {}} for name, points in emitted.points.items()
    }
    assert metrics == table("Metrics")


@NEEDS_MCP
async def test_the_queries_ask_for_what_is_emitted(emitted: Recording) -> None:
    spans, metrics = emitted_by_spans(emitted), emitted.points
    attributes = set().union(
        *spans.values(), *({label for p in points for label in p.attributes or {}} for points in metrics.values())
    )
    asked = {name for query in QUERIES for name in re.findall(r'customDimensions\["([^"]+)"\]', query)}
    assert asked <= attributes


def asked_of(query: str) -> set[str]:
    """The tables that a query reads: those that a statement, a subquery, a union or a join begins with."""
    named = set(re.findall(r"\blet (\w+) =", query))
    text = re.sub(r"\blet \w+ =|;", "\n", query)
    begun = re.findall(r"(?:^|\()\s*(union [\w, ]+|\w+)\s*(?=\||$)", text, re.MULTILINE)
    joined = re.findall(r"\bjoin (?:kind=\w+ )?(\w+)", query)
    return {
        table for one in (*begun, *joined) for table in re.split(r"[, ]+", one.removeprefix("union ").strip())
    } - named


def compared(query: str) -> tuple[set[str], set[str]]:
    """The names that a query asks for whole, and those that it asks for by their beginning."""
    listed = re.findall(r"\bname (?:in|!in) \(([^)]*)\)", query)
    whole = [*re.findall(r'\bname (?:==|!=) "([^"]+)"', query), *re.findall('"([^"]+)"', " ".join(listed))]
    return set(whole), set(re.findall(r'\bname startswith "([^"]+)"', query))


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_asks_tables_that_there_are(query: str) -> None:
    assert asked_of(query)
    assert asked_of(query) <= set(TABLES)


@NEEDS_MCP
async def test_a_query_compares_with_names_that_are_emitted(emitted: Recording) -> None:
    spans, metrics = set(emitted_by_spans(emitted)), set(emitted.points)
    for query in QUERIES:
        kinds = {TABLES[table] for table in asked_of(query)}
        known = set().union(*({"spans": spans, "metrics": metrics}.get(kind, set()) for kind in kinds))
        whole, beginnings = compared(query)
        assert whole <= {name for name in known if "{" not in name}, query
        assert all(any(name.startswith(beginning) for name in known) for beginning in beginnings), query


@pytest.mark.parametrize(
    ("query", "whole", "beginnings"),
    [
        ('dependencies | where name == "plan" or name startswith "search "', {"plan"}, {"search "}),
        ('customMetrics | where name in ("a", "b") and name != "c"', {"a", "b", "c"}, set()),
    ],
)
def test_names_are_read_from_a_query(query: str, whole: set[str], beginnings: set[str]) -> None:
    assert compared(query) == (whole, beginnings)


def test_tables_are_read_from_a_query() -> None:
    named = "let one = a | where x > 1;\nlet two = toscalar(b | take 1);\n"
    query = f"{named}union c, d\n| join kind=inner one on y\n| join e on y"
    assert asked_of(query) == {"a", "b", "c", "d", "e"}


def test_every_alert_is_among_the_queries() -> None:
    assert len(ALERTING) == ALERTS.count("'log-alert.bicep'") == 13


def test_a_query_counts_what_sampling_left_out() -> None:
    """A metric or a log is no sample of anything."""
    for query in QUERIES:
        if {TABLES[table] for table in asked_of(query)} <= {"spans", "the host's"}:
            assert not COUNTS_ROWS.search(query), query
