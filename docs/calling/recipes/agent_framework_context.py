"""Microsoft Agent Framework's own context provider for Azure AI Search, in agentic mode, unmodified."""

import asyncio
import os

from agent_framework import Agent, ContextProvider
from agent_framework.openai import OpenAIChatClient
from agent_framework_azure_ai_search import AzureAISearchContextProvider


class References(ContextProvider):
    """Keeps in the session what the last answer may cite; the provider gives it to the model alone."""

    async def after_run(self, *, agent, session, context, state) -> None:
        messages = context.context_messages.get(AzureAISearchContextProvider.DEFAULT_SOURCE_ID, ())
        contents = [content for message in messages for content in message.contents]
        state["found"] = next((content.annotations for content in contents if content.annotations), [])


async def main() -> None:
    retrieval = AzureAISearchContextProvider(
        endpoint=os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071"),
        api_key=os.environ["RETRIEVAL_ADMIN_KEY"],  # it reads the definition of the base
        mode="agentic",
        knowledge_base_name="earth-at-night",
        retrieval_reasoning_effort="low",  # plans for the conversation; "minimal" searches it as it is
    )
    async with (
        retrieval,
        Agent(
            client=OpenAIChatClient(model=os.environ.get("OPENAI_MODEL", "gpt-5-mini")),
            instructions="Answer from the context alone, and cite its ref_id in brackets.",
            context_providers=[retrieval, References("references")],
        ) as agent,
    ):
        session = agent.create_session()
        answer = await agent.run("Why is the street grid of Phoenix so sharply visible from space?", session=session)
    print(answer.text)
    for reference in session.state["references"]["found"][:2]:
        facts = reference["additional_properties"]
        print(facts["reference_id"], facts["doc_key"], facts.get("reranker_score"))


asyncio.run(main())
