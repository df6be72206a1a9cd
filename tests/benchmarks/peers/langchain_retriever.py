"""LangChain: `MultiQueryRetriever` over its vector store for Azure AI Search, semantic ranking.

The store's async semantic search sends every search twice.
"""

# mypy: ignore-errors

from contextlib import asynccontextmanager

from langchain_classic.retrievers import MultiQueryRetriever
from langchain_community.vectorstores.azuresearch import AzureSearch
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_openai import AzureChatOpenAI
from measure import KEY, QUESTION, run


@asynccontextmanager
async def peer(address):
    store = AzureSearch(address, KEY, "atlas", DeterministicFakeEmbedding(size=4), semantic_configuration_name="usual")
    model = AzureChatOpenAI(azure_endpoint=address, azure_deployment="planner", api_key=KEY, api_version="2024-10-21")
    one = store.as_retriever(search_type="semantic_hybrid", k=50)
    retriever = MultiQueryRetriever.from_llm(one, model)

    async def ask():
        return len(await retriever.ainvoke(QUESTION))

    yield ask
    await store.async_client.close()


run(peer)
