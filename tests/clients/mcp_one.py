"""Drives the official `mcp` package 1.x, unmodified, and prints what it saw as one JSON object: `mcp_one.py JOBS`.

JOBS is a JSON object of a name to `{"url", "headers", "calls": {name: [tool, arguments]}}`. Runs in an environment of
its own; the project's has the package 2.x, by which no types of this one can be checked.
"""

# mypy: ignore-errors

import asyncio
import json
import logging
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

logging.disable(logging.CRITICAL)


def said(error: BaseException) -> str:
    """What its user sees: the package's errors come in groups."""
    if isinstance(error, BaseExceptionGroup):
        return " | ".join(said(one) for one in error.exceptions)
    return f"{type(error).__name__}: {error}"


async def calls(session: ClientSession, asked: dict[str, Any]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for name, (tool, arguments) in asked.items():
        try:
            seen[name] = (await session.call_tool(tool, arguments)).model_dump(mode="json", by_alias=True)
        except Exception as error:
            seen[name] = {"raised": said(error)}
    return seen


async def job(url: str, headers: dict[str, str], asked: dict[str, Any]) -> dict[str, Any]:
    try:
        async with (
            streamablehttp_client(url, headers=headers) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            started = await session.initialize()
            tools = (await session.list_tools()).model_dump(mode="json", by_alias=True)["tools"]
            await session.send_ping()
            return {"version": started.protocolVersion, "tools": tools, "calls": await calls(session, asked)}
    except BaseException as error:
        return {"raised": said(error)}


async def main() -> None:
    jobs = json.loads(sys.argv[1])
    print(json.dumps({name: await job(one["url"], one["headers"], one["calls"]) for name, one in jobs.items()}))


asyncio.run(main())
