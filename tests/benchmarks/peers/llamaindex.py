"""LlamaIndex: `QueryFusionRetriever` over its store for Azure AI Search, four planned queries and the question."""

# mypy: ignore-errors

from contextlib import asynccontextmanager

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.llms.azure_openai import AzureOpenAI
from llama_index.vector_stores.azureaisearch import AzureAISearchVectorStore
from measure import KEY, QUESTION, run


@asynccontextmanager
async def peer(address):
    async with SearchClient(address, "atlas", AzureKeyCredential(KEY)) as client:
        store = AzureAISearchVectorStore(
            async_search_or_index_client=client,
            search_or_index_client=client,
            id_field_key="id",
            chunk_field_key="content",
            embedding_field_key="embedding",
            metadata_string_field_key="metadata",
            doc_id_field_key="title",
            semantic_configuration_name="usual",
        )
        index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(embed_dim=4))
        llm = AzureOpenAI(
            engine="planner", model="gpt-4o", azure_endpoint=address, api_key=KEY, api_version="2024-10-21"
        )
        retriever = QueryFusionRetriever(
            [index.as_retriever(similarity_top_k=50, vector_store_query_mode="semantic_hybrid")],
            llm=llm,
            num_queries=5,
            similarity_top_k=250,
        )

        async def ask():
            return len(await retriever.aretrieve(QUESTION))

        yield ask


run(peer)
