"""The official MCP clients, unmodified, each in an environment of its own, use the tools over loopback."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.answer.scripts import by_step, planned, selected
from tests.conftest import KEY
from tests.rooms import NEEDS_MCP
from tests.running import served
from tests.scripted_azure import ScriptedAzure
from tests.third_parties import mcp_client, mcp_clients_for_node, smolagents

pytestmark = [pytest.mark.slow, NEEDS_MCP]

HERE: Final = Path(__file__).parent
VERSIONS: Final = {
    "python 1": "2025-11-25",
    "python 2": "2026-07-28",
    "python 2 legacy": "2025-11-25",
    "ts 1": "2025-11-25",
    "ts 2": "2025-11-25",
    "ts 2 modern": "2026-07-28",
}
WAYS: Final = tuple(VERSIONS)
SESSIONS: Final = 50
PHOENIX: Final = "earth_at_night_508_page_105_verbalized"

CALLS: Final = {
    "queries": ["knowledge_base_retrieve", {"queries": ["Phoenix street grid", "gas flares at the wellhead"]}],
    "messages": [
        "knowledge_base_retrieve",
        {
            "messages": [{"role": "user", "content": "Why is the street grid of Phoenix so sharply visible?"}],
            "filter": "page_number eq '105'",
            "includeReferenceSourceData": True,
        },
    ],
    "rag": ["rag_retrieve", {"query": "Phoenix grid", "goal": "Why it is visible", "filter": ""}],
    "nothing": ["rag_retrieve", {"query": "Phoenix", "filter": "page_number eq 'none'"}],
    "bad filter": ["rag_retrieve", {"query": "Phoenix", "filter": "contains(title, 'x')"}],
    "bad argument": ["rag_retrieve", {"query": "Phoenix", "top": 3}],
    "unknown tool": ["drop_index", {}],
}


def run(command: Sequence[str | Path]) -> dict[str, Any]:
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=env)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def job(address: str, *, agent: str = "earth-at-night", key: str | None = KEY, **more: object) -> dict[str, object]:
    headers = {} if key is None else {"api-key": key}
    return {"url": f"{address}/agents/{agent}/mcp", "headers": headers, "calls": CALLS, **more}


def of_base(address: str, name: str) -> dict[str, object]:
    calls = {"queries": CALLS["queries"], "unknown tool": CALLS["unknown tool"]}
    return {**job(address), "url": f"{address}/knowledgebases/{name}/mcp", "calls": calls}


@pytest.fixture(scope="module")
def packages() -> Path | None:
    """Where the SDKs for TypeScript are; without npm their tests are skipped, or fail in CI."""
    if shutil.which("npm") is not None and shutil.which("node") is not None:
        return mcp_clients_for_node()
    return None


@pytest.fixture(scope="module")
def seen(packages: Path | None) -> Iterator[dict[str, dict[str, Any]]]:
    """What each client saw of each job."""
    with served() as address:
        common = {
            "usual": job(address),
            "no key": job(address, key=None),
            "wrong key": job(address, key="wrong"),
            "no agent": job(address, agent="nobody"),
            "base": of_base(address, "earth-at-night"),
            "no base": of_base(address, "nobody"),
        }
        many = {"many": job(address, sessions=SESSIONS)}
        legacy = {name: {**one, "mode": "legacy"} for name, one in common.items()}
        modern = {"usual": job(address, options={"versionNegotiation": {"mode": "auto"}})}
        two = run([sys.executable, HERE / "mcp_two.py", json.dumps(common | many)])
        found = {
            "python 1": run([mcp_client(), HERE / "mcp_one.py", json.dumps(common)]),
            "python 2": two,
            "python 2 legacy": run([sys.executable, HERE / "mcp_two.py", json.dumps(legacy)]),
        }
        if packages is not None:
            found |= run(["node", HERE / "mcp.mjs", packages, json.dumps(common)])
            found["ts 2 modern"] = run(["node", HERE / "mcp.mjs", packages, json.dumps(modern)])["ts 2"]
    yield found


@pytest.fixture
def saw(seen: dict[str, dict[str, Any]], way: str) -> dict[str, Any]:
    if way not in seen:
        reason = "npm is not installed here"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return seen[way]


@pytest.fixture
def usual(saw: dict[str, Any]) -> dict[str, Any]:
    assert "calls" in saw["usual"], saw["usual"]
    found: dict[str, Any] = saw["usual"]["calls"]
    return found


def text(result: dict[str, Any]) -> str:
    said: str = result["content"][0]["text"]
    return said


@pytest.mark.parametrize("way", WAYS)
def test_the_newest_protocol_version_of_the_client_is_spoken(saw: dict[str, Any], way: str) -> None:
    assert saw["usual"]["version"] == VERSIONS[way]


@pytest.mark.parametrize("way", WAYS)
def test_all_tools_are_listed_with_their_schemas(saw: dict[str, Any]) -> None:
    tools = {tool["name"]: tool for tool in saw["usual"]["tools"]}
    assert list(tools) == ["knowledge_base_retrieve", "rag_retrieve", "answer"]
    assert all(tool["description"] and tool["annotations"]["readOnlyHint"] for tool in tools.values())
    assert set(tools["rag_retrieve"]["inputSchema"]["properties"]) == {"query", "goal", "filter"}
    assert tools["rag_retrieve"]["outputSchema"]["required"] == [
        "query_used",
        "chunk_texts",
        "chunk_sources",
        "chunk_ids",
    ]


@pytest.mark.parametrize("way", WAYS)
def test_knowledge_base_retrieve_gives_grounding_text_references_and_activity(usual: dict[str, Any]) -> None:
    result, structured = usual["queries"], usual["queries"]["structuredContent"]
    assert not result.get("isError")
    assert json.loads(text(result))[0]["ref_id"] == 0
    assert structured["grounding"] == text(result)
    searches = [one["search"] for one in structured["activity"] if one["type"] == "AzureSearchQuery"]
    assert searches == CALLS["queries"][1]["queries"]  # type: ignore[index]
    assert PHOENIX in {one["docKey"] for one in structured["references"]}
    assert all(one["sourceData"] is None for one in structured["references"])


@pytest.mark.parametrize("way", WAYS)
def test_a_conversation_is_planned_for_and_filtered(usual: dict[str, Any]) -> None:
    [reference] = usual["messages"]["structuredContent"]["references"]
    assert (reference["docKey"], reference["source"]) == (PHOENIX, f"Bright Grid, Dark Interstate - {PHOENIX}")
    assert reference["sourceData"]["title"] == "Bright Grid, Dark Interstate"


@pytest.mark.parametrize("way", WAYS)
def test_rag_retrieve_gives_aligned_chunks(usual: dict[str, Any]) -> None:
    found = usual["rag"]["structuredContent"]
    assert json.loads(text(usual["rag"])) == found
    lengths = {len(found[name]) for name in ("chunk_texts", "chunk_sources", "chunk_ids")}
    assert len(lengths) == 1 and 1 <= lengths.pop() <= 20
    assert all(source.endswith(key) for source, key in zip(found["chunk_sources"], found["chunk_ids"], strict=True))
    assert usual["nothing"]["structuredContent"]["chunk_ids"] == []


@pytest.mark.parametrize("way", WAYS)
def test_what_a_model_can_mend_is_a_tools_error(usual: dict[str, Any]) -> None:
    assert usual["bad filter"]["isError"] and usual["bad argument"]["isError"]
    assert text(usual["bad filter"]).startswith("InvalidFilter: ")
    assert "contains" in text(usual["bad filter"])
    assert text(usual["bad argument"]) == "InvalidRequest: The property 'top' does not exist here."


@pytest.mark.parametrize("way", WAYS)
def test_an_unknown_tool_is_the_protocols_error(usual: dict[str, Any]) -> None:
    assert "Unknown tool: 'drop_index'" in usual["unknown tool"]["raised"]


@pytest.mark.parametrize("way", [way for way in WAYS if way not in {"python 1", "ts 2 modern"}])
def test_users_are_shown_why_they_are_not_admitted(saw: dict[str, Any]) -> None:
    assert "No credential was sent." in saw["no key"]["raised"]
    assert "is not accepted here" in saw["wrong key"]["raised"]


def test_version_1_of_the_python_client_shows_the_status(seen: dict[str, dict[str, Any]]) -> None:
    assert "401 Unauthorized" in seen["python 1"]["no key"]["raised"]
    assert "403 Forbidden" in seen["python 1"]["wrong key"]["raised"]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "ts 2 modern"])
def test_users_are_shown_that_there_is_no_such_agent(saw: dict[str, Any]) -> None:
    assert "No knowledge agent with the name 'nobody' was found" in saw["no agent"]["raised"]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "ts 2 modern"])
def test_a_base_is_listed_whether_or_not_it_is_there_and_its_calls_tell(saw: dict[str, Any]) -> None:
    for name in ("base", "no base"):
        assert "calls" in saw[name], saw[name]
        assert [tool["name"] for tool in saw[name]["tools"]] == ["knowledge_base_retrieve"]
        assert "Unknown tool: 'drop_index'" in saw[name]["calls"]["unknown tool"]["raised"]
    known, unknown = saw["base"]["calls"]["queries"], saw["no base"]["calls"]["queries"]
    assert not known.get("isError") and json.loads(text(known))[0]["ref_id"] == 0
    assert unknown["isError"]
    assert text(unknown) == "ResourceNotFound: No knowledge base with the name 'nobody' was found in this service."


def test_fifty_sessions_at_once_get_what_one_gets(seen: dict[str, dict[str, Any]]) -> None:
    many = seen["python 2"]["many"]
    assert len(many) == SESSIONS
    alone = facts(seen["python 2"]["usual"])
    assert [facts(one) for one in many] == [alone] * SESSIONS


def test_an_agent_of_smolagents_calls_with_lists_and_leaves_out_what_is_optional() -> None:
    """It checks arguments against their types, and demands those that are not nullable."""
    asked = {
        "list": ["knowledge_base_retrieve", {"queries": ["Phoenix street grid", "gas flares"]}],
        "number": ["knowledge_base_retrieve", {"queries": ["Phoenix street grid"], "rerankerThreshold": 0.5}],
        "one": ["rag_retrieve", {"query": "Phoenix street grid"}],
        "answer": ["answer", {"question": "Why is the street grid of Phoenix so visible?"}],
    }
    with served() as address:
        asking = {**job(address), "calls": asked}
        saw = run([smolagents(), HERE / "mcp_smolagents.py", json.dumps(asking)])
    assert saw["inputs"]["knowledge_base_retrieve"]["queries"]["type"] == "array"
    assert {name: call["raised"] for name, call in saw["calls"].items()} == dict.fromkeys(asked)
    assert all(PHOENIX in call["observed"] for call in saw["calls"].values())


def facts(saw: dict[str, Any]) -> dict[str, Any]:
    """What of a session does not depend on the time."""
    calls = saw["calls"]
    return {
        **{name: text(calls[name]) for name in calls if name != "unknown tool"},
        "unknown tool": calls["unknown tool"]["raised"],
        "references": [calls[name]["structuredContent"]["references"] for name in ("queries", "messages")],
        "version": saw["version"],
    }


async def test_what_a_model_selected_reaches_the_clients_in_the_structured_content() -> None:
    question = "Why is the street grid of Phoenix so sharply visible from space?"
    azure = ScriptedAzure(chat=by_step({"plan": planned(question), "judge": selected("c2")}))
    async with azure.listening():
        seen = await asyncio.to_thread(_judged, azure.address, question)
    for client in seen:
        enough, everything = (seen[client]["usual"]["calls"][name]["structuredContent"] for name in ("judged", "all"))
        ranking = enough["activity"][-1]
        assert (ranking["selected"], ranking["isSufficient"]) == (["0"], True)
        assert len(enough["references"]) == len(json.loads(enough["grounding"])) == 2
        left_out = sum(one.get("dropped", {}).get("not needed", 0) for one in enough["activity"])
        assert left_out == len(everything["references"]) - 2 > 0


def _judged(endpoint: str, question: str) -> dict[str, dict[str, Any]]:
    """What the clients for Python see of a call whose model judges."""
    model = {"AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_DEPLOYMENT": "scripted", "AZURE_OPENAI_API_KEY": "key"}
    arguments = {"messages": [{"role": "user", "content": question}]}
    calls = {
        "judged": ["knowledge_base_retrieve", arguments],
        "all": ["knowledge_base_retrieve", {**arguments, "groundEverything": True}],
    }
    environ = {"AGENTS_STORE": "memory", "AGENT_EFFORT": "medium", **model}
    with served(Path(sys.executable), environ=environ) as address:
        jobs = json.dumps({"usual": {**job(address), "calls": calls}})
        return {
            "python 1": run([mcp_client(), HERE / "mcp_one.py", jobs]),
            "python 2": run([sys.executable, HERE / "mcp_two.py", jobs]),
        }
