"""The protocol: versions, notifications, batches, and everything that is no message it knows."""

import asyncio
import json
from typing import Any, Final

import pytest

from retrieval.contracts.mcp.exchange import MOST_IN_A_BATCH
from retrieval.version import SERVICE, VERSION
from tests.conftest import Response
from tests.contracts.mcp.conftest import Speak
from tests.mcp_messages import MODERN, calling, modern, request

HANDSHAKE: Final = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
BASE: Final = "/knowledgebases/earth-at-night/mcp"
EVENTS: Final = "text/event-stream"
NOBODY: Final = "ResourceNotFound: No knowledge base with the name 'nobody' was found in this service."
TOO_DEEP: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001


def initialize(version: str) -> dict[str, object]:
    client = {"name": "test", "version": "1"}
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})


def error(answer: Response, status: int) -> dict[str, Any]:
    assert answer.status == status, answer.body
    assert answer.json["jsonrpc"] == "2.0"
    found: dict[str, Any] = answer.json["error"]
    assert "Traceback" not in found["message"] and "pydantic" not in found["message"]
    return found


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_version_of_the_handshake_is_agreed_on(version: str, speak: Speak) -> None:
    answer = await speak(initialize(version))
    assert answer.json["result"]["protocolVersion"] == version
    assert answer.json["result"]["serverInfo"] == {"name": SERVICE, "version": VERSION}
    assert list(answer.json["result"]["capabilities"]) == ["tools"]
    assert not any(name.lower() == "mcp-session-id" for name in answer.headers)


async def test_for_an_unknown_version_the_newest_of_the_handshake_is_offered(speak: Speak) -> None:
    assert (await speak(initialize("1999-01-01"))).json["result"]["protocolVersion"] == HANDSHAKE[-1]


async def test_the_newest_version_needs_no_handshake(speak: Speak) -> None:
    message, headers = modern(request("server/discover"))
    answer = await speak(message, **headers)
    assert answer.json["result"]["supportedVersions"] == [MODERN]
    message, headers = modern(calling("rag_retrieve", {"query": "gas flares"}))
    answer = await speak(message, **headers)
    assert answer.json["result"]["structuredContent"]["query_used"] == "gas flares"


@pytest.mark.parametrize("version", ["1999-01-01", "2025-06-18,2025-06-18", "", "x" * 500])
async def test_a_version_header_that_nobody_speaks_is_a_400(version: str, speak: Speak) -> None:
    message, headers = modern(request("tools/list"))
    error(await speak(message, **{**headers, "mcp-protocol-version": version}), 400)


@pytest.mark.parametrize("message", [request("tools/list", id=7), modern(request("tools/list", id=7))[0]])
async def test_an_unknown_version_is_named_with_those_that_are_served(message: object, speak: Speak) -> None:
    answer = await speak(message, mcp_protocol_version="2099-01-01")
    refused = error(answer, 400)
    assert (refused["code"], answer.json["id"]) == (-32022, 7)
    assert "'2099-01-01'" in refused["message"] and MODERN in refused["message"]
    assert refused["data"] == {"supported": [*HANDSHAKE, MODERN], "requested": "2099-01-01"}
    batch = error(await speak([message], mcp_protocol_version="2099-01-01"), 400)
    assert "'2099-01-01'" in batch["message"] and "batch" not in batch["message"]


async def test_headers_that_do_not_fit_the_message_are_a_400(speak: Speak) -> None:
    message, headers = modern(calling("rag_retrieve", {"query": "x"}))
    error(await speak(message, **{**headers, "mcp-name": "knowledge_base_retrieve"}), 400)


@pytest.mark.parametrize(
    "notification", [INITIALIZED, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}]
)
async def test_a_notification_is_accepted_without_a_word(notification: object, speak: Speak) -> None:
    answer = await speak(notification)
    assert (answer.status, answer.body) == (202, b"")
    answer = await speak(notification, mcp_protocol_version=MODERN)
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_there_is_no_stream_to_get_and_no_session_to_delete(method: str, speak: Speak) -> None:
    answer = await speak(b"", method=method, mcp_session_id="made-up")
    error(answer, 405)
    assert {name.lower(): value for name, value in answer.headers.items()}["allow"] == "POST"


async def test_a_session_id_that_a_client_made_up_is_not_minded(speak: Speak) -> None:
    assert (await speak(request("ping"), mcp_session_id="made-up")).json["result"] == {}


@pytest.mark.parametrize("accept", ["text/html", "text/*", "text/event-stream;q=0", None])
async def test_who_takes_neither_json_nor_events_is_not_served(accept: str | None, speak: Speak) -> None:
    error(await speak(request("ping"), accept=accept), 406)
    message, headers = modern(request("tools/list"))
    error(await speak(message, accept=accept, **headers), 406)


def kind(answer: Response) -> str:
    return {name.lower(): value for name, value in answer.headers.items()}["content-type"]


def of_event(answer: Response) -> Any:
    """The message of an answer that is one event."""
    assert (answer.status, kind(answer)) == (200, "text/event-stream; charset=utf-8")
    name, data, *end = answer.body.decode().split("\n")
    assert (name, data[:6], end) == ("event: message", "data: ", ["", ""])
    return json.loads(data[6:])


