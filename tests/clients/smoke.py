"""Asks a deployed service one question with Microsoft's client: `smoke.py ENDPOINT AGENT QUESTION`.

The key is taken from RETRIEVAL_KEY. An instance that is still starting is asked again by the client. Exit code 0 when
the answer has a step for each sub-query and none of them failed.
"""

import os
import sys

from azure.core.credentials import AzureKeyCredential
from azure.search.documents.agent import KnowledgeAgentRetrievalClient
from azure.search.documents.agent.models import (
    KnowledgeAgentMessage,
    KnowledgeAgentMessageTextContent,
    KnowledgeAgentRetrievalRequest,
)


def main(endpoint: str, agent: str, question: str) -> int:
    """0 when the service answered well."""
    credential = AzureKeyCredential(os.environ["RETRIEVAL_KEY"])
    content = [KnowledgeAgentMessageTextContent(text=question)]
    request = KnowledgeAgentRetrievalRequest(messages=[KnowledgeAgentMessage(role="user", content=content)])
    client = KnowledgeAgentRetrievalClient(endpoint, agent, credential, retry_total=5, read_timeout=90)
    result = client.retrieve(request)
    client.close()
    failed = [record.additional_properties["error"] for record in result.activity if _failed(record)]
    print(f"{len(result.activity)} steps, {len(result.references)} references, {len(failed)} failed: {failed}")
    return 0 if result.response and result.activity and not failed else 1


def _failed(record: object) -> bool:
    return "error" in getattr(record, "additional_properties", {})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
