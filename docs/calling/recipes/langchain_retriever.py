"""A LangChain retriever over a knowledge base."""

import json
import logging
import os
from collections.abc import Iterable
from functools import cached_property

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient, aio
from azure.search.documents.knowledgebases.models import KnowledgeBaseRetrievalResponse
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

ENDPOINT = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071")
logger = logging.getLogger(__name__)


class KnowledgeBaseRetriever(BaseRetriever):
    """The passages that fit the base's budget, best first; `metadata` has what a citation needs."""

    knowledge_base: str
    endpoint: str = ENDPOINT

    def _get_relevant_documents(self, query, *, run_manager):
        return list(documents(self._client.retrieve(request(query))))

    async def _aget_relevant_documents(self, query, *, run_manager):
        return list(documents(await self._async_client.retrieve(request(query))))

    async def aclose(self):
        await self._async_client.close()

    @cached_property
    def _client(self):
        return KnowledgeBaseRetrievalClient(self.endpoint, key(), knowledge_base_name=self.knowledge_base)

    @cached_property
    def _async_client(self):
        return aio.KnowledgeBaseRetrievalClient(self.endpoint, key(), knowledge_base_name=self.knowledge_base)


def key() -> AzureKeyCredential:
    return AzureKeyCredential(os.environ["RETRIEVAL_API_KEY"])


def request(query: str) -> dict:
    """The service plans the searches for the question; earlier turns may come before it."""
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": query}]}], "includeActivity": True}


def documents(found: KnowledgeBaseRetrievalResponse) -> Iterable[Document]:
    for record in found.activity or ():
        if record.error:
            logger.warning("A search failed, the others' results are here: %s", record.error.message)
    references = {reference.id: reference for reference in found.references or ()}
    for passage in json.loads(found.response[0].content[0].text):
        reference = references[str(passage["ref_id"])]
        metadata = {"source": reference.doc_key, "title": passage["title"], "score": reference.reranker_score}
        yield Document(id=reference.doc_key, page_content=passage["content"], metadata=metadata)


if __name__ == "__main__":
    retriever = KnowledgeBaseRetriever(knowledge_base="earth-at-night")
    for document in retriever.invoke("Why is the street grid of Phoenix so sharply visible from space?")[:2]:
        print(document.metadata, document.page_content[:60])
