"""What is unlike the document in the answers of a test is told, with the operation, the status and the place."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Final

import pytest

from retrieval.contracts.azure.retrieve.events import AnswerCompleted
from retrieval.contracts.rendered import HEARTBEAT, event
from retrieval.local.host.exchange import Invocation
from retrieval.local.wire import WireResponse
from tests.openapi.conforming import Exchange, exchange_faults
from tests.openapi.exchanges import Watched, unlike_the_document
from tests.openapi.relay import relayed

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream; charset=utf-8"
DEAD: Final = b'{"status":"dead"}'
REFUSED: Final = {"error": {"code": "ResourceNotFound", "message": "There is none."}}


def of(
    body: object, path: str = "/agents('x')", *, status: int = 200, version: str = "", kind: str = JSON
) -> list[str]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    exchange = Exchange(method="GET", path=path, version=version, status=status, content_type=kind, body=content)
    return exchange_faults(exchange)


def test_the_status_and_the_place_are_told() -> None:
    assert of(REFUSED, status=404) == []
    (fault,) = of({"error": {**REFUSED["error"], "code": 4}}, status=404)
    assert fault.startswith("getAgentOdata (GET /agents('x')), status 404: $.error.code: ")


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (REFUSED, {"status": 418}),
        (REFUSED, {"status": 404, "kind": "text/plain"}),
        ({**REFUSED, "more": 1}, {"status": 404}),
        (b"<html>", {"status": 404}),
        (b"", {"status": 404}),
        (b"{}", {"path": "/nowhere", "status": 404}),
        (REFUSED, {"path": "/nowhere", "status": 200}),
    ],
)
def test_what_is_not_described_is_a_fault(body: object, changed: dict[str, object]) -> None:
    assert of(body, **changed)  # type: ignore[arg-type]


def test_an_answer_in_the_shape_of_another_version_is_a_fault() -> None:
    """2025-11-01-preview has no `kind` in a status, and 2026-05-01-preview has one."""
    status = dict.fromkeys(
        ("synchronizationInterval", "currentSynchronizationState", "lastSynchronizationState", "statistics")
    )
    body = {"synchronizationStatus": "active", **status}
    path = "/knowledgesources('x')/status"
    assert of(body, path, version="2025-11-01-Preview") == []
    assert of(body, path, version="2026-05-01-preview")
    assert of({**body, "kind": "searchIndex"}, path, version="2025-11-01-preview")


def test_each_event_of_a_stream_is_compared_with_what_is_said_of_it() -> None:
    def streamed(*events: bytes) -> list[str]:
        path, version = "/knowledgebases('x')/retrieve", "2026-08-01-preview"
        body = b"".join(events)
        return exchange_faults(
            Exchange(method="POST", path=path, version=version, status=200, content_type=EVENTS, body=body)
        )

    answer = AnswerCompleted.model_validate({"message_index": 0, "message": {"content": [{"text": "A"}]}})
    told = event("answer.completed", answer.model_dump_json().encode())
    assert streamed(told, HEARTBEAT, told) == []
    assert "event answer.completed: $.messageIndex" in streamed(told.replace(b":0", b':"0"'))[0]
    assert streamed(told, event("heard.of", b"{}"))
    assert streamed(told, b"data: {}\n\n")


class Dead:
    """An engine that answers everything with a word that nothing has."""

    title = "dead"
    functions = ()

    async def invoke(self, function: str, call: Invocation) -> WireResponse:
        return WireResponse(status=200, headers=(("Content-Type", JSON),), body=DEAD)


async def test_an_answer_in_this_process_is_compared() -> None:
    await Watched(Dead()).invoke("health", Invocation(method="GET", url="http://localhost/health?again"))
    missing, dead = unlike_the_document()
    assert missing == 'getHealth (GET /health), status 200: $: "version" is a required property'
    assert dead.startswith("getHealth (GET /health), status 200: $.status: ")


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """The address of a server that answers everything with this."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in {"request-id": "1", "content-type": JSON, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("body", "faults"), [(DEAD, 4), (b'{"status":"alive","version":"1.0.0"}', 0)])
def test_what_another_process_answers_is_compared(body: bytes, faults: int) -> None:
    """Each of the answers of a connection."""
    with serving(body) as address, relayed(address) as (before, _):
        connection = HTTPConnection(before.removeprefix("http://"))
        for path in ("/health", "/health/"):
            connection.request("GET", path)
            assert connection.getresponse().read() == body
        connection.close()
    assert len(unlike_the_document()) == faults
