"""A Semantic Kernel agent that retrieves by MCP."""

import asyncio
import json
import os

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.connectors.mcp import MCPStreamableHttpPlugin
from semantic_kernel.contents import FunctionResultContent

URL = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071") + "/agents/earth-at-night/mcp"


def sources(item: FunctionResultContent) -> list[str]:
    """The first sources that rag_retrieve found; none where the model chose another tool, or the call failed."""
    try:
        return json.loads(item.result[0].text)["chunk_sources"][:2]
    except (AttributeError, LookupError, TypeError, ValueError):
        return []


async def main() -> None:
    async with (
        streamablehttp_client(URL, headers={"api-key": os.environ["RETRIEVAL_API_KEY"]}) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()  # the plugin would wait forever for a session that a wrong key prevents
        async with MCPStreamableHttpPlugin("library", URL, session=session, load_prompts=False) as plugin:
            agent = ChatCompletionAgent(
                service=OpenAIChatCompletion(ai_model_id=os.environ.get("OPENAI_MODEL", "gpt-5-mini")),
                instructions="Answer from what rag_retrieve finds, and cite its chunk_sources in brackets.",
                plugins=[plugin],
            )
            answer = await agent.get_response("Why is the street grid of Phoenix so sharply visible from space?")
    print(answer)
    async for message in answer.thread.get_messages():
        for item in message.items:
            if isinstance(item, FunctionResultContent):
                print(sources(item) or item.name)


asyncio.run(main())
