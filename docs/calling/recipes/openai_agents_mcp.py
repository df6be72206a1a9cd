"""An agent of the OpenAI Agents SDK that retrieves by MCP."""

import asyncio
import json
import os

from agents import Agent, Runner
from agents.items import ToolCallOutputItem
from agents.mcp import MCPServerStreamableHttp, create_static_tool_filter


async def main() -> None:
    endpoint = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071")
    headers = {"api-key": os.environ["RETRIEVAL_API_KEY"]}
    async with MCPServerStreamableHttp(
        {"url": f"{endpoint}/agents/earth-at-night/mcp", "headers": headers},
        tool_filter=create_static_tool_filter(allowed_tool_names=["rag_retrieve"]),
        client_session_timeout_seconds=240,  # as long as a call may take; the default is 5
        cache_tools_list=True,
    ) as server:
        agent = Agent(
            name="librarian",
            model=os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
            instructions="Answer from what rag_retrieve finds, and cite its chunk_sources in brackets.",
            mcp_servers=[server],
        )
        done = await Runner.run(agent, "Why is the street grid of Phoenix so sharply visible from space?")
    print(done.final_output)
    for item in done.new_items:
        if isinstance(item, ToolCallOutputItem):
            print(json.loads(item.output["text"])["chunk_sources"][:2])


asyncio.run(main())
