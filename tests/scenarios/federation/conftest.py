"""The functions over a scripted Azure and a scripted Model Studio, on a clock that jumps."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from retrieval import compose
from tests.conftest import Post, Response, ask
from tests.scenarios.failures.conftest import (
    CALLER_KEY,
    QUESTION,
    RUNTIME_SECONDS,
    SEARCH_KEY,
    pytest_asyncio_loop_factories,
)
from tests.scripted_azure import ScriptedAzure
from tests.scripted_model_studio import ScriptedModelStudio

__all__ = ["CALLER_KEY", "QUESTION", "RUNTIME_SECONDS", "SEARCH_KEY", "pytest_asyncio_loop_factories"]

ACCESS_KEY_ID: Final = "access-key-77c2"
ACCESS_KEY_SECRET: Final = "access-secret-0e9b"
ATLAS: Final = {"indexName": "atlas", "defaultRerankerThreshold": 1.0}
BASE: Final = {"indexName": "harbour-base", "defaultRerankerThreshold": 1.0}

Retrieve = Callable[..., Coroutine[Any, Any, Response]]


@pytest.fixture
async def studio() -> AsyncIterator[ScriptedModelStudio]:
    studio = ScriptedModelStudio()
    async with studio.listening():
        yield studio
    assert studio.lost == []


@pytest.fixture
def base(studio: ScriptedModelStudio) -> dict[str, object]:
    """The setting of the one knowledge base; a test may change it before the first call."""
    return {
        "workspace": "llm-scripted",
        "index": "index-1",
        "endpoint": studio.address,
        "fields": {"港口": {"path": "port", "type": "Edm.String"}, "age": {"path": "age", "type": "Edm.Int32"}},
        "calibration": [[0.2, 1], [0.4, 2], [0.6, 3]],
    }


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> dict[str, str]:
    """The environment of the deployment; a test may change it before the first call."""
    file = tmp_path / "agents.json"
    agents = [
        _agent("both", ATLAS, BASE),
        _agent("base", BASE),
        _agent("atlas", ATLAS),
        {**_agent("planner", ATLAS, BASE), "models": [_model(azure.address)]},
        {**_agent("patient", BASE), "requestLimits": {"maxRuntimeInSeconds": 300}},
    ]
    file.write_text(json.dumps(agents))
    return {
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": SEARCH_KEY,
        "MODEL_STUDIO_ACCESS_KEY_ID": ACCESS_KEY_ID,
        "MODEL_STUDIO_ACCESS_KEY_SECRET": ACCESS_KEY_SECRET,
        "AGENTS_FILE": str(file),
        "API_KEYS": CALLER_KEY,
        "LOCAL": "0",
    }


@pytest.fixture
async def retrieve(
    post: Post, settings: dict[str, str], base: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Retrieve]:
    """Send a question, or a conversation, to an agent: `both`, `base`, `atlas`, or `planner`, which has a model."""

    async def send(
        asked: str | list[dict[str, object]] = QUESTION,
        *,
        agent: str = "both",
        headers: Mapping[str, str] | None = None,
        **params: object,
    ) -> Response:
        for name, value in {"MODEL_STUDIO_BASES": json.dumps({"harbour-base": base}), **settings}.items():
            monkeypatch.setenv(name, value)
        body = ask(asked, **params) if isinstance(asked, str) else {**ask("", **params), "messages": asked}
        target = f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"
        return await post(body, target, headers=headers, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


def _agent(name: str, *targets: Mapping[str, object]) -> dict[str, object]:
    return {
        "name": name,
        "targetIndexes": targets,
        "requestLimits": {"maxRuntimeInSeconds": RUNTIME_SECONDS},
    }


def _model(address: str) -> dict[str, object]:
    parameters = {"resourceUri": address, "deploymentId": "planner-model", "apiKey": "model-key"}
    return {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
