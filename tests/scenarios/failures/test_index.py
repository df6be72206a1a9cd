"""What is sent to the index: the roles of its fields, read once or configured, and the token of the caller."""

import asyncio
import json
from typing import Final

import pytest
from azure.core.credentials import AzureKeyCredential

from retrieval.local.wire import WireService
from retrieval.model.definitions import IndexFields
from retrieval.sources.search_index.index import AzureSearchIndex
from tests.scenarios.failures.answer import keys, searches
from tests.scenarios.failures.conftest import RUNTIME_SECONDS, Retrieve
from tests.scenarios.failures.jumping_loop import jump
from tests.scripted_azure import (
    ScriptedAzure,
    answering,
    by_index,
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

REFUSED: Final = (
    "Invalid expression: Could not find a property named 'title' on type 'search.document'.\r\nParameter name: $select"
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


async def test_a_definition_that_names_a_refused_field_is_read_and_searched_once_more_and_then_named(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = failing(400, REFUSED, code="InvalidRequestParameter")
    answer = await retrieve("Which roads?", agent="plain")
    error = answer.json["error"]
    assert (answer.status, error["code"]) == (502, "BackendMisconfigured")
    assert all(word in error["message"] for word in ("'atlas'", "'title'", "INDEX_FIELDS"))
    assert (len(azure.definitions_read), len(azure.searches)) == (2, 2)


@pytest.mark.parametrize(
    "message",
    [
        REFUSED,
        "Unknown field 'embedding' in vector field list.",
        "Could not find a property named 'title' on type 'search.document'.",
        'Invalid expression: "content" is not a retrievable field. Only such fields can be used in $select.',
        "The index's field 'content' is not searchable.",
    ],
)
async def test_a_refusal_of_a_name_that_the_definition_gave_has_it_read_again(
    message: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = in_turn(definition(vectorizable=["embedding"]), definition())
    azure.search = in_turn(failing(400, message), FOUND)
    assert keys(await retrieve("Which roads?", agent="plain")) == ["road"]
    assert (len(azure.definitions_read), len(azure.searches)) == (2, 2)


async def test_a_semantic_configuration_that_is_gone_is_read_again(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.index = in_turn(definition(), definition(vectorizable=["embedding"]))
    unknown = "Unknown semantic configuration 'usual'."
    azure.search = in_turn(failing(400, unknown, detail="UnknownSemanticConfiguration"), FOUND)
    assert keys(await retrieve("Which roads?", agent="plain")) == ["road"]


@pytest.mark.parametrize(
    "message",
    [
        "Invalid expression: 'title' is not a filterable field.\r\nParameter name: $filter",
        "'title' is not a filterable field.",
        "The text 'roads' is too long.",
    ],
)
async def test_a_refusal_of_the_caller_s_own_words_has_nothing_read_again(
    message: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.search = failing(400, message)
    answer = await retrieve("Which roads?", agent="plain", filterAddOn="title eq 'x'")
    assert (answer.status, answer.json["error"]["code"]) == (400, "BackendRefused")
    assert len(azure.searches) == 1


async def test_a_definition_that_cannot_be_read_after_a_refusal_is_told_with_the_field(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.search = in_turn(definition(), failing(403)), failing(400, REFUSED)
    answer = await retrieve("Which roads?", agent="plain")
    assert (answer.status, answer.json["error"]["code"]) == (502, "BackendMisconfigured")
    assert all(word in answer.json["error"]["message"] for word in ("'title'", "could not be read again", "(403)"))
    assert len(azure.searches) == 1


async def test_reading_again_ends_with_the_call(azure: ScriptedAzure, retrieve: Retrieve) -> None:
    azure.index, azure.search = in_turn(definition(), stalling()), failing(400, REFUSED)
    start = asyncio.get_running_loop().time()
    assert (await retrieve("Which roads?", agent="plain")).status == 504
    assert asyncio.get_running_loop().time() - start <= RUNTIME_SECONDS


@pytest.mark.parametrize("script", [failing(503), failing(403), stalling(), answering(b"<html>")])
async def test_a_definition_that_cannot_be_read_again_in_time_is_used_as_it_was(
    script: WireService, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.search = in_turn(definition(), script), FOUND
    await retrieve("Which roads?", agent="plain")
    jump(601)
    assert keys(await retrieve("Which roads?", agent="plain")) == ["road"]
    assert len(azure.definitions_read) >= 2


async def test_an_index_without_a_configuration_is_served_as_soon_as_it_has_one(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.search = in_turn(answering({"fields": []}), answering({"fields": []}), definition()), FOUND
    assert [(await retrieve("Which roads?", agent="plain")).status for _ in range(2)] == [502, 200]


async def test_a_refusal_to_read_a_definition_is_asked_again_after_ten_minutes(azure: ScriptedAzure) -> None:
    azure.index = in_turn(failing(403), definition())
    index = AzureSearchIndex(azure.address, AzureKeyCredential("key"), fields={"atlas": IndexFields(key="id")})
    assert [await index.schema("atlas") for _ in range(2)] == [None, None]
    jump(601)
    schema = await index.schema("atlas")
    assert schema is not None and "title" in schema and len(azure.definitions_read) == 2
    await index.close()


async def test_an_alias_is_read_where_the_service_gives_no_definition_under_its_name(
    azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index = by_index({"atlas-2": definition()}, otherwise=failing(404))
    azure.alias, azure.search = answering({"name": "atlas", "indexes": ["atlas-2"]}), FOUND
    assert keys(await retrieve("Which roads?", agent="plain")) == ["road"]
    assert "/indexes('atlas')/" in azure.searches[0].request.target


@pytest.mark.parametrize(
    ("alias", "count", "code", "says"),
    [
        (failing(403), None, "BackendForbidden", "INDEX_FIELDS"),
        (failing(403), failing(404), "BackendUnavailable", "no such index"),
        (answering({"name": "atlas", "indexes": []}), None, "BackendUnavailable", "cannot be read"),
        (answering({"name": "atlas", "indexes": [7]}), None, "BackendUnavailable", "cannot be read"),
        (answering(b"[" * 10_000), None, "BackendUnavailable", "cannot be read"),
        (answering({"name": "atlas", "indexes": ["atlas"]}), None, "BackendUnavailable", "no such index"),
    ],
)
async def test_an_alias_that_cannot_be_followed_is_an_error_with_the_reason(
    alias: WireService, count: WireService | None, code: str, says: str, azure: ScriptedAzure, retrieve: Retrieve
) -> None:
    azure.index, azure.alias, azure.count = failing(404), alias, count or azure.count
    error = (await retrieve("Which roads?", agent="plain")).json["error"]
    assert error["code"] == code and says in error["message"]
