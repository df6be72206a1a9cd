"""LangChain: a question made to stand alone, its vector store for Azure AI Search, and an answer that streams."""

# mypy: ignore-errors

from contextlib import asynccontextmanager

from langchain_community.vectorstores.azuresearch import AzureSearch
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import AzureChatOpenAI
from timed import KEY, QUESTION, run


@asynccontextmanager
async def chain_over(address, how):
    store = AzureSearch(address, KEY, "atlas", DeterministicFakeEmbedding(size=4), semantic_configuration_name="usual")
    model = AzureChatOpenAI(azure_endpoint=address, azure_deployment="planner", api_key=KEY, api_version="2024-10-21")
    retriever = store.as_retriever(search_type="semantic_hybrid", k=8)
    condense = ChatPromptTemplate.from_template("Make a standalone question: {question}") | model | StrOutputParser()
    prompt = ChatPromptTemplate.from_template(f"Answer {{question}} from these and cite them. {how}\n\n{{passages}}")
    passages = retriever | (lambda documents: "\n\n".join(one.page_content for one in documents))
    chain = {"passages": condense | passages, "question": lambda _: QUESTION} | prompt | model | StrOutputParser()

    yield lambda: chain.astream({"question": QUESTION})
    await store.async_client.close()


run(chain_over)
