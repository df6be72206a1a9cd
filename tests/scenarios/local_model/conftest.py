"""The functions as a developer runs them: a scripted Azure that is searched, and a scripted chat server."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final

import openai
import pytest

from retrieval import compose
from tests.answer.material import block
from tests.answer.scripts import judgement
from tests.conftest import Post, Response, ask
from tests.scenarios.failures.conftest import pytest_asyncio_loop_factories
from tests.scripted_azure import ScriptedAzure, document, found
from tests.scripted_chat import ScriptedChat

__all__ = ["pytest_asyncio_loop_factories"]

assert openai.__version__, "imported here, so that no test waits for it on a clock that jumps"

PLAN: Final = '{"queries": ["roads"]}'
KEY: Final = "local-dev-key"

Retrieve = Callable[..., Coroutine[Any, Any, Response]]


@pytest.fixture
async def chat(azure: ScriptedAzure) -> AsyncIterator[ScriptedChat]:
    azure.search = found(document("road", 3.1), document("river", 2.9))
    chat = ScriptedChat(PLAN)
    async with chat.listening():
        yield chat


@pytest.fixture
def settings(azure: ScriptedAzure, chat: ScriptedChat, tmp_path: Path) -> dict[str, str]:
    """The environment of the process; a test may change it before the first call."""
    target = {"indexName": "atlas", "defaultRerankerThreshold": 1.0}
    parameters = {"resourceUri": "https://models.example", "deploymentId": "gpt-4o", "modelName": "gpt-4o"}
    own = [{"kind": "azureOpenAI", "azureOpenAIParameters": parameters}]
    agents = [{"name": "planner", "targetIndexes": [target]}, {"name": "own", "targetIndexes": [target], "models": own}]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(agents))
    return {
        "LOCAL": "1",
        "AZURE_SEARCH_ENDPOINT": azure.address,
        "AZURE_SEARCH_API_KEY": "search-key",
        "AGENTS_FILE": str(file),
        "AGENTS_STORE": "memory",
        "API_KEYS": KEY,
        "ADMIN_API_KEYS": "local-admin-key",
        "CHAT_URL": chat.url,
        "CHAT_MODEL": "qwen2.5:3b",
    }


@pytest.fixture
async def retrieve(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Retrieve]:
    """Send a question to an agent: `planner`, or `own`, whose definition has a model of Azure OpenAI. `target` is
    another route."""

    async def send(
        text: str = "Roads",
        *,
        agent: str = "planner",
        target: str = "",
        headers: Mapping[str, str] | None = None,
        method: str = "POST",
    ) -> Response:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        route = target or f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"
        return await post(ask(text), route, headers=headers, method=method, key=KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


def replies(asked: Mapping[str, Any]) -> str:
    """A reply to each prompt: a plan, an answer that cites the first chunk, and a judgement."""
    name = asked["response_format"]["json_schema"]["name"].partition("-")[0]
    reply = {
        "plan": {"queries": ["roads"], "retrieval_goals": ["Find roads."], "filter": "", "next": ""},
        "answer": {"blocks": [block("A road is there.", "c1")], **judgement("c1")},
    }
    return json.dumps(reply[name])
