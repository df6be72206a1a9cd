"""Answers one HTTP call of MCP with the official package, in this process, without a web server or a session.

The package's session manager takes ASGI calls. Each message gets a new session manager, which keeps no state and
answers in JSON. The session manager negotiates the protocol version, checks headers and shapes, and answers
notifications.

A body has one message. In protocol version 2025-03-26 it may have a batch of messages instead. The package reads single
messages only. It treats a request with an invalid id as a notification. This module refuses such a request.
https://modelcontextprotocol.io/specification/2025-03-26/basic#batching

The tools of a batch run one after the other, and each gets the time that is left.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
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
    ToolAnnotations,
)
from mcp.types import Tool as Definition
from mcp.types.version import KNOWN_PROTOCOL_VERSIONS

from retrieval import threads
from retrieval.contracts.mcp import answer as answer_tool
from retrieval.contracts.mcp import knowledge_base_retrieve, progress, rag_retrieve
from retrieval.contracts.mcp.content import Tool, content, failure, runtime
from retrieval.contracts.mcp.rpc_errors import INVALID_REQUEST, PARSE_ERROR, Id, Versions, id_of, refuse
from retrieval.contracts.rendered import Rendered
from retrieval.errors import RetrievalError
from retrieval.filters import odata
from retrieval.filters.schema import Schema
from retrieval.model.answer import Answer
from retrieval.model.definitions import Agent
from retrieval.model.retrieval import Outcome, RetrievalRequest
from retrieval.ports import Tell
from retrieval.text import strict_json
from retrieval.version import SERVICE, VERSION

INSTRUCTIONS: Final = "Search before you answer, answer only from what was found, and cite it by its source."
JSON: Final = "application/json"
PROTOCOL_VERSION: Final = "mcp-protocol-version"
PING: Final = b'{"jsonrpc":"2.0","id":0,"method":"ping"}'
PASSED_ON: Final = frozenset({"accept", "content-type"})
"""The headers that are passed to the package, together with all headers that begin with `mcp-`. Credentials are not
passed on."""

MOST_IN_A_BATCH: Final = 10
BATCHES: Final = frozenset({None, "2025-03-26"})
"""The protocol version that has batches. A call without a version (None) counts as this version."""

LEAST_SECONDS: Final = 0.2
"""The minimum time that must be left before the deadline for a tool to start, in seconds."""

NO_TIME_LEFT: Final = (
    "NoTimeLeft: The calls before this one used the {seconds:g} s of the batch, so nothing was searched for this call; "
    "send it in a separate HTTP call."
)

MOST_FIELDS: Final = 20
"""The maximum number of fields that a description names."""

TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {tool.name: tool for tool in (knowledge_base_retrieve.TOOL, rag_retrieve.TOOL, answer_tool.TOOL)}
)
"""The tools of the MCP endpoint of an agent."""

Run: TypeAlias = Callable[[RetrievalRequest, Tell | None], Awaitable[Outcome | Answer]]
"""The type of the function that runs a tool's request. A request for documents returns an Outcome. A request for an
answer returns an Answer, and reports progress to `Tell`."""

_Event: TypeAlias = MutableMapping[str, Any]
_Context: TypeAlias = ServerRequestContext[dict[str, Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The tools of one call, with the agent whose targets they search and the token of the user.

    `run` runs the requests of the tools. `fields` returns the fields of one index of the agent, or None if no fields
    are known. `check` raises a RetrievalError if the agent cannot be asked. `tell` receives the progress of an answer.
    """

    agent: Agent
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    fields: Callable[[], Awaitable[Schema | None]]
    user_token: str | None
    run: Run
    check: Callable[[], None]
    tell: Tell | None = None

    async def definitions(self) -> list[Definition]:
        """The entry of each tool in `tools/list`. Its description includes the description of the agent, because a
        client may see the tools of several agents. It also includes up to MOST_FIELDS fields that a filter may name."""
        schema = await self.fields() or {}
        filterable = [schema_field.name for schema_field in schema.values() if schema_field.filterable][:MOST_FIELDS]
        fields = f"Fields that a filter may name: {', '.join(filterable)}." if filterable else None
        about = self.agent.description
        return [
            _definition(tool, " ".join(filter(None, (about, tool.description, fields)))) for tool in self.tools.values()
        ]

    async def use(
        self, tool: Tool, arguments: Mapping[str, object], *, message: bytes, deadline: float
    ) -> CallToolResult:
        """Runs a tool and returns its result. If too little time is left before the deadline, the result is an error.

        `message` is the message that contains the arguments. `deadline` is the deadline of the HTTP call, in the event
        loop's time. A RetrievalError becomes a failed result, so that the model that called the tool can correct its
        call.
        """
        seconds_left = deadline - asyncio.get_running_loop().time()
        if seconds_left < LEAST_SECONDS:
            return content(NO_TIME_LEFT.format(seconds=runtime(self.agent)), failed=True)
        try:
            self.check()
            parsing = partial(tool.parse, arguments, self.agent, user_token=self.user_token)
            request = await threads.read(message, parsing, filters=self.agent.base_filters)
            limits = replace(request.limits, runtime=min(request.limits.runtime, seconds_left))
            request = replace(request, limits=limits)
            result = await self.run(request, self.tell)
            return await threads.work(tool.extent(result), partial(tool.render, result, request))
        except RetrievalError as error:
            return failure(error)


