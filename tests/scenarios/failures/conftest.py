"""The functions behind the local host, over a scripted Azure, on a clock that jumps."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final

import openai
import pytest

from retrieval import compose
from tests.conftest import Post, Response, ask
from tests.contracts.azure.versions import ROUTES
from tests.mcp_messages import ACCEPT
from tests.scenarios.failures.jumping_loop import JumpingLoop
from tests.scripted_azure import ScriptedAzure

assert openai.__version__, "imported here, so that no test waits for it on a clock that jumps"

QUESTION: Final = "Roads"
"""It is also a query of the plans that most tests script, so that none is added for the whole question."""
CALLER_KEY: Final = "caller-key-8c1f"
SEARCH_KEY: Final = "search-key-51d0"
MODEL_KEY: Final = "model-key-b7e2"
RUNTIME_SECONDS: Final = 10

QUESTION_OF_TWO: Final = "Which country is the builder of the Rhine Bridge from?"
"""It takes two documents: that of the bridge names the builder."""

Retrieve = Callable[..., Coroutine[Any, Any, Response]]
Base = Callable[..., Coroutine[Any, Any, Response]]
Tools = Callable[..., Coroutine[Any, Any, Response]]


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], JumpingLoop]]:
    return {"jumping": JumpingLoop}


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> dict[str, str]:
    """The environment of the deployment; a test may change it before the first call."""
    file = tmp_path / "agents.json"
    file.write_text(
        json.dumps([_agent("planner", azure.address), _agent("plain", None), _agent("patient", None, runtime=60)])
    )
    return {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SEARCH_KEY,
        "AGENTS_FILE": str(file),
        "API_KEYS": CALLER_KEY,
        "LOCAL": "0",
    }


@pytest.fixture
async def retrieve(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Retrieve]:
    """Send a question to an agent: `planner`, which has a model, or `plain`, which has none."""

    async def send(
        text: str = QUESTION, *, agent: str = "planner", headers: Mapping[str, str] | None = None, **params: object
    ) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        target = f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"
        return await post(ask(text, **params), target, headers=headers, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


@pytest.fixture
async def base(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Base]:
    """A question to a knowledge base in the newest version, or to an agent of 2025-08-01-preview."""

    async def send(
        name: str = "plain",
        *,
        version: str = "2026-08-01-preview",
        effort: str | None = None,
        headers: dict[str, str] | None = None,
        **members: object,
    ) -> Response:
        for setting, value in settings.items():
            monkeypatch.setenv(setting, value)
        stated = {} if effort is None else {"retrievalReasoningEffort": {"kind": effort}}
        target = f"/{ROUTES[version]}('{name}')/retrieve?api-version={version}"
        body = {**({} if "intents" in members else ask(QUESTION_OF_TWO)), **stated, **members}
        return await post(body, target, headers=headers, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


@pytest.fixture
async def tools(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tools]:
    """Send a message to an agent: `planner`, which has a model, or `plain`, which has none."""

    async def send(message: object, *, agent: str = "plain", **headers: str) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        sent = {"accept": ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return await post(message, f"/agents/{agent}/mcp", headers=sent, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


def result(answer: Response) -> dict[str, Any]:
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.json["result"]
    return told


def _agent(name: str, model_address: str | None, *, runtime: int = RUNTIME_SECONDS) -> dict[str, Any]:
    parameters = {"resourceUri": model_address, "deploymentId": "planner-model", "apiKey": MODEL_KEY}
    models = [] if model_address is None else [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}]
    return {
        "name": name,
        "models": models,
        "targetIndexes": [{"indexName": "atlas", "defaultRerankerThreshold": 1.0}],
        "requestLimits": {"maxRuntimeInSeconds": runtime},
    }
