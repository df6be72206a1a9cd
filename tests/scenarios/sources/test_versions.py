"""The same troubles in every version: what a source or a model that fails, or is late, comes to over HTTP."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from retrieval.contracts.served_versions import CONTRACTS
from tests.conftest import Post, Response, ask
from tests.contracts.azure.versions import since
from tests.sampling import sample
from tests.scenarios.failures.conftest import MODEL_KEY
from tests.scenarios.sources.table import SCENARIOS, Scenario
from tests.scripted_azure import ScriptedAzure

ROUTES: Final = {version: route for route, version in CONTRACTS}
BY_INTENTS: Final = {"2026-04-01"}
REQUIRING: Final = since("2026-05-01-preview", "2026-10-01")
"""The versions in which a source can be said to be required."""

QUESTION: Final = "Which roads follow rivers to harbours?"
KEYS: Final = {"ADMIN_API_KEYS": "admin", "API_KEYS": "key"}
FIELDS: Final = {"key": "id", "semanticConfiguration": "usual", "title": "title", "content": ["content"]}
SOURCES: Final = [
    {"name": f"{index}-source", "kind": "searchIndex", "searchIndexParameters": {"searchIndexName": index}}
    for index in ("roads", "rivers")
]
STATUSES: Final = {"BackendUnavailable": 502, "BackendThrottled": 429, "BackendTimeout": 504}

Send = Callable[[str, Scenario], Coroutine[Any, Any, Response]]


@pytest.fixture
async def send(
    azure: ScriptedAzure, post: Post, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Send]:
    """Ask the base `both`: the file defines it, and an agent's version says which score is enough."""
    parameters = {"resourceUri": azure.address, "deploymentId": "planner-model", "apiKey": MODEL_KEY}
    model = {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
    named = [{"name": source["name"]} for source in SOURCES]
    defined = {
        "knowledgeSources": SOURCES,
        "knowledgeBases": [{"name": "both", "models": [model], "knowledgeSources": named}],
    }
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(defined))
    settings = {
        **KEYS,
        "LOCAL": "0",
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": "memory",
        "INDEX_FIELDS": json.dumps({"roads": FIELDS, "rivers": FIELDS}),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    compose.service.cache_clear()
    redacted = {**model, "azureOpenAIParameters": {**parameters, "apiKey": "<redacted>"}}
    agent = {
        "name": "both",
        "models": [redacted],
        "knowledgeSources": [{**one, "rerankerThreshold": 1.0} for one in named],
        "requestLimits": {"maxRuntimeInSeconds": 10},
    }
    put = await post(agent, "/agents('both')?api-version=2025-08-01-preview", method="PUT", key="admin")
    assert put.status == 200, put.body

    async def asked(version: str, scenario: Scenario) -> Response:
        body: dict[str, Any] = {"intents": [{"type": "semantic", "search": QUESTION}]}
        if version not in BY_INTENTS:
            body = ask(QUESTION)
        if scenario.required:
            river = {"knowledgeSourceName": "rivers-source", "kind": "searchIndex", "failOnError": True}
            body["knowledgeSourceParams"] = [river]
        target = f"/{ROUTES[version]}('both')/retrieve?api-version={version}"
        return await post(body, target, key="key")

    yield asked
    await compose.end()


def status_of(errors: tuple[str, ...]) -> int:
    """Failures of one kind have its status; several kinds are a 502."""
    statuses = {STATUSES[error] for error in errors}
    return statuses.pop() if len(statuses) == 1 else 502


@pytest.mark.parametrize(("name", "version"), sample(list(product(SCENARIOS, ROUTES)), every=5))
async def test_what_comes_of_it_in_each_version(name: str, version: str, azure: ScriptedAzure, send: Send) -> None:
    expected = SCENARIOS[name]
    if expected.required and version not in REQUIRING:
        return
    azure.search, azure.chat = expected.search, expected.chat
    answer = await send(version, expected)
    if expected.raised:
        assert answer.status == status_of(expected.raised)
        assert answer.json["error"]["message"]
        return
    partial = bool(expected.failed) and ROUTES[version] == "knowledgebases"
    assert answer.status == (206 if partial else 200), answer.body
    assert tuple(one["docKey"] for one in answer.json["references"]) == expected.found
    *searches, ranking = [one for one in answer.json["activity"] if "lanning" not in one["type"]]
    assert tuple(one["error"]["code"] for one in searches if one.get("error")) == expected.failed
    if version in BY_INTENTS:
        return
    planning = answer.json["activity"][0]
    assert planning.get("error", {}).get("code") == _code(expected.plan_error)
    assert ranking.get("plannedBy", expected.planned) == expected.planned


def _code(error: str | None) -> str | None:
    return {"BadModelReply": "UnusableModelReply"}.get(error or "", error)