async def answer(
    body: bytes, headers: Mapping[str, str], bench: Bench, *, start: float, takes_events: bool = False
) -> Rendered:
    """The answer to a body. The names in `headers` are in lower case. If a tool raises an exception that is not a
    RetrievalError, this function or its stream of events raises it again.

    A client that accepts events and asks for progress gets the progress before the answer. A batch has no progress. All
    messages of a batch share the runtime of one call. The runtime begins at `start`, in the event loop's time.
    """
    deadline = start + runtime(bench.agent)
    message = await threads.read(body, partial(_read, body, version=headers.get(PROTOCOL_VERSION)))
    if isinstance(message, Rendered):
        return message
    if isinstance(message, bytes):
        token = progress.token_of(message) if takes_events else None
        if token is None:
            return await _exchange(message, headers, bench, deadline=deadline)
        notifications = progress.Notifications(token)
        return await notifications.before(
            _exchange(message, headers, replace(bench, tell=notifications.tell), deadline=deadline)
        )
    answers = [
        part if isinstance(part, Rendered) else await _exchange(part, headers, bench, deadline=deadline)
        for part in message
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


def _read(body: bytes, *, version: str | None) -> bytes | Rendered | tuple[bytes | Rendered, ...]:
    """The unchanged body of one valid message, the messages of a batch, or the refusal of an invalid message. The JSON
    reader limits the nesting of the body."""
    try:
        value = strict_json.read_body(body)
    except ValueError as error:
        return _refusal(f"The body {error}.", code=PARSE_ERROR)
    if version not in (None, *KNOWN_PROTOCOL_VERSIONS):
        return _unknown_version(version or "", id_of(value))
    if not isinstance(value, list):
        fault = _fault(value)
        return body if fault is None else _refusal(fault)
    if version not in BATCHES:
        return _refusal(f"Protocol version {str(version)[:40]!r} has no batches. Send one message per call.")
    if not 1 <= len(value) <= MOST_IN_A_BATCH:
        return _refusal(f"A batch has 1 to {MOST_IN_A_BATCH} messages, not {len(value)}.")
    return tuple(_message(item) for item in value)


def _refusal(reason: str, *, code: int = INVALID_REQUEST, id: Id = None, data: Versions | None = None) -> Rendered:
    """The refusal of an invalid message. `reason` is a sentence for the client."""
    return Rendered(status=HTTPStatus.BAD_REQUEST, body=refuse(reason, code=code, id=id, data=data))


def _unknown_version(version: str, id: Id) -> Rendered:
    version_text, versions = version[:40].encode(errors="replace").decode(), KNOWN_PROTOCOL_VERSIONS
    return _refusal(
        f"The MCP-Protocol-Version {version_text!r} is not known here; served are {', '.join(versions)}.",
        code=UNSUPPORTED_PROTOCOL_VERSION,
        id=id,
        data=Versions(supported=versions, requested=version_text),
    )


def _message(value: object) -> bytes | Rendered:
    """A message of a batch, or its refusal."""
    fault = _fault(value)
    if fault is None and isinstance(value, dict) and value.get("method") == "initialize":
        fault = "The request 'initialize' must not be part of a batch."
    return pydantic_core.to_json(value) if fault is None else _refusal(fault)


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


async def _exchange(message: bytes, headers: Mapping[str, str], bench: Bench, *, deadline: float) -> Rendered:
    """The package's answer to one message. Raises the unexpected exception of a tool."""
    faults: list[Exception] = []

    async def list_tools(context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=await bench.definitions())

    async def call_tool(context: _Context, params: CallToolRequestParams) -> CallToolResult:
        tool = bench.tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]!r}. Tools: {', '.join(bench.tools)}.")
        try:
            return await bench.use(tool, params.arguments or {}, message=message, deadline=deadline)
        except Exception as error:  # The package would log its text.
            faults.append(error)
            raise MCPError(INTERNAL_ERROR, "A fault occurred in this service.") from None

    server = Server(
        SERVICE,
        version=VERSION,
        instructions=" ".join(filter(None, (bench.agent.description, INSTRUCTIONS))),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: bench.tools[name].input if name in bench.tools else None,
    )
    server.middleware.clear()  # The middleware would write the texts of exceptions into spans.
    response = await _through(server, message, headers)
    if faults:
        raise faults[0]
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
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "https",
        "path": "/",
        "query_string": b"",
        "headers": [
            (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
            for name, value in headers.items()
            if name in PASSED_ON or name.startswith("mcp-")
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


def _definition(tool: Tool, description: str) -> Definition:
    return Definition(
        name=tool.name,
        title=tool.title,
        description=description,
        input_schema=dict(tool.input),
        output_schema=dict(tool.output),
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
