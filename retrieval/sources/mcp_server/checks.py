"""Checks the MCP servers of knowledge sources. Each server must be allowed, must answer, and must have the tools that
its source lists.

The check lists the tools of each server, but does not call a tool.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from retrieval.errors import BackendError, BackendForbidden, BackendMissing, BackendTimeout
from retrieval.model.definitions import Source
from retrieval.model.finding import About, Finding
from retrieval.model.search import SearchTarget
from retrieval.model.tools import NOTHING_PASSED, ToolServer
from retrieval.ports import ToolServers
from retrieval.sources.mcp_server.hosts import McpHosts
from retrieval.text.counted_noun import how_many

SECONDS: Final = 20.0
_DO: Final[Mapping[type[BackendError], str]] = {
    BackendForbidden: "Correct the value in MCP_HEADERS, or let callers pass a header of their own on.",
    BackendMissing: "Correct serverURL, or the tools, in the definition of the source.",
    BackendTimeout: "See whether the server runs, and answers this app's network.",
    BackendError: "See that the server can be reached, and speaks MCP over streamable HTTP at serverURL.",
}


async def examine(
    servers: ToolServers | None, source: Source, server: ToolServer, hosts: McpHosts
) -> Sequence[Finding]:
    """The findings about the server of a source."""
    about = About("mcp server", source.name)
    if (fault := hosts.fault(server.url)) is not None or servers is None:
        return [about.fault(fault or "No host may be called.", "Add its host to MCP_HOSTS, or correct serverURL.")]
    target = SearchTarget(index=server.url, threshold=0, source=source.name, kind="mcpServer", server=server)
    try:
        async with asyncio.timeout(SECONDS):
            tools = await servers.tools(target, NOTHING_PASSED)
    except TimeoutError:
        return [about.fault(f"It did not answer within {SECONDS:.0f} s.", _DO[BackendTimeout])]
    except BackendError as error:
        do = next(do for kind, do in _DO.items() if isinstance(error, kind))
        if not server.headers and isinstance(error, BackendForbidden):
            return [about.warning(f"{error} Its source has no header: callers bring one.", do)]
        return [about.fault(str(error), do)]
    names = {tool.name for tool in tools}
    others = [tool.name for tool in server.tools if tool.name not in names]
    if others:
        sentence = (
            f"It answers, but these tools are not there, or do not say readOnlyHint: {', '.join(map(repr, others))}."
        )
        return [about.warning(sentence, "Take them out of the source, or name them in MCP_UNMARKED_TOOLS.")]
    return [about.ok(f"It answers, and has {how_many(len(names), 'tool')} that may be called.")]
