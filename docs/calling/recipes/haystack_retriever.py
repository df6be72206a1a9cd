"""A Haystack component that retrieves from a knowledge base, in a pipeline that answers with citations."""

import asyncio
import json
import logging
import os

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.knowledgebases import KnowledgeBaseRetrievalClient, aio
from azure.search.documents.knowledgebases.models import KnowledgeBaseReference, KnowledgeBaseRetrievalResponse
from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

logger = logging.getLogger(__name__)

PROMPT = """Answer from these passages alone, and cite each by the number in its brackets.
{% for document in documents %}
[{{ loop.index }}] {{ document.content }}
{% endfor %}
Question: {{ question }}"""


@component
class KnowledgeBaseRetriever:
    """The passages that fit the base's budget, best first; `Document.id` is the document's key."""

    def __init__(self, endpoint: str, knowledge_base: str, api_key: Secret) -> None:
        self.endpoint = endpoint
        self.knowledge_base = knowledge_base
        self.api_key = api_key

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict:
        with KnowledgeBaseRetrievalClient(**self._of()) as client:
            return {"documents": documents(client.retrieve(request(query)))}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str) -> dict:
        async with aio.KnowledgeBaseRetrievalClient(**self._of()) as client:
            return {"documents": documents(await client.retrieve(request(query)))}

    def _of(self) -> dict:
        key = AzureKeyCredential(self.api_key.resolve_value())
        return {"endpoint": self.endpoint, "knowledge_base_name": self.knowledge_base, "credential": key}


def request(query: str) -> dict:
    """The service plans the searches for the question; earlier turns may come before it."""
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": query}]}], "includeActivity": True}


def documents(found: KnowledgeBaseRetrievalResponse) -> list[Document]:
    for record in found.activity or ():
        if record.error:
            logger.warning("A search failed, the others' results are here: %s", record.error.message)
    references = {reference.id: reference for reference in found.references or ()}
    passages = json.loads(found.response[0].content[0].text)
    return [document(passage, references[str(passage["ref_id"])]) for passage in passages]


def document(passage: dict, reference: KnowledgeBaseReference) -> Document:
    meta = {"title": passage["title"]}
    return Document(id=reference.doc_key, content=passage["content"], meta=meta, score=reference.reranker_score)


async def main() -> None:
    endpoint = os.environ.get("RETRIEVAL_ENDPOINT", "http://localhost:7071")
    pipeline = Pipeline()
    key = Secret.from_env_var("RETRIEVAL_API_KEY")
    pipeline.add_component("retriever", KnowledgeBaseRetriever(endpoint, "earth-at-night", key))
    pipeline.add_component("prompt", ChatPromptBuilder([ChatMessage.from_user(PROMPT)], required_variables="*"))
    pipeline.add_component("model", OpenAIChatGenerator(model="gpt-5-mini"))
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt", "model")
    question = "Why is the street grid of Phoenix so sharply visible from space?"
    asked = {"retriever": {"query": question}, "prompt": {"question": question}}
    done = await pipeline.run_async(asked, include_outputs_from={"retriever"})
    print(done["model"]["replies"][0].text)
    for number, found in enumerate(done["retriever"]["documents"][:2], start=1):
        print(f"[{number}] {found.meta['title']}, {found.id}")


asyncio.run(main())
