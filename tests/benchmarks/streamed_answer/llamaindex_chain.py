"""LlamaIndex: a question made to stand alone, its store for Azure AI Search, and an answer that streams."""

# mypy: ignore-errors

from contextlib import asynccontextmanager

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.aio import SearchClient
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.llms.azure_openai import AzureOpenAI
from llama_index.vector_stores.azureaisearch import AzureAISearchVectorStore
from timed import KEY, QUESTION, run


@asynccontextmanager
async def chain_over(address, how):
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
        retriever = index.as_retriever(similarity_top_k=8, vector_store_query_mode="semantic_hybrid")

        async def chain():
            question = await llm.acomplete(f"Make a standalone question: {QUESTION}")
            nodes = await retriever.aretrieve(question.text)
            passages = "\n\n".join(node.get_content() for node in nodes)
            async for piece in await llm.astream_complete(f"Answer {QUESTION} from these. {how}\n\n{passages}"):
                yield piece.delta or ""

        yield chain


run(chain_over)
