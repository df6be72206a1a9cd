"""The user's own token, for document-level permissions: passed on, and demanded where an agent asks for one."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from tests.access.conftest import Deploy
from tests.conftest import Post, ask
from tests.scripted_azure import ScriptedAzure, document, found, queries

HEADER: Final = "x-ms-query-source-authorization"
TOKEN: Final = "eyJ0b2tlbg.of.the-user"


@pytest.fixture
async def azure() -> AsyncIterator[ScriptedAzure]:
    azure = ScriptedAzure(search=found(document("road", 3.1)), chat=queries("roads"))
    async with azure.listening():
        yield azure


@pytest.fixture
def settings(azure: ScriptedAzure, tmp_path: Path) -> dict[str, str]:
    parameters = {"resourceUri": azure.address, "deploymentId": "p", "apiKey": "model-key"}
    model = {"kind": "azureOpenAI", "azureOpenAIParameters": parameters}
    targets = [{"indexName": "atlas"}]
    agents = [{"name": name, "models": [model], "targetIndexes": targets} for name in ("personal", "common")]
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(agents))
    azure_settings = {"AZURE_SEARCH_ENDPOINT": azure.address, "AZURE_SEARCH_API_KEY": "search-key"}
    return {"LOCAL": "0", "API_KEYS": "k", "AGENTS_FILE": str(file), **azure_settings}


def address(agent: str) -> str:
    return f"/agents('{agent}')/retrieve?api-version=2025-05-01-preview"


@pytest.mark.parametrize("agents", ["personal", "common, Personal", "*"])
@pytest.mark.parametrize("sent", [None, "", "   "])
async def test_an_agent_that_demands_one_is_refused_before_anything_is_asked(
    agents: str, sent: str | None, post: Post, deploy: Deploy, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    deploy(settings, USER_TOKEN_AGENTS=agents)
    headers = {} if sent is None else {HEADER: sent}
    answer = await post(ask("roads"), address("personal"), headers=headers, key="k")
    assert answer.status == 403
    assert HEADER in answer.json["error"]["message"]
    assert azure.recorded == []


async def test_with_one_it_answers_and_passes_it_on(
    post: Post, deploy: Deploy, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    deploy(settings, USER_TOKEN_AGENTS="personal")
    answer = await post(ask("roads"), address("personal"), headers={HEADER: TOKEN}, key="k")
    assert answer.status == 200
    assert {one.request.header(HEADER) for one in azure.searches} == {TOKEN}
    assert [one.request.header(HEADER) for one in azure.chats] == [None]


async def test_others_may_do_without(
    post: Post, deploy: Deploy, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    deploy(settings, USER_TOKEN_AGENTS="personal")
    assert (await post(ask("roads"), address("common"), key="k")).status == 200
    assert azure.searches[0].request.header(HEADER) is None


@pytest.mark.parametrize("sent", ["tökén", "a\x7fb", "x" * 65_537])
async def test_what_cannot_be_a_token_is_refused_and_not_repeated(
    sent: str, post: Post, deploy: Deploy, azure: ScriptedAzure, settings: dict[str, str]
) -> None:
    deploy(settings)
    answer = await post(ask("roads"), address("common"), headers={HEADER: sent}, key="k")
    assert answer.status == 400
    assert answer.json["error"]["target"] == HEADER
    assert sent not in answer.body.decode()
    assert azure.recorded == []
