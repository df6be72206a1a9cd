"""MCP against the functions, over the sample corpus, with the local key."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import pytest

from tests.conftest import KEY, Post, Response

PATH: Final = "/agents/earth-at-night/mcp"
MODERN: Final = "2026-07-28"
ACCEPT: Final = "application/json, text/event-stream"

Speak = Callable[..., Awaitable[Response]]
Use = Callable[..., Awaitable[dict[str, Any]]]


def request(method: str, params: Mapping[str, object] | None = None, *, id: object = 1) -> dict[str, object]:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": id, "method": method}
    return message if params is None else {**message, "params": params}


def calling(tool: str, arguments: Mapping[str, object], *, id: object = 1) -> dict[str, object]:
    return request("tools/call", {"name": tool, "arguments": arguments}, id=id)


def modern(message: Mapping[str, Any]) -> tuple[dict[str, object], dict[str, str]]:
    """A request as version 2026-07-28 has it, with the headers that go with it."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    params = message.get("params", {})
    headers = {"mcp-protocol-version": MODERN, "mcp-method": str(message["method"])}
    if "name" in params:
        headers["mcp-name"] = str(params["name"])
    return {**message, "params": {**params, "_meta": meta}}, headers


@pytest.fixture
def speak(post: Post) -> Speak:
    """Send a message: a JSON value, or bytes as they are. A header that is None is left out."""

    async def send(
        message: object, *, path: str = PATH, method: str = "POST", key: str | None = KEY, **headers: str | None
    ) -> Response:
        usual = {"accept": ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
        sent = {name: value for name, value in usual.items() if value is not None}
        return await post(message, path, method=method, key=key, headers=sent)

    return send


@pytest.fixture
def use(speak: Speak) -> Use:
    """The result of a tool."""

    async def call(tool: str, **arguments: object) -> dict[str, Any]:
        answer = await speak(calling(tool, arguments))
        assert answer.status == 200, answer.body
        result: dict[str, Any] = answer.json["result"]
        return result

    return call
