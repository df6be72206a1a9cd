"""A session with an MCP server. When a session begins, the server agrees on a version of the protocol and lists its
tools."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final

from retrieval.errors import BackendError, BackendUnanswered, BackendUnavailable
from retrieval.model.tools import Tool, ToolCall
from retrieval.sources.mcp_server import messages
from retrieval.sources.mcp_server.messages import Members
from retrieval.sources.mcp_server.search.exchange import SESSION, VERSION, Server, send
from retrieval.text import strict_json

OPEN_SECONDS: Final = 15.0
CALL_SECONDS: Final = 100.0
END_SECONDS: Final = 1.0
MOST_PAGES: Final = 10

_call_ids: Final = count(100)
"""The ids of calls. No two requests of a session have the same id, since callers share a session. Source: MCP, base
protocol, requests. Lower ids are those of the requests that begin a session."""

_ID: Final = re.compile(r"[\x21-\x7e]{1,1000}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open session. `tools` are the server's tools by name, from at most MOST_PAGES pages. If two tools have the
    same name, the first tool is used."""

    id: str | None
    version: str
    tools: Mapping[str, Tool]

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every later message in the session."""
        return {VERSION: self.version} | ({} if self.id is None else {SESSION: self.id})


async def begin(server: Server) -> Session:
    """A new session. Raises BackendError."""
    ids = count(1)
    first = await _ask(server, "initialize", messages.initialize(), id=next(ids), headers={}, seconds=OPEN_SECONDS)
    version, id = messages.version_of(first[0], service=server.service), first[1]
    if id is not None and not _ID.fullmatch(id):
        raise BackendUnanswered(server.service, "gave its session an id that is none.", why="unreadable")
    bare = Session(id=id, version=version, tools={})
    initialized = messages.notification("notifications/initialized")
    await send(server, initialized, headers=bare.headers, seconds=OPEN_SECONDS)
    tools: dict[str, Tool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        params = {} if cursor is None else {"cursor": cursor}
        result, _ = await _ask(server, "tools/list", params, id=next(ids), headers=bare.headers, seconds=OPEN_SECONDS)
        page, cursor = messages.tools_of(result)
        for tool in page:
            tools.setdefault(tool.name, tool)
        if cursor is None:
            break
    return Session(id=id, version=version, tools=tools)


async def call(server: Server, session: Session, call: ToolCall) -> Members:
    """The output of a tool. Raises BackendError, also if the tool reports a failure."""
    params = {"name": call.tool, "arguments": strict_json.read_body(call.arguments.encode())}
    tool = session.tools.get(call.tool)
    repeatable = tool is not None and tool.repeatable
    id, headers = next(_call_ids), session.headers
    result, _ = await _ask(
        server, "tools/call", params, id=id, headers=headers, seconds=CALL_SECONDS, repeatable=repeatable
    )
    if (reason := messages.failure_of(result)) is not None:
        raise BackendUnavailable(server.service, f"has a tool that failed, {call.tool!r}: {reason}", of="tool")
    return result


async def end(server: Server, session: Session) -> None:
    """End a session. An error of the server is ignored."""
    if session.id is not None:
        with suppress(BackendError):
            await send(server, b"", headers=session.headers, seconds=END_SECONDS)


async def _ask(
    server: Server,
    method: str,
    params: Mapping[str, object],
    *,
    id: int,
    headers: Mapping[str, str],
    seconds: float,
    repeatable: bool = True,
) -> tuple[Members, str | None]:
    message = messages.request(method, params, id=id)
    answer = await send(server, message, id=id, headers=headers, seconds=seconds, repeatable=repeatable)
    return answer.result or {}, answer.session_id
