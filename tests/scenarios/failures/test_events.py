"""A retrieval as events: what is told, in which order, with which ids, and what a failure looks like."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, TypeAlias

import pytest

from retrieval import compose
from tests.answer.test_answers_filters import DEFINITION
from tests.conftest import Post, Response, ask
from tests.contracts.azure.versions import since
from tests.scenarios.failures.conftest import CALLER_KEY
from tests.scripted_azure import (
    ScriptedAzure,
    by_search,
    delayed,
    document,
    failing,
    found,
    in_turn,
    queries,
    replying,
    stalling,
)

Event: TypeAlias = tuple[str, Any]
Stream = Callable[..., Coroutine[Any, Any, Response]]

PATH: Final = "/knowledgebases('{name}')/retrieve?api-version={version}"
NEWEST: Final = "2026-08-01-preview"
EVENTS: Final = {"accept": "text/event-stream"}
ROADS: Final = found(document("road", 3.1, content="Roads follow rivers."), document("path", 0.2))


@pytest.fixture
async def stream(post: Post, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stream]:
    async def send(name: str = "planner", version: str = NEWEST, **members: object) -> Response:
        for setting, value in settings.items():
            monkeypatch.setenv(setting, value)
        body = {**ask("Which roads follow rivers?"), **members}
        return await post(body, PATH.format(name=name, version=version), headers=EVENTS, key=CALLER_KEY)

    compose.service.cache_clear()
    yield send
    await compose.end()


def events(answer: Response) -> list[Event]:
    blocks = [block.split("\n") for block in answer.body.decode().strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


async def test_each_activity_begins_and_ends_once_with_the_id_of_its_record(
    azure: ScriptedAzure, stream: Stream
) -> None:
    azure.chat, azure.search = queries("roads", "rivers"), ROADS
    answer = await stream()
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert (answer.status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    told = events(answer)
    assert told[0][0] == "retrieval.started"
    assert [name for name, _ in told][-2:] == ["references.completed", "response.completed"]
    begun = {one["id"]: one["type"] for name, one in told if name == "activity.started"}
    ended = {one["id"]: one for name, one in told if name == "activity.completed"}
    last = told[-1][1]
    assert last["statusCode"] == 200
    records = {one["id"]: one for one in last["response"]["activity"]}
    assert begun == {id: one["type"] for id, one in records.items()}
    assert ended.keys() == records.keys() == {0, 1, 2, 3, 4}
    assert {ended[id]["type"] for id in (1, 2, 3)} == {"searchIndex"}
    assert ended[0]["inputTokens"] == records[0]["inputTokens"]
    assert [ended[id]["searchIndexArguments"]["search"] for id in (1, 2)] == ["roads", "rivers"]
    assert told[-2][1] == last["response"]["references"]


async def test_the_first_event_says_what_is_asked(azure: ScriptedAzure, stream: Stream) -> None:
    azure.chat, azure.search = queries("roads"), ROADS
    answer = await stream(retrievalReasoningEffort={"kind": "auto"})
    assert events(answer)[0] == (
        "retrieval.started",
        {
            "requestId": answer.headers["request-id"],
            "knowledgeBaseName": "planner",
            "outputMode": "extractiveData",
            "reasoningEffort": {"kind": "auto"},
        },
    )


async def test_a_search_that_fails_is_a_record_and_the_status_of_the_whole_is_206(
    azure: ScriptedAzure, stream: Stream
) -> None:
    azure.chat = queries("roads", "rivers")
    azure.search = by_search({"rivers": delayed(1, failing(503))}, otherwise=ROADS)
    told = events(await stream())
    (failed,) = [one for name, one in told if name == "activity.completed" and one.get("error")]
    assert failed["error"]["code"] == "BackendUnavailable"
    assert (told[-1][0], told[-1][1]["statusCode"]) == ("response.completed", 206)


async def test_where_every_search_fails_the_last_event_is_the_error(azure: ScriptedAzure, stream: Stream) -> None:
    azure.search = failing(403)
    answer = await stream("plain")
    name, said = events(answer)[-1]
    assert (answer.status, name, said["error"]["code"]) == (200, "error", "BackendForbidden")


@pytest.mark.parametrize("version", since("2026-11-01-preview", "2026-10-01"))
async def test_a_model_and_a_source_that_fail_are_told_in_the_newest_versions_too(
    azure: ScriptedAzure, stream: Stream, version: str
) -> None:
    azure.chat, azure.search = failing(429), failing(403)
    told = events(await stream(version=version, outputMode="answerSynthesis"))
    assert told[0][1]["reasoningEffort"] == {"kind": "low"}
    assert (told[-1][0], told[-1][1]["error"]["code"]) == ("error", "BackendForbidden")
    azure.search = ROADS
    told = events(await stream(version=version, outputMode="answerSynthesis"))
    assert [name for name, _ in told][-3:] == ["answer.completed", "references.completed", "response.completed"]
    planning = next(one for name, one in told if name == "activity.completed" and one["type"] == "modelQueryPlanning")
    assert planning["error"]["code"] == "BackendThrottled"
    records = {one["id"] for one in told[-1][1]["response"]["activity"]}
    for event in ("activity.started", "activity.completed"):
        assert {one["id"] for name, one in told if name == event} == records


@pytest.mark.parametrize("version", since("2026-11-01-preview", "2026-10-01"))
async def test_a_search_that_is_silent_ends_the_events_at_the_deadline(
    azure: ScriptedAzure, stream: Stream, version: str
) -> None:
    azure.chat = queries("roads", "rivers")
    azure.search = by_search({"rivers": stalling()}, otherwise=ROADS)
    name, last = events(await stream(version=version, maxRuntimeInSeconds=10))[-1]
    assert (name, last["statusCode"]) == ("response.completed", 206)
    (failed,) = [one for one in last["response"]["activity"] if "error" in one]
    assert failed["error"]["code"] == "BackendTimeout"


@pytest.mark.parametrize(
    ("name", "members", "status"),
    [("nobody", {}, 404), ("plain", {"unknown": 1}, 400), ("plain", {"messages": []}, 400)],
)
async def test_what_is_wrong_before_anything_is_searched_is_an_ordinary_error(
    name: str, members: dict[str, object], status: int, stream: Stream
) -> None:
    answer = await stream(name, **members)
    assert answer.status == status
    assert answer.json["error"]["message"]


async def test_a_version_without_events_says_so(stream: Stream) -> None:
    answer = await stream("plain", "2026-05-01-preview")
    assert (answer.status, answer.json["error"]["code"]) == (406, "NotAcceptable")


async def test_an_answer_is_an_event_of_its_own(azure: ScriptedAzure, stream: Stream) -> None:
    azure.search = ROADS
    blocks = [{"kind": "paragraph", "text": "Roads follow rivers.", "chunk_ids": ["c1"], "quotations": []}]
    azure.chat = replying(json.dumps({"queries": ["roads"], "blocks": blocks}))
    told = events(await stream(outputMode="answerSynthesis"))
    (said,) = [one for name, one in told if name == "answer.completed"]
    assert said["messageIndex"] == 0
    assert said["message"] == told[-1][1]["response"]["response"][0]
    assert "[ref_id:0]" in said["message"]["content"][0]["text"]


async def test_without_activity_none_is_told(azure: ScriptedAzure, stream: Stream) -> None:
    azure.search = ROADS
    told = events(await stream("plain", includeActivity=False))
    assert [name for name, _ in told] == ["retrieval.started", "references.completed", "response.completed"]


async def test_a_search_that_is_made_again_without_query_hints_is_told_too(
    azure: ScriptedAzure, stream: Stream
) -> None:
    test = {"field": "year", "operator": "eq", "values": ["1200"]}
    made = [{"source": "atlas", "filters": [test], "boosts": []}]
    azure.chat = replying(json.dumps({"queries": ["roads"], "hints": made}))
    azure.search = in_turn(found(), ROADS)
    hints = {"filters": [{"field": "year", "fieldValues": []}]}
    params = {"knowledgeSourceName": "atlas", "kind": "searchIndex", "queryHintOverrides": hints}
    azure.index = DEFINITION
    told = events(await stream(knowledgeSourceParams=[params]))
    records = {one["id"]: one for one in told[-1][1]["response"]["activity"]}
    assert told[-1][1]["statusCode"] == 200
    for event in ("activity.started", "activity.completed"):
        assert {one["id"]: one["type"] for name, one in told if name == event} == {
            id: one["type"] for id, one in records.items()
        }
    filters = [records[id].get("queryHintProcessing") for id in (1, 2)]
    assert filters == [{"generatedFilter": "year eq 1200"}, None]
    assert [records[id]["count"] for id in (1, 2)] == [0, 1]
    assert "searched again without them" in records[3]["warning"]
