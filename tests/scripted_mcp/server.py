"""An MCP server over streamable HTTP, and a bare socket that sends what it is given."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeAlias

from retrieval.local.server import serving
from retrieval.local.wire import ConnectionCut, WireRequest, WireResponse

JSON: Final = ("content-type", "application/json")
Output: TypeAlias = Mapping[str, object]
Call: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[Output]]


def tool(
    name: str = "search",
    *,
    read_only: bool | None = True,
    idempotent: bool | None = None,
    schema: object = None,
    description: str = "",
) -> Output:
    """A tool as a server lists it; usually with one required text."""
    usual = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    hints = {"readOnlyHint": read_only, "idempotentHint": idempotent}
    annotations = {name: value for name, value in hints.items() if value is not None}
    return {
        "name": name,
        "description": description,
        "inputSchema": usual if schema is None else schema,
        **({"annotations": annotations} if annotations else {}),
    }


def text(*texts: str, error: bool = False) -> Output:
    """An output of texts."""
    return {"content": [{"type": "text", "text": each} for each in texts], "isError": error}


class ScriptedMcp:
    """A server with tools, each a function of its arguments, and a record of what was asked.

    With `status` it answers so to every call of a tool, with `faults` to each once: with a status, or None for a
    connection that breaks; `held` holds them, `opening` every request. With `session` it
    opens sessions, one for each caller, and forgets them where that changes; an id that came before in a session is a
    400. With `events` it answers with a stream, which has other messages too.
    """

    def __init__(self, *tools: Output, output: Output | None = None, calls: Mapping[str, Call] | None = None) -> None:
        self.tools: Sequence[object] = tools or (tool(),)
        self.output = output or text("A tool says something of roads.")
        self.calls = dict(calls or {})
        self.ids: dict[str | None, set[int]] = defaultdict(set)
        self.recorded: list[tuple[WireRequest, Any]] = []
        self.status: int | None = None
        self.faults: list[int | None] = []
        self.headers: tuple[tuple[str, str], ...] = ()
        self.held: asyncio.Event | None = None
        self.opening: asyncio.Event | None = None
        self.session: str | None = None
        self.version = "2025-11-25"
        self.events = False
        self.most_tools = 100
        self.address = ""

    @property
    def called(self) -> list[Any]:
        """The parameters of every call of a tool."""
        return [message["params"] for _, message in self.recorded if message.get("method") == "tools/call"]

    @property
    def methods(self) -> list[str]:
        return [message.get("method", request.method) for request, message in self.recorded]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The address at which it is listening, with a path."""
        async with serving(self) as address:
            self.address = f"{address}/mcp"
            yield self.address

    async def __call__(self, request: WireRequest) -> WireResponse:
        message = json.loads(request.body or b"{}")
        self.recorded.append((request, message))
        method, id = message.get("method"), message.get("id")
        if request.method == "DELETE" or id is None:
            return WireResponse(status=202)
        if method != "initialize" and request.header("mcp-session-id") != self.session:
            return WireResponse(status=404)
        if self._came_before(request.header("authorization"), method, id):
            return WireResponse(status=400)
        if self.opening is not None:
            await self.opening.wait()
        if method == "tools/call":
            if self.held is not None:
                await self.held.wait()
            if self.faults:
                if (status := self.faults.pop(0)) is None:
                    raise ConnectionCut("scripted")
                return WireResponse(status=status, headers=self.headers)
            if self.status is not None:
                return WireResponse(status=self.status, headers=self.headers)
        return self._response(id, await self._result(method, message.get("params", {})))

    def _came_before(self, caller: str | None, method: str, id: int) -> bool:
        """Whether the id came before in the caller's session."""
        if method == "initialize":
            self.ids[caller] = set()
        came = self.session is not None and id in self.ids[caller]
        self.ids[caller].add(id)
        return came

    async def _result(self, method: str, params: Mapping[str, Any]) -> Output:
        if method == "initialize":
            about = {"name": "scripted", "version": "1"}
            return {"protocolVersion": self.version, "capabilities": {"tools": {}}, "serverInfo": about}
        if method == "tools/list":
            first = int(params.get("cursor", "0"))
            more = {"nextCursor": str(first + self.most_tools)} if first + self.most_tools < len(self.tools) else {}
            return {"tools": self.tools[first : first + self.most_tools], **more}
        call = self.calls.get(params["name"])
        return self.output if call is None else await call(params["arguments"])

    def _response(self, id: int, result: Output) -> WireResponse:
        answer = {"jsonrpc": "2.0", "id": id, "result": result}
        session = () if self.session is None else (("mcp-session-id", self.session),)
        if not self.events:
            return WireResponse(status=200, headers=(JSON, *session), body=json.dumps(answer).encode())
        progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
        lines = [
            f"event: message\r\nid: {at}\r\ndata: {json.dumps(each)}\r\n\r\n"
            for at, each in enumerate((progress, answer))
        ]
        body = ": hello\r\n\r\nid: 9\r\ndata: \r\n\r\n" + "".join(lines)
        return WireResponse(status=200, headers=(("content-type", "text/event-stream"), *session), body=body.encode())


@asynccontextmanager
async def listening(
    *parts: bytes, endless: bytes = b"", host: str = "127.0.0.1"
) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A socket that sends these bytes to whoever connects, then `endless` for ever; its address, and what came."""
    came: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            came.append(await reader.readuntil(b"\r\n\r\n"))
            for part in parts:
                writer.write(part)
                await writer.drain()
            while endless:
                writer.write(endless)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, host, 0)
    async with server:
        yield f"http://{host}:{server.sockets[0].getsockname()[1]}/mcp", came
