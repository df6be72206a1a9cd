"""Haystack: `QueryExpander`, then `MultiQueryTextRetriever` over its retriever for Azure AI Search, five at once."""

# mypy: ignore-errors

import os
from contextlib import asynccontextmanager

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Pipeline
from haystack.components.generators.chat import AzureOpenAIChatGenerator
from haystack.components.query import QueryExpander
from haystack.components.retrievers import MultiQueryTextRetriever
from haystack.utils import Secret
from haystack_integrations.components.retrievers.azure_ai_search import AzureAISearchBM25Retriever
from haystack_integrations.document_stores.azure_ai_search import AzureAISearchDocumentStore
from measure import KEY, QUESTION, run


@asynccontextmanager
async def peer(address):
    store = AzureAISearchDocumentStore(
        azure_endpoint=Secret.from_token(address), api_key=Secret.from_token(KEY), index_name="atlas"
    )
    model = AzureOpenAIChatGenerator(
        azure_endpoint=address, azure_deployment="planner", api_key=Secret.from_token(KEY), api_version="2024-10-21"
    )
    one = AzureAISearchBM25Retriever(
        document_store=store, top_k=50, query_type="semantic", semantic_configuration_name="usual"
    )
    pipeline = Pipeline()
    pipeline.add_component("plan", QueryExpander(chat_generator=model, n_expansions=5, include_original_query=False))
    pipeline.add_component("search", MultiQueryTextRetriever(retriever=one, max_workers=5))
    pipeline.connect("plan.queries", "search.queries")

    async def ask():
        done = await pipeline.run_async({"plan": {"query": QUESTION}})
        return len(done.get("search", {}).get("documents", ()))

    yield ask


run(peer)
