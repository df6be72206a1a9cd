"""Messages of MCP, as clients send them, and the endpoints that answer them."""

from collections.abc import Mapping
from typing import Any, Final

from retrieval.compose.rooms import TABLE
from retrieval.http.serving import Endpoint

PATH: Final = "/agents/earth-at-night/mcp"
MODERN: Final = "2026-07-28"
ACCEPT: Final = "application/json, text/event-stream"


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


def endpoint(route: str = "agents") -> Endpoint[Any]:
    """The endpoint of an agent's address, or of a base's."""
    found = TABLE.routes[f"POST {route}/{{name}}/mcp"].endpoint
    assert isinstance(found, Endpoint)
    return found
