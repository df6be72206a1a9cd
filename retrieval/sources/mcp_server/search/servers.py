"""Decides which tools of an MCP server may be called, calls them, and returns the documents in their output. When a
session begins, the server agrees on a version of the protocol and lists its tools."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Final

from retrieval import threads
from retrieval.errors import (
    BackendError,
    BackendMissing,
    BackendRefused,
    BackendTimeout,
    BackendUnanswered,
    BackendUnavailable,
)
from retrieval.model.search import Page, SearchTarget, Subquery
from retrieval.model.tools import Passed, Tool, ToolCall, ToolServer
from retrieval.outgoing.breakers_and_retries import Breaker
from retrieval.sources.mcp_server import messages, output
from retrieval.sources.mcp_server.hosts import HOPS, McpHost, McpHosts, header_fault
from retrieval.sources.mcp_server.messages import Members
from retrieval.sources.mcp_server.search.exchange import SESSION, VERSION, Connections, McpAnswer, Server, send
from retrieval.text import strict_json
from retrieval.version import SERVICE

KEPT_SECONDS: Final = 300.0
MOST_KEPT: Final = 200
MOST_HOPS: Final = 1
EVERY_TOOL: Final = "*"
OPEN_SECONDS: Final = 15.0
CALL_SECONDS: Final = 100.0
END_SECONDS: Final = 1.0
MOST_PAGES: Final = 10

UNMARKED: Final = (
    "has no tool that may be called: {names} of those that its source lists do not say that they only read "
    "(readOnlyHint). The setting MCP_UNMARKED_TOOLS names tools that may be called all the same."
)
FAR: Final = "was not called: the request came through a knowledge base already, and one more is not asked."
FILTERED: Final = "documents of an MCP server cannot be limited by a filter, so it is not asked"

_call_ids: Final = count(100)
"""The ids of calls. No two requests of a session have the same id, since callers share a session. Source: MCP, base
protocol, requests. Lower ids are those of the requests that begin a session."""

_ID: Final = re.compile(r"[\x21-\x7e]{1,1000}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session with a server. `tools` are the server's tools by name, from at most MOST_PAGES pages. If two tools have
    the same name, the first tool is used. The message that begins a session has neither an id nor a version."""

    server: Server
    id: str | None = None
    version: str | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every message in the session."""
        headers = {VERSION: self.version, SESSION: self.id}
        return {name: value for name, value in headers.items() if value is not None}

    async def call(self, call: ToolCall) -> Members:
        """The output of a tool. Raises BackendError, also if the tool reports a failure."""
        params = {"name": call.tool, "arguments": strict_json.read_body(call.arguments.encode())}
        repeatable = call.tool in self.tools and self.tools[call.tool].repeatable
        answer = await self.ask("tools/call", params, id=next(_call_ids), seconds=CALL_SECONDS, repeatable=repeatable)
        result = answer.result or {}
        if (reason := messages.failure_of(result)) is not None:
            raise BackendUnavailable(self.server.service, f"has a tool that failed, {call.tool!r}: {reason}", of="tool")
        return result

    async def end(self) -> None:
        """End the session. An error of the server is ignored."""
        if self.id is not None:
            with suppress(BackendError):
                await send(self.server, b"", headers=self.headers, seconds=END_SECONDS)

    async def ask(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        id: int,
        seconds: float = OPEN_SECONDS,
        repeatable: bool = True,
    ) -> McpAnswer:
        """The answer to a request. Raises BackendError."""
        message = messages.request(method, params, id=id)
        return await send(self.server, message, id=id, headers=self.headers, seconds=seconds, repeatable=repeatable)


async def begin(server: Server) -> Session:
    """A new session. Raises BackendError."""
    ids = count(1)
    client = {"name": SERVICE, "version": "1"}
    params = {"protocolVersion": messages.NEWEST, "capabilities": {}, "clientInfo": client}
    answer = await Session(server=server).ask("initialize", params, id=next(ids))
    version, id = messages.version_of(answer.result or {}, service=server.service), answer.session_id
    if id is not None and not _ID.fullmatch(id):
        raise BackendUnanswered(server.service, "gave its session an id that is none.", why="unreadable")
    session = Session(server=server, id=id, version=version)
    await send(server, messages.INITIALIZED, headers=session.headers, seconds=OPEN_SECONDS)
    tools: dict[str, Tool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        answer = await session.ask("tools/list", {} if cursor is None else {"cursor": cursor}, id=next(ids))
        page, cursor = messages.tools_of(answer.result or {})
        for tool in page:
            tools.setdefault(tool.name, tool)
        if cursor is None:
            break
    return replace(session, tools=tools)


@dataclass(slots=True, kw_only=True)
class KeptSession:
    """A session that is kept for `seconds`, until `until`, a time of the event loop's clock. While the task `beginning`
    starts a session, all callers wait for this task. `calls` is the number of calls that may use the session. A
    displaced session is ended after its last call."""

    server: Server
    breaker: Breaker
    seconds: float
    beginning: asyncio.Task[Session] | None = None
    session: Session | None = None
    until: float = 0.0
    calls: int = 0
    is_displaced: bool = False

    async def open(self) -> Session:
        """The kept session, or a new session if there is none. Raises BackendError."""
        if self.session is not None:
            return self.session
        if self.beginning is None:
            self.beginning = asyncio.create_task(self._begin())
            self.beginning.add_done_callback(self._has_begun)
        return await asyncio.shield(self.beginning)

    async def close(self) -> None:
        """End the session. An error of the server is ignored."""
        if self.beginning is not None:
            self.beginning.cancel()
        if self.session is not None:
            await self.session.end()

    async def _begin(self) -> Session:
        with self.breaker.call():
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    self.session = await begin(self.server)
            except TimeoutError:
                raise BackendTimeout(self.server.service, seconds=OPEN_SECONDS) from None
        self.until = _now() + self.seconds
        return self.session

    def _has_begun(self, task: asyncio.Task[Session]) -> None:
        """Reads the error of the task, because perhaps no caller waits for the task any more."""
        self.beginning = None
        if not task.cancelled():
            task.exception()


class McpServers:
    """The MCP servers on `hosts`. `values` maps each host to header values. A source refers to a header value by its
    name.

    `unmarked` are the names of tools that may be called even if they are not marked as read-only; `*` is every tool. A
    session serves further calls for `kept_seconds`.
    """

    def __init__(
        self,
        hosts: McpHosts,
        *,
        values: Mapping[McpHost, Mapping[str, str]],
        unmarked: Collection[str],
        kept_seconds: float = KEPT_SECONDS,
    ) -> None:
        self._hosts = hosts
        self._values = dict(values)
        self._unmarked = frozenset(unmarked)
        self._kept_seconds = kept_seconds
        self._connections = Connections(hosts)
        self._kept: dict[tuple[str, str, tuple[tuple[str, str], ...]], KeptSession] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._breakers: dict[str, Breaker] = {}

    async def tools(self, target: SearchTarget, passed: Passed) -> tuple[Tool, ...]:
        """The tools of a target that may be called, in the order of its source. Raises BackendError."""
        server = _server_of(target)
        with self._session(target, server, passed) as kept:
            return self._usable(await kept.open(), server, kept.server.service)

    async def search(self, subquery: Subquery) -> Page:
        """The documents in the output of a tool call. Raises BackendError."""
        target, call, server = subquery.target, subquery.call, _server_of(subquery.target)
        with self._session(target, server, subquery.passed) as kept:
            service = kept.server.service
            if target.filter is not None:
                raise BackendRefused(service, status=400, message=FILTERED)
            if call is None:
                raise BackendUnavailable(service, "has no tool for this query.")
            opened = await kept.open()
            if call.tool not in (tool.name for tool in self._usable(opened, server, service)):
                raise BackendMissing(service, kind="tool", hint="It may not be called.")
            try:
                result = await opened.call(call)
            except BackendMissing:
                if opened.id is None:
                    raise
                if kept.session is opened:
                    kept.session = None
                result = await (await kept.open()).call(call)
            tool, source = server.listed(call.tool), target.source_name
            reading = partial(output.page, result, tool, source=source, service=service)
            return await threads.work(threads.MUCH + 1, reading)

    async def close(self) -> None:
        """End the sessions and close the connections."""
        async with asyncio.TaskGroup() as group:
            for kept in self._kept.values():
                group.create_task(kept.close())
        await asyncio.gather(*self._ending)
        await self._connections.close()

    def _usable(self, opened: Session, server: ToolServer, service: str) -> tuple[Tool, ...]:
        """The tools that the source lists, the server has, and this deployment may call. Raises BackendUnavailable if
        there are none."""
        there = [opened.tools[tool.name] for tool in server.tools if tool.name in opened.tools]
        if not there:
            raise BackendMissing(service, kind="tool", hint="It has none of those that its source lists.")
        every = EVERY_TOOL in self._unmarked
        usable = tuple(tool for tool in there if every or tool.read_only or tool.name in self._unmarked)
        if not usable:
            reason = UNMARKED.format(names=", ".join(repr(tool.name) for tool in there))
            raise BackendUnavailable(service, reason, of="unmarked")
        return usable

    @contextmanager
    def _session(self, target: SearchTarget, server: ToolServer, passed: Passed) -> Iterator[KeptSession]:
        """The session with a server for the headers of the source and the caller. It is not ended within the block.
        Raises BackendUnavailable if the server may not be called or a header value is missing."""
        kept = self._keep(target, server, passed)
        kept.calls += 1
        try:
            yield kept
        finally:
            kept.calls -= 1
            self._end_unused(kept)

    def _keep(self, target: SearchTarget, server: ToolServer, passed: Passed) -> KeptSession:
        """The kept session, or a new one that displaces the session whose last use is the longest ago. Raises
        BackendUnavailable."""
        service = f"The MCP server of {target.source_name!r}"
        if not self._hosts.hosts:
            raise BackendUnavailable(service, "may not be called: the setting MCP_HOSTS is empty.")
        host = self._hosts.host_of(server.url)
        if host is None:
            reason = "may not be called: the setting MCP_HOSTS does not name its host."
            raise BackendUnavailable(service, reason, of="host")
        if passed.hops >= MOST_HOPS:
            raise BackendUnavailable(service, FAR)
        of_caller = passed.headers.get(target.source_name, ())
        stored, secrets = _stored(server, self._values.get(host, {}), service=service)
        headers = {**stored, **{name.lower(): value for name, value in of_caller}}
        key = (target.source_name, server.url, tuple(sorted(headers.items())))
        kept = self._kept.pop(key, None)
        if kept is not None and kept.session is not None and _now() >= kept.until:
            self._displace(kept)
            kept = None
        while len(self._kept) >= MOST_KEPT:
            self._displace(self._kept.pop(next(iter(self._kept))))
        self._kept[key] = kept or KeptSession(
            seconds=self._kept_seconds,
            breaker=self._breakers.setdefault(server.url, Breaker(service)),
            server=Server(
                url=server.url,
                service=service,
                session=self._connections.of(host),
                headers={**headers, HOPS: str(passed.hops + 1)},
                secrets=secrets,
            ),
        )
        return self._kept[key]

    def _displace(self, kept: KeptSession) -> None:
        kept.is_displaced = True
        self._end_unused(kept)

    def _end_unused(self, kept: KeptSession) -> None:
        """End a displaced session that no call uses."""
        if kept.is_displaced and kept.calls == 0:
            task = asyncio.create_task(kept.close())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)


def _stored(server: ToolServer, values: Mapping[str, str], *, service: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The headers of a source with the configured values for its host, and the secrets that are replaced in the
    server's answers. Raises BackendUnavailable for a missing or invalid value."""
    headers: dict[str, str] = {}
    for name, place in server.headers:
        value = values.get(place)
        if value is None or header_fault(name, value):
            reason = f"needs the value {place!r}, which the setting MCP_HEADERS lacks for its host."
            raise BackendUnavailable(service, reason, of="header")
        headers[name.lower()] = value
    parts = {part for value in headers.values() for part in (value, value.rpartition(" ")[2])}
    return headers, tuple(sorted(parts, key=len, reverse=True))


def _server_of(target: SearchTarget) -> ToolServer:
    if target.server is None:
        raise BackendUnavailable("This deployment", f"has no MCP server for {target.source_name!r}.")
    return target.server


def _now() -> float:
    return asyncio.get_running_loop().time()