@pytest.mark.parametrize("path", ["/agents/earth-at-night/mcp", BASE, "/knowledgebases('earth-at-night')/mcp"])
@pytest.mark.parametrize(
    "accept", ["text/event-stream", "text/event-stream, application/json", "application/json;q=0.8, text/event-stream"]
)
async def test_a_client_that_prefers_events_gets_the_same_answer_as_one(accept: str, path: str, speak: Speak) -> None:
    for message, headers in (
        (initialize("2025-11-25"), {}),
        (request("tools/list"), {}),
        (calling("drop_index", {}), {}),
        (request("nope"), {}),
        modern(request("tools/list")),
        ([request("ping", id="a"), INITIALIZED, 7], {}),
    ):
        as_json = await speak(message, path=path, **headers)
        assert kind(as_json).startswith("application/json")
        assert of_event(await speak(message, path=path, accept=accept, **headers)) == as_json.json


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream, application/json"])
async def test_a_result_is_an_event_too(accept: str, speak: Speak) -> None:
    call = calling("knowledge_base_retrieve", {"queries": ["gas flares"]})
    assert json.loads(of_event(await speak(call, path=BASE, accept=accept))["result"]["content"][0]["text"])


@pytest.mark.parametrize(
    "accept", ["application/json, text/event-stream", "*/*", "text/event-stream;q=0.5, application/json"]
)
async def test_a_client_that_prefers_json_gets_json(accept: str, speak: Speak) -> None:
    assert kind(await speak(request("tools/list"), path=BASE, accept=accept)).startswith("application/json")


async def test_what_is_an_error_of_http_is_json_for_everybody(speak: Speak) -> None:
    events = {"path": BASE, "accept": "text/event-stream"}
    unknown, headers = modern(request("nope"))
    for answer, status in (
        (await speak(request("ping"), key=None, **events), 401),
        (await speak(request("ping"), key="wrong", **events), 403),
        (await speak(b"{", **events), 400),
        (await speak([], **events), 400),
        (await speak(unknown, **events, **headers), 404),
        (await speak(b"", method="GET", **events), 405),
        (await speak(request("ping", {"x": "x" * 1_048_576}), **events), 413),
        (await speak(request("ping"), content_type="application/jsonx", **events), 415),
    ):
        error(answer, status)
        assert kind(answer).startswith("application/json")
    assert ((told := await speak(INITIALIZED, **events)).status, told.body) == (202, b"")


@pytest.mark.parametrize(("kind", "status"), [("text/plain", 400), ("", 400), ("application/jsonx", 415)])
async def test_who_does_not_send_json_is_told_so(kind: str, status: int, speak: Speak) -> None:
    assert "Content-Type" in error(await speak(request("ping"), content_type=kind), status)["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        TOO_DEEP,
        b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        b"NaN",
    ],
)
async def test_broken_json_is_a_parse_error(body: bytes, speak: Speak) -> None:
    assert error(await speak(body), 400)["code"] == -32700


NO_MESSAGES: Final = [
    None, 7, "x", {}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"id": 1, "method": "ping"},
    request("ping", id=None), request("ping", id={"a": 1}), request("ping", id=1.5), request("ping", id=True),
    {"jsonrpc": "2.0", "id": 1, "method": 7}, {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
    {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "result": {}},
]  # fmt: skip


@pytest.mark.parametrize("message", NO_MESSAGES, ids=json.dumps)
async def test_what_is_no_message_is_an_invalid_request(message: object, speak: Speak) -> None:
    assert error(await speak(message), 400)["code"] == -32600


@pytest.mark.parametrize("method", ["nope", "resources/list", "prompts/list", "", "tools/call/x"])
async def test_an_unknown_method_is_the_protocols_error(method: str, speak: Speak) -> None:
    assert error(await speak(request(method)), 200)["code"] == -32601
    message, headers = modern(request(method))
    assert error(await speak(message, **headers), 404)["code"] < 0


async def test_a_stream_of_changes_is_not_offered_and_not_waited_for(speak: Speak) -> None:
    message, headers = modern(request("subscriptions/listen", {"notifications": {}}))
    error(await speak(message, **headers), 404)


@pytest.mark.parametrize(
    "params", [{}, {"name": 7}, {"name": "rag_retrieve", "arguments": []}, {"name": "rag_retrieve", "arguments": "x"}]
)
async def test_a_call_without_the_shape_of_one_is_the_protocols_error(params: object, speak: Speak) -> None:
    assert error(await speak({**request("tools/call"), "params": params}), 200)["code"] == -32602


async def test_an_unknown_tool_is_the_protocols_error(speak: Speak) -> None:
    found = error(await speak(calling("drop_index", {})), 200)
    assert found["code"] == -32602
    assert "knowledge_base_retrieve, rag_retrieve" in found["message"]


