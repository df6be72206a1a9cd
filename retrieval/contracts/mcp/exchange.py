"""Answers one HTTP call of MCP with the official package, in this process, without a web server or a session.

The package's session manager takes ASGI calls. Each message gets a new session manager, which keeps no state and
answers in JSON. The session manager negotiates the protocol version, checks headers and shapes, and answers
notifications.

A body has one message. In protocol version 2025-03-26 it may have a batch of messages instead. The package reads single
messages only. It treats a request with an invalid id as a notification. This module refuses such a request.
https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
"""

import asyncio
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import pydantic_core
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as Definition
from mcp.types.version import KNOWN_PROTOCOL_VERSIONS

from retrieval import threads
from retrieval.contracts.mcp import progress
from retrieval.contracts.mcp.content import Content, Tool, runtime
from retrieval.contracts.mcp.rpc_errors import INVALID_REQUEST, PARSE_ERROR, Id, Versions, id_of, refuse
from retrieval.contracts.mcp.tools import TOOLS, Bench
from retrieval.contracts.rendered import Rendered
from retrieval.filters import odata
from retrieval.text import strict_json
from retrieval.version import SERVICE, VERSION

MOST_IN_A_BATCH: Final = 10
BATCHES: Final = frozenset({None, "2025-03-26"})
"""The protocol version that has batches. A call without a version (None) counts as this version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidMessage:
    """An invalid message. `reason` is a sentence for the client."""

    code: int = INVALID_REQUEST
    reason: str
    id: Id = None
    data: Versions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The messages of a batch, in their order."""

    messages: tuple[bytes | InvalidMessage, ...]


def read(body: bytes, *, version: str | None) -> bytes | Batch | InvalidMessage:
    """Reads a body. The result is the unchanged body of one valid message, a Batch, or an InvalidMessage with the
    reason. The JSON reader limits the nesting of the body."""
    try:
        value = strict_json.read_body(body)
    except ValueError as error:
        return InvalidMessage(code=PARSE_ERROR, reason=f"The body {error}.")
    if version not in (None, *KNOWN_PROTOCOL_VERSIONS):
        return _unknown_version(version or "", id_of(value))
    if not isinstance(value, list):
        fault = _fault(value)
        return body if fault is None else InvalidMessage(reason=fault)
    if version not in BATCHES:
        return InvalidMessage(
            reason=f"Protocol version {str(version)[:40]!r} has no batches. Send one message per call."
        )
    if not 1 <= len(value) <= MOST_IN_A_BATCH:
        return InvalidMessage(reason=f"A batch has 1 to {MOST_IN_A_BATCH} messages, not {len(value)}.")
    return Batch(messages=tuple(_message(item) for item in value))


def _unknown_version(version: str, id: Id) -> InvalidMessage:
    version_text, versions = version[:40].encode(errors="replace").decode(), KNOWN_PROTOCOL_VERSIONS
    return InvalidMessage(
        code=UNSUPPORTED_PROTOCOL_VERSION,
        reason=f"The MCP-Protocol-Version {version_text!r} is not known here; served are {', '.join(versions)}.",
        id=id,
        data=Versions(supported=versions, requested=version_text),
    )


def _message(value: object) -> bytes | InvalidMessage:
    fault = _fault(value)
    if fault is None and isinstance(value, dict) and value.get("method") == "initialize":
        fault = "The request 'initialize' must not be part of a batch."
    return pydantic_core.to_json(value) if fault is None else InvalidMessage(reason=fault)


def _fault(value: object) -> str | None:
    """The reason why a value is not a JSON-RPC message of MCP. None if the value is a message."""
    if not isinstance(value, dict):
        return "A message must be a JSON object."
    if value.get("jsonrpc") != "2.0":
        return "The member 'jsonrpc' must be '2.0'."
    if "id" in value and (isinstance(value["id"], bool) or not isinstance(value["id"], str | int)):
        return "The member 'id' must be a string or an integer."
    if "method" not in value:
        answers = "id" in value and ("result" in value or "error" in value)
        return None if answers else "A message must have a 'method', or an 'id' with a 'result' or an 'error'."
    if not isinstance(value["method"], str):
        return "The member 'method' must be a string."
    if not isinstance(value.get("params", {}), dict):
        return "The member 'params' must be an object."
    return None


INSTRUCTIONS: Final = "Search before you answer, answer only from what was found, and cite it by its source."
JSON: Final = "application/json"
PROTOCOL_VERSION: Final = "mcp-protocol-version"
PING: Final = b'{"jsonrpc":"2.0","id":0,"method":"ping"}'
PASSED_ON: Final = frozenset({"accept", "content-type"})
"""The headers that are passed to the package, together with all headers that begin with `mcp-`. Credentials are not
passed on."""

_Event: TypeAlias = MutableMapping[str, Any]
_Context: TypeAlias = ServerRequestContext[dict[str, Any], Any]


