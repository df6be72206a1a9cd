"""A LangGraph graph that retrieves from a knowledge base, answers with citations and keeps what it cited from."""

import asyncio
import os
from contextlib import aclosing
from typing import TypedDict

from langchain_core.documents import Document
from langchain_openai import ChatOpenAI
from langchain_retriever import KnowledgeBaseRetriever
from langgraph.graph import END, START, StateGraph

PROMPT = "Answer from these passages alone, and cite each by the number in its brackets."

retriever = KnowledgeBaseRetriever(knowledge_base="earth-at-night")
model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-5-mini"))


class State(TypedDict, total=False):
    question: str
    documents: list[Document]
    answer: str


async def retrieve(state: State) -> State:
    return {"documents": await retriever.ainvoke(state["question"])}


async def answer(state: State) -> State:
    passages = "\n\n".join(f"[{n}] {one.page_content}" for n, one in enumerate(state["documents"], start=1))
    reply = await model.ainvoke([("system", f"{PROMPT}\n\n{passages}"), ("user", state["question"])])
    return {"answer": reply.text}


graph = StateGraph(State).add_node(retrieve).add_node(answer)
graph.add_edge(START, "retrieve").add_edge("retrieve", "answer").add_edge("answer", END)


async def main() -> None:
    question = "Why is the street grid of Phoenix so sharply visible from space?"
    async with aclosing(retriever):
        done = await graph.compile().ainvoke({"question": question})
    print(done["answer"])
    for number, document in enumerate(done["documents"][:2], start=1):
        print(f"[{number}] {document.metadata['title']}, {document.metadata['source']}")


asyncio.run(main())
