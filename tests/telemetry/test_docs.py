"""docs/telemetry.md names what is emitted, all of it and nothing else; so do the queries, and the workbook."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeAlias

import pytest

from tests.conftest import Post
from tests.federation.conftest import CALLER_KEY, Retrieve
from tests.running import ROOT
from tests.scripted_azure import ScriptedAzure, by_search, document, failing, found, in_turn, queries, replying
from tests.scripted_model_studio import ScriptedModelStudio, chunk, chunks, refusing
from tests.telemetry.recording import Recording
from tests.workflow.scripts import concluded, judged
from tests.workflow.test_paths import model

PAGE: Final = (ROOT / "docs" / "telemetry.md").read_text(encoding="utf-8")
WORKBOOK: Final = json.loads((ROOT / "infra" / "workbook.json").read_text(encoding="utf-8"))
QUERIES: Final = [
    *re.findall(r"^```kusto\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL),
    *[item["content"]["query"] for item in WORKBOOK["items"] if "query" in item["content"]],
]
ERRORS: Final = {"error.type", "retrieval.error"}
ADMIN_KEY: Final = "admin-key-40d2"

Names: TypeAlias = Mapping[str, set[str]]


def table(heading: str) -> Names:
    """The first cell of each row to the names in its last one."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [row.strip("|").split("|") for row in section.splitlines() if row.startswith("| `")]
    return {row[0].strip(" `"): set(re.findall("`([^`]+)`", row[-1])) for row in rows}


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
        judge=judged("c1", sufficient=False, confidence=0.2, more=("bridge toll",)),
        conclude=concluded("The toll [c2].", "c2"),
    )
    settings |= {"LOG_CONTENT": "1", "ADMIN_API_KEYS": ADMIN_KEY}
    azure.chat = in_turn(queries("roads"), failing(429), replying("nonsense"))
    azure.search = in_turn(failing(429), found(document("road", 3.1), document("path", None)), failing(400))
    studio.script = in_turn(chunks(chunk("quay", 0.1)), refusing("InternalError", http=500))
    for agent in ("planner", "planner", "planner", "nobody"):
        await retrieve(agent=agent)
    azure.chat = answering_model
    azure.search = by_search(
        {"bridge toll": found(document("toll", 3.2))}, otherwise=found(document("road", 3.1), document("path", 0.1))
    )
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Which roads follow rivers?"}]}]}
    assert (await post(body, "/agents/planner/answer", key=CALLER_KEY)).status == 200
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "rag_retrieve", "arguments": {"query": "roads"}},
    }
    accepted = {"accept": "application/json, text/event-stream"}
    assert (await post(message, "/agents/planner/mcp", headers=accepted, key=CALLER_KEY)).status == 200
    target = "/agents('new')?api-version=2025-05-01-preview"
    definition = {"name": "new", "targetIndexes": [{"indexName": "atlas"}]}
    assert (await post(definition, target, method="PUT", key=ADMIN_KEY)).status == 201


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


async def test_the_page_has_every_span_and_its_attributes(emitted: Recording) -> None:
    spans = {name: names - ERRORS for name, names in emitted_by_spans(emitted).items()}
    assert spans == table("Spans")
    kinds = {general(span.name): span.kind.name.lower() for span in emitted.ours}
    rows = re.findall(r"^\| `([^`]+)` \| (internal|client) \|", PAGE, re.MULTILINE)
    assert kinds == dict(rows)


async def test_every_span_that_can_fail_says_how(emitted: Recording) -> None:
    failed = {name for name, names in emitted_by_spans(emitted).items() if "retrieval.error" in names}
    assert failed >= {"retrieve", "plan", "chat {deployment}", "search {index}"}


async def test_the_page_has_every_metric_and_its_attributes(emitted: Recording) -> None:
    metrics = {
        name: {label for point in points for label in point.attributes or {}} for name, points in emitted.points.items()
    }
    assert metrics == table("Metrics")


async def test_the_queries_ask_for_what_is_emitted(emitted: Recording) -> None:
    spans, metrics = emitted_by_spans(emitted), emitted.points
    attributes = set().union(
        *spans.values(), *({label for p in points for label in p.attributes or {}} for points in metrics.values())
    )
    asked = {name for query in QUERIES for name in re.findall(r'customDimensions\["([^"]+)"\]', query)}
    assert asked <= attributes
    for query in QUERIES:
        found = metrics if "customMetrics" in query else {name.partition("{")[0]: () for name in spans}
        compared = re.findall(r'\bname (?:==|startswith) "([^"]+)"', query)
        listed = [
            name for names in re.findall(r"\bname in \(([^)]*)\)", query) for name in re.findall('"([^"]+)"', names)
        ]
        assert all(any(one.startswith(name) for one in found) for name in (*compared, *listed)), query


def test_a_query_counts_what_sampling_left_out() -> None:
    counting = [
        query
        for query in QUERIES
        if re.search(r"\b(?:count|countif|percentile)\(", query)
        and "customMetrics" not in query
        and "traces" not in query
    ]
    assert counting == []