async def answer(
    body: bytes, headers: Mapping[str, str], bench: Bench, *, start: float, takes_events: bool = False
) -> Rendered:
    """The answer to a body. The names in `headers` are in lower case. If a tool raises an exception that is not a
    RetrievalError, this function or its stream of events raises it again.

    A client that accepts events and asks for progress gets the progress before the answer. A batch has no progress. All
    messages of a batch share the runtime of one call. The runtime begins at `start`, in the event loop's time.
    """
    deadline = start + runtime(bench.agent)
    message = await threads.read(body, partial(read, body, version=headers.get(PROTOCOL_VERSION)))
    if isinstance(message, InvalidMessage):
        return _refusal(message)
    if not isinstance(message, Batch):
        token = progress.token_of(message) if takes_events else None
        if token is None:
            return await _exchange(message, headers, bench, deadline=deadline)
        notifications = progress.Notifications(token)
        return await notifications.before(
            _exchange(message, headers, replace(bench, tell=notifications.tell), deadline=deadline)
        )
    answers = [
        _refusal(part) if isinstance(part, InvalidMessage) else await _exchange(part, headers, bench, deadline=deadline)
        for part in message.messages
    ]
    bodies = [part_answer.content for part_answer in answers if part_answer.content]
    if not bodies:
        return Rendered(status=HTTPStatus.ACCEPTED, body=b"")
    return Rendered(status=HTTPStatus.OK, body=b"[" + b",".join(bodies) + b"]")


def load() -> None:
    """Loads modules early, so that the first call does not wait for them. It loads the definitions of the tools, the
    grammar of filters, and the modules that the package loads when it first answers."""
    for tool in TOOLS.values():
        _definition(tool, tool.description)
    odata.load()
    asyncio.run(_through(Server(SERVICE), PING, {"accept": JSON, "content-type": JSON}))


class _Handlers:
    """The handlers that the package calls. `fault` is the unexpected exception of a tool; None if there was none."""

    def __init__(self, bench: Bench, message: bytes, *, deadline: float) -> None:
        self._bench = bench
        self._message = message
        self._deadline = deadline
        self.fault: Exception | None = None

    async def list_tools(self, context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        pairs = await self._bench.descriptions()
        return ListToolsResult(tools=[_definition(tool, description) for tool, description in pairs])

    async def call_tool(self, context: _Context, params: CallToolRequestParams) -> CallToolResult:
        tools = self._bench.tools
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]!r}. Tools: {', '.join(tools)}.")
        try:
            content = await self._bench.use(
                tool, params.arguments or {}, message=self._message, deadline=self._deadline
            )
            return _result(content)
        except Exception as error:  # The package would log its text. `_exchange` raises the exception again.
            self.fault = error
            raise MCPError(INTERNAL_ERROR, "A fault occurred in this service.") from None


async def _exchange(message: bytes, headers: Mapping[str, str], bench: Bench, *, deadline: float) -> Rendered:
    handlers = _Handlers(bench, message, deadline=deadline)
    server = Server(
        SERVICE,
        version=VERSION,
        instructions=" ".join(filter(None, (bench.agent.description, INSTRUCTIONS))),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        get_tool_input_schema=lambda name: bench.tools[name].input if name in bench.tools else None,
    )
    server.middleware.clear()  # The middleware would write the texts of exceptions into spans.
    response = await _through(server, message, headers)
    if handlers.fault is not None:
        raise handlers.fault
    return response


async def _through(server: Server[dict[str, Any]], message: bytes, headers: Mapping[str, str]) -> Rendered:
    """Calls the package by ASGI, without a web server. The body is a single part. If the package reads a second part,
    the read waits until the call ends."""
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    body = [message]
    events: list[_Event] = []

    async def receive() -> _Event:
        if not body:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": body.pop(), "more_body": False}

    async def send(event: _Event) -> None:
        events.append(event)

    async with manager.run():
        await manager.handle_request(_scope(headers), receive, send)
    return _response(events)


def _scope(headers: Mapping[str, str]) -> _Event:
    passed_headers = [(name, value) for name, value in headers.items() if name in PASSED_ON or name.startswith("mcp-")]
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "https",
        "path": "/",
        "query_string": b"",
        "headers": [
            (name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in passed_headers
        ],
    }


def _response(events: list[_Event]) -> Rendered:
    """The package's answer. An error answer that is not JSON becomes a JSON-RPC error. Its message is the text of the
    answer, or the phrase of the status if the text is empty."""
    start, *parts = events
    status = int(start["status"])
    kind = dict(start.get("headers", ())).get(b"content-type", b"").decode("latin-1")
    body = b"".join(event.get("body", b"") for event in parts)
    if status < HTTPStatus.BAD_REQUEST or (body and kind.startswith(JSON)):
        return Rendered(status=status, body=body)
    return Rendered(status=status, body=refuse(body.decode("utf-8", "replace") or HTTPStatus(status).phrase))


def _refusal(message: InvalidMessage) -> Rendered:
    body = refuse(message.reason, code=message.code, id=message.id, data=message.data)
    return Rendered(status=HTTPStatus.BAD_REQUEST, body=body)


def _result(content: Content) -> CallToolResult:
    structured = content.structured
    return CallToolResult(
        content=[TextContent(type="text", text=content.text)],
        structured_content=None if structured is None else structured.model_dump(mode="json", by_alias=True),
        is_error=content.failed,
        _meta=dict(content.meta) or None,
    )


def _definition(tool: Tool, description: str) -> Definition:
    return Definition(
        name=tool.name,
        title=tool.title,
        description=description,
        input_schema=dict(tool.input),
        output_schema=dict(tool.output),
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
