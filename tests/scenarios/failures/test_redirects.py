"""A service that redirects a call is not followed: keys, and tokens of users, go nowhere else."""

import json
from collections.abc import AsyncIterator

import pytest

from tests.conftest import Response
from tests.scenarios.failures.answer import planning, searches
from tests.scenarios.failures.conftest import SEARCH_KEY, Retrieve
from tests.scripted_azure import ScriptedAzure, answering, document, found, queries

USER_TOKEN = "user-token-90aa"
REDIRECTS = [301, 302, 303, 307, 308]


@pytest.fixture
async def elsewhere() -> AsyncIterator[ScriptedAzure]:
    """Another service, which would answer anything, and to which nobody may come."""
    other = ScriptedAzure(search=found(document("stolen", 3.9)), chat=queries("stolen"))
    async with other.listening():
        yield other
    assert other.recorded == [] and other.lost == []


async def ask(retrieve: Retrieve, agent: str) -> Response:
    return await retrieve(agent=agent, headers={"x-ms-query-source-authorization": USER_TOKEN})


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize("where", ["elsewhere", "here"])
async def test_a_search_that_is_redirected_fails(
    status: int, where: str, azure: ScriptedAzure, elsewhere: ScriptedAzure, retrieve: Retrieve
) -> None:
    target = f"{(elsewhere if where == 'elsewhere' else azure).address}/indexes('atlas')/docs/search.post.search"
    azure.search = answering(b"", status=status, location=target)
    answer = await ask(retrieve, "plain")
    assert answer.status == 502
    assert f"failed ({status})" in answer.json["error"]["message"]
    assert len(azure.searches) == 1
    assert azure.searches[0].request.header("api-key") == SEARCH_KEY


@pytest.mark.parametrize("status", REDIRECTS)
async def test_a_definition_that_is_redirected_is_not_read(
    status: int, azure: ScriptedAzure, elsewhere: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = answering(b"", status=status, location=f"{elsewhere.address}/indexes('atlas')")
    assert (await ask(retrieve, "plain")).status == 502


@pytest.mark.parametrize("status", REDIRECTS)
async def test_a_model_that_is_redirected_has_failed(
    status: int, azure: ScriptedAzure, elsewhere: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.chat = answering(b"", status=status, location=f"{elsewhere.address}/openai/deployments/m/chat/completions")
    azure.search = found(document("road", 3.1))
    answer = await retrieve()
    assert answer.status == 200
    assert planning(answer)["error"]["code"] == "BackendUnavailable"
    assert len(azure.chats) == 1
    assert "stolen" not in json.dumps(searches(answer))
