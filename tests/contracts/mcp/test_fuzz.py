"""Whatever a body and its headers hold: JSON-RPC, or nothing where nothing is owed, and never a 500."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.host import Host
from retrieval.local.wire import WireRequest
from tests.laws import law
from tests.mcp_messages import ACCEPT, MODERN, PATH, calling, modern

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "server/discover", "subscriptions/listen", "resources/read",
    "notifications/initialized", "notifications/cancelled", "completion/complete", "nope", "",
]  # fmt: skip
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN, "x", ""]
NAMES = [
    "jsonrpc", "id", "method", "params", "name", "arguments", "_meta", "cursor", "protocolVersion", "capabilities",
    "clientInfo", "result", "error", "progressToken", "io.modelcontextprotocol/protocolVersion", "task", "inputs",
]  # fmt: skip
ARGUMENTS = [
    "query", "question", "goal", "filter", "queries", "messages", "role", "content", "rerankerThreshold",
    "includeReferenceSourceData",
]  # fmt: skip
TELLING = [
    "2.0", "Phoenix", "rag_retrieve", "knowledge_base_retrieve", "user", "page_number eq '105'", "a eq", "\ud800",
    "answer", "\x00", *METHODS, *VERSIONS,
]  # fmt: skip

_scalars = st.sampled_from(TELLING) | st.text(max_size=8) | st.none() | st.booleans() | st.integers() | st.floats()


def _objects(names: list[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        _scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(names), inner, max_size=4),
        max_leaves=8,
    )


_values = _objects(NAMES)
_messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS)},
    optional={"id": st.integers() | st.text(max_size=3) | _scalars, "params": _values},
)
_bodies = st.binary(max_size=30) | (_values | _messages | st.lists(_messages, max_size=3)).map(
    lambda value: json.dumps(value).encode()
)
_arguments = st.dictionaries(st.sampled_from(ARGUMENTS), _objects(ARGUMENTS), max_size=4) | _values
_headers = st.fixed_dictionaries(
    {},
    optional={
        "accept": st.sampled_from([ACCEPT, "*/*", "text/html", ",;q=x", "text/event-stream"]),
        "mcp-protocol-version": st.sampled_from(VERSIONS),
        "mcp-method": st.sampled_from(METHODS),
        "mcp-name": st.sampled_from(["rag_retrieve", "x", "=?base64?!?="]),
        "mcp-param-query": st.sampled_from(["x", "=?base64?Zm9v?=", "é"]),
        "content-type": st.sampled_from(["application/json", "text/plain", "application/json; charset=x", ""]),
        "origin": st.sampled_from(["http://localhost:1", "null", "http://evil.example", "http://[", "https://\x7f"]),
    },
)
many = law(400)


def send(host: Host, body: bytes, headers: Mapping[str, str]) -> None:
    usual = {"api-key": "local-dev-key", "accept": ACCEPT, "content-type": "application/json", "host": "localhost"}
    sent = {**usual, **headers, "content-length": str(len(body))}
    response = asyncio.run(host(WireRequest(method="POST", target=PATH, headers=tuple(sent.items()), body=body)))
    assert response.status in {200, 202, 400, 403, 404, 406, 413, 415}, response
    if response.status == 202:
        assert response.body == b""
        return
    assert isinstance(response.body, bytes)
    kinds = [value for name, value in response.headers if name.lower() == "content-type"]
    is_event = kinds[0].startswith("text/event-stream")
    answer = json.loads(response.body.removeprefix(b"event: message\ndata: ") if is_event else response.body)
    for one in answer if isinstance(answer, list) else [answer]:
        assert one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one)
        assert "Traceback" not in json.dumps(one)
        assert one.get("error", {}).get("code") != -32603, one


@many
@given(body=_bodies, headers=_headers)
def test_any_body_is_answered(host: Host, body: bytes, headers: dict[str, str]) -> None:
    send(host, body, headers)


@many
@given(tool=st.sampled_from(["rag_retrieve", "knowledge_base_retrieve", "answer", "x"]), arguments=_arguments)
def test_any_arguments_are_answered(host: Host, tool: str, arguments: Any) -> None:
    message = calling(tool, arguments)
    send(host, json.dumps(message).encode(), {})
    newer, headers = modern(message)
    send(host, json.dumps(newer).encode(), headers)
