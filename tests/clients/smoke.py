"""Asks a deployed service one question with a client of Microsoft's: `smoke.py ENDPOINT NAME QUESTION`.

The oldest client asks the agent of that name, later ones the knowledge base. The key is taken from RETRIEVAL_KEY. An
instance that is still starting is asked again by the client. Exit code 0 when the answer has a step for each sub-query
and none of them failed.
"""

# mypy: ignore-errors

import os
import sys

from azure.core.credentials import AzureKeyCredential

OPTIONS = {"retry_total": 5, "read_timeout": 90}

try:
    from azure.search.documents import agent
    from azure.search.documents.agent import models
except ImportError:
    from azure.search.documents import knowledgebases
    from azure.search.documents.knowledgebases import models

    agent = None


def asked(endpoint, name, question, credential):
    """The answer to the question: of an agent by a message, of a base by an intent."""
    if agent is not None:
        content = [models.KnowledgeAgentMessageTextContent(text=question)]
        message = models.KnowledgeAgentMessage(role="user", content=content)
        request = models.KnowledgeAgentRetrievalRequest(messages=[message])
        client = agent.KnowledgeAgentRetrievalClient(endpoint, name, credential, **OPTIONS)
    else:
        intents = [models.KnowledgeRetrievalSemanticIntent(search=question)]
        request = models.KnowledgeBaseRetrievalRequest(intents=intents, include_activity=True)
        client = knowledgebases.KnowledgeBaseRetrievalClient(endpoint, credential, knowledge_base_name=name, **OPTIONS)
    answer = client.retrieve(request)
    client.close()
    return answer


def failure(record):
    """The error of a step; the oldest client keeps it beside the members that it knows."""
    return getattr(record, "error", None) or getattr(record, "additional_properties", {}).get("error")


def main(endpoint, name, question):
    """0 when the service answered well."""
    result = asked(endpoint, name, question, AzureKeyCredential(os.environ["RETRIEVAL_KEY"]))
    failed = [error for record in result.activity if (error := failure(record))]
    print(f"{len(result.activity)} steps, {len(result.references)} references, {len(failed)} failed: {failed}")
    return 0 if result.response and result.activity and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
