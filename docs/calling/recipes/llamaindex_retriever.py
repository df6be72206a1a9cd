"""A LlamaIndex retriever over a knowledge base, under a query engine that cites."""

import asyncio
import json
import logging
import os
from contextlib import aclosing

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient, aio
from azure.search.documents.knowledgebases.models import KnowledgeBaseReference, KnowledgeBaseRetrievalResponse
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.llms.openai import OpenAI

logger = logging.getLogger(__name__)


class KnowledgeBaseRetriever(BaseRetriever):
    """The passages that fit the base's budget, best first, scored by the ranker; `metadata` names the document."""

    def __init__(self, endpoint: str, knowledge_base: str, key: str) -> None:
        of = {"credential": AzureKeyCredential(key), "knowledge_base_name": knowledge_base}
        self._client = KnowledgeBaseRetrievalClient(endpoint, **of)
        self._async_client = aio.KnowledgeBaseRetrievalClient(endpoint, **of)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes(self._client.retrieve(request(query_bundle.query_str)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return nodes(await self._async_client.retrieve(request(query_bundle.query_str)))

    async def aclose(self) -> None:
        await self._async_client.close()


def request(query: str) -> dict:
    """The service plans the searches for the question; earlier turns may come before it."""
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": query}]}], "includeActivity": True}


def nodes(found: KnowledgeBaseRetrievalResponse) -> list[NodeWithScore]:
    for record in found.activity or ():
        if record.error:
            logger.warning("A search failed, the others' results are here: %s", record.error.message)
    references = {reference.id: reference for reference in found.references or ()}
    passages = json.loads(found.response[0].content[0].text)
    return [node(passage, references[str(passage["ref_id"])]) for passage in passages]


def node(passage: dict, reference: KnowledgeBaseReference) -> NodeWithScore:
    metadata = {"source": reference.doc_key, "title": passage["title"]}
    return NodeWithScore(node=TextNode(text=passage["content"], metadata=metadata), score=reference.reranker_score)


async def main() -> None:
    endpoint = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071")
    retriever = KnowledgeBaseRetriever(endpoint, "earth-at-night", os.environ["RETRIEVAL_API_KEY"])
    engine = CitationQueryEngine.from_args(None, llm=OpenAI(model="gpt-5-mini"), retriever=retriever)
    async with aclosing(retriever):
        answer = await engine.aquery("Why is the street grid of Phoenix so sharply visible from space?")
    print(answer)
    for number, source in enumerate(answer.source_nodes[:2], 1):
        print(number, source.node.metadata, source.score)


asyncio.run(main())