@pytest.mark.parametrize("version", ["2025-03-26", None])
async def test_a_batch_is_answered_in_the_version_that_has_them(version: str | None, speak: Speak) -> None:
    batch = [
        request("ping", id="a"), INITIALIZED, calling("rag_retrieve", {"query": "gas flares"}, id=2), 7,
        initialize("2025-03-26"),
    ]  # fmt: skip
    answer = await speak(batch, mcp_protocol_version=version)
    assert answer.status == 200
    assert [(one["id"], "result" in one) for one in answer.json] == [
        ("a", True), (2, True), (None, False), (None, False),
    ]  # fmt: skip


async def test_a_batch_of_notifications_is_accepted_without_a_word(speak: Speak) -> None:
    answer = await speak([INITIALIZED, INITIALIZED])
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", MODERN])
async def test_later_versions_have_no_batches(version: str, speak: Speak) -> None:
    assert error(await speak([request("ping")], mcp_protocol_version=version), 400)["code"] == -32600


@pytest.mark.parametrize("length", [0, MOST_IN_A_BATCH + 1])
async def test_a_batch_is_neither_empty_nor_long(length: int, speak: Speak) -> None:
    assert error(await speak([request("ping")] * length), 400)["code"] == -32600


async def test_a_body_too_large_is_a_413(speak: Speak) -> None:
    large = request("ping", {"x": "x" * 1_048_576})
    assert error(await speak(large), 413)["data"]["code"] == "RequestBodyTooLarge"


async def test_an_agent_that_is_not_there_is_told_at_once_under_the_id(speak: Speak) -> None:
    answer = await speak(request("initialize", id="x"), path="/agents/nobody/mcp")
    assert answer.json["id"] == "x"
    assert "No knowledge agent with the name 'nobody'" in error(answer, 200)["message"]
    assert error(await speak(b"{", path="/agents/nobody/mcp"), 404)["data"]["code"] == "ResourceNotFound"
    told = of_event(await speak(request("ping", id="x"), path="/agents/nobody/mcp", accept="text/event-stream"))
    assert (told["id"], told["error"]["code"]) == ("x", -32600)


@pytest.mark.parametrize("path", ["/knowledgebases/nobody/mcp", "/knowledgebases('nobody')/mcp"])
async def test_a_base_that_is_not_there_lists_its_tool_and_fails_when_it_is_called(path: str, speak: Speak) -> None:
    began = await speak(initialize("2025-11-25"), path=path)
    assert began.json["result"]["protocolVersion"] == "2025-11-25"
    assert (await speak(INITIALIZED, path=path)).status == 202
    (tool,) = (await speak(request("tools/list"), path=path)).json["result"]["tools"]
    assert tool["name"] == "knowledge_base_retrieve"
    arguments: list[dict[str, object]] = [{"queries": ["gas flares"]}, {"query": "gas flares"}, {}]
    calls = [calling("knowledge_base_retrieve", one, id=number) for number, one in enumerate(arguments)]
    answers = [await speak(call, path=path) for call in calls]
    newest, headers = modern(calls[0])
    answers += [await speak(newest, path=path, **headers)]
    for result in [
        *(answer.json["result"] for answer in answers),
        of_event(await speak(calls[0], path=path, accept=EVENTS))["result"],
    ]:
        assert result["isError"] is True
        assert [one["text"] for one in result["content"]] == [NOBODY]
    assert {answer.status for answer in answers} == {200}
    batch = (await speak(calls, path=path)).json
    assert [(one["id"], one["result"]["isError"]) for one in batch] == [(0, True), (1, True), (2, True)]
    assert error(await speak(calling("drop_index", {}), path=path), 200)["code"] == -32602
    assert error(await speak(b"{", path=path), 400)["code"] == -32700


@pytest.mark.parametrize("name", ["%2F..%2F", "a%0d%0ab", "%ED%A0%80", "x" * 5_000, "%F0%9F%8C%83", "'"])
async def test_a_hostile_name_of_a_base_is_named_at_most(name: str, speak: Speak) -> None:
    answer = await speak(calling("knowledge_base_retrieve", {"queries": ["x"]}), path=f"/knowledgebases/{name}/mcp")
    assert answer.status in {200, 400, 404} and "\r" not in str(answer.headers)
    if answer.status == 200:
        assert answer.json["result"]["isError"] and len(answer.body) < 1_000


@pytest.mark.parametrize("name", ["%2F..%2F", "a%0d%0ab", "%ED%A0%80", "x" * 5_000, "%F0%9F%8C%83", "'"])
async def test_a_hostile_agent_name_is_an_error_and_never_more(name: str, speak: Speak) -> None:
    answer = await speak(request("ping"), path=f"/agents/{name}/mcp")
    assert answer.status in {200, 400, 404} and "error" in answer.json
    assert "\r" not in str(answer.headers)


async def test_nothing_is_left_running_after_a_call(speak: Speak) -> None:
    before = asyncio.all_tasks()
    message, headers = modern(calling("rag_retrieve", {"query": "gas flares"}))
    stream, to_stream = modern(request("subscriptions/listen"))
    await speak(message, **headers)
    await speak(stream, **to_stream)
    await speak(calling("rag_retrieve", {"query": "gas flares"}))
    await speak([request("ping"), INITIALIZED])
    await speak(b"{")
    assert asyncio.all_tasks() == before
