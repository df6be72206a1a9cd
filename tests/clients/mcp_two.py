"""Drives the official `mcp` package 2.x, unmodified, and prints what it saw as one JSON object: `mcp_two.py JOBS`.

JOBS as `mcp_one.py` takes them; with `sessions` of a job so many clients do it at once.
"""

import asyncio
import json
import logging
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

logging.disable(logging.CRITICAL)


def said(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return " | ".join(said(one) for one in error.exceptions)
    return f"{type(error).__name__}: {error}"


async def calls(client: Client, asked: dict[str, Any]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for name, (tool, arguments) in asked.items():
        try:
            seen[name] = (await client.call_tool(tool, arguments)).model_dump(mode="json", by_alias=True)
        except Exception as error:
            seen[name] = {"raised": said(error)}
    return seen


async def job(one: dict[str, Any]) -> dict[str, Any]:
    try:
        async with (
            httpx2.AsyncClient(headers=one["headers"], timeout=60) as http,
            Client(streamable_http_client(one["url"], http_client=http), mode=one.get("mode", "auto")) as client,
        ):
            tools = (await client.list_tools()).model_dump(mode="json", by_alias=True)["tools"]
            seen = await calls(client, one["calls"])
            return {"version": client.protocol_version, "tools": tools, "calls": seen}
    except BaseException as error:
        return {"raised": said(error)}


async def main() -> None:
    jobs = json.loads(sys.argv[1])
    seen: dict[str, Any] = {}
    for name, one in jobs.items():
        done = await asyncio.gather(*(job(one) for _ in range(one.get("sessions", 1))))
        seen[name] = done if "sessions" in one else done[0]
    print(json.dumps(seen))


asyncio.run(main())
