"""What is sent to the index: the roles of its fields, read once or configured, and the token of the caller."""

import asyncio
import json
from typing import Final

import pytest

from retrieval.local.wire import WireService
from tests.scenarios.failures.answer import keys, searches
from tests.scenarios.failures.conftest import Retrieve
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    cutting,
    definition,
    document,
    failing,
    found,
    held,
    in_turn,
    queries,
    stalling,
)

FOUND: Final = found(document("road", 3.1))
USER_TOKEN: Final = "x-ms-query-source-authorization"


async def test_the_definition_is_read_once_for_all_calls(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    release = asyncio.Event()
    azure.search, azure.chat, azure.index = FOUND, queries("roads", "rivers"), held(release, definition())
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(retrieve()) for _ in range(5)]
        await azure.asked("index", 1)
        await azure.asked("chat", 5)
        release.set()
    assert [task.result().status for task in tasks] == [200] * 5
    assert (len(azure.definitions_read), len(azure.searches)) == (1, 10)


async def test_a_definition_that_may_not_be_read_names_the_setting_to_fill(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = failing(403)
    answer = await retrieve("Which roads?", agent="plain")
    error = answer.json["error"]
    assert (answer.status, error["code"]) == (502, "BackendForbidden")
    assert "INDEX_FIELDS" in error["message"] and "'atlas'" in error["message"]


async def test_configured_fields_need_no_definition(
    azure: ScriptedAzure, retrieve: Retrieve, settings: dict[str, str]
) -> None:
    roles = {"key": "id", "title": "title", "content": ["content"], "vectors": ["embedding"]}
    settings["INDEX_FIELDS"] = json.dumps({"atlas": roles})
    azure.index, azure.search = failing(403), FOUND
    assert keys(await retrieve("Which roads?", agent="plain")) == ["road"]
    assert azure.definitions_read == []
    body = azure.searches[0].json
    assert body["vectorQueries"][0]["fields"] == "embedding"
    assert "semanticConfiguration" not in body


@pytest.mark.parametrize(
    ("script", "status", "says"),
    [
        (failing(404), 502, "no such index"),
        (failing(500), 502, "failed (500)"),
        (failing(429, retry_after=9), 429, "throttling"),
        (stalling(), 504, "did not answer within"),
        (cutting(), 502, "could not be reached"),
        (answering(b"<html></html>"), 502, "cannot be read"),
        (answering({"fields": []}), 502, "no semantic configuration"),
        (answering({"fields": [{"name": "id", "key": True}]}), 502, "no semantic configuration"),
        (answering({"fields": [{"name": 7}]}), 502, "cannot be read"),
    ],
)
async def test_an_index_whose_definition_cannot_be_used_is_an_error_with_the_reason(
    script: WireService, status: int, says: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = script
    answer = await retrieve("Which roads?", agent="plain")
    assert answer.status == status
    assert says in answer.json["error"]["message"]
    assert azure.searches == []


async def test_a_definition_that_could_not_be_read_is_asked_for_again(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search, azure.index = FOUND, in_turn(failing(404), failing(404), definition())
    assert (await retrieve("Which roads?", agent="plain")).status == 502
    assert (await retrieve("Which roads?", agent="plain")).status == 200


async def test_an_index_that_vectorizes_is_searched_by_text_and_vector(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.index = FOUND, definition(vectorizable=("title_vector", "content_vector"))
    await retrieve("Which roads?", agent="plain", filterAddOn="page eq '105'")
    assert azure.searches[0].json == {
        "search": "Which roads?",
        "queryType": "semantic",
        "semanticConfiguration": "usual",
        "semanticErrorHandling": "partial",
        "select": "id,title,content",
        "top": 50,
        "filter": "page eq '105'",
        "vectorQueries": [
            {"kind": "text", "text": "Which roads?", "fields": "title_vector,content_vector", "k": 50},
        ],
    }


async def test_an_index_that_does_not_vectorize_is_searched_by_text(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = FOUND
    await retrieve("Which roads?", agent="plain")
    assert "vectorQueries" not in azure.searches[0].json


async def test_the_token_of_the_caller_goes_to_every_search_in_the_version_that_knows_it(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search, azure.chat = FOUND, queries("roads", "rivers")
    answer = await retrieve(headers={USER_TOKEN: "token-of-the-caller"})
    assert len(searches(answer)) == 2
    for search in azure.searches:
        assert search.request.header(USER_TOKEN) == "token-of-the-caller"
        assert search.version == "2025-05-01-preview"
    for other in (*azure.chats, *azure.definitions_read):
        assert other.request.header(USER_TOKEN) is None


async def test_without_a_token_of_the_caller_the_stable_version_is_asked(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = FOUND
    await retrieve("Which roads?", agent="plain")
    assert azure.searches[0].version == "2026-04-01"
    assert azure.searches[0].request.header(USER_TOKEN) is None


async def test_one_caller_s_token_is_never_sent_for_another(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.search = held(asyncio.Barrier(3), FOUND)
    tokens: tuple[str | None, ...] = ("token-a", None, "token-b")
    calls = (
        retrieve(f"Which road has {token}?", agent="plain", headers={USER_TOKEN: token} if token else None)
        for token in tokens
    )
    await asyncio.gather(*calls)
    sent = {search.json["search"]: search.request.header(USER_TOKEN) for search in azure.searches}
    assert sent == {f"Which road has {token}?": token for token in tokens}
