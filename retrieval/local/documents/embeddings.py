"""The vectors of texts by a deployment of Azure OpenAI, and the vector field that an index has for them.

The vectorizer of the index makes vectors of queries by the same deployment.
Reference: https://learn.microsoft.com/azure/search/vector-search-vectorizer-azure-open-ai
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from azure.core import PipelineClient
from azure.core.credentials import AzureKeyCredential, TokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.pipeline.policies import AzureKeyCredentialPolicy, BearerTokenCredentialPolicy, RetryPolicy
from azure.core.rest import HttpRequest

from retrieval.errors import BackendRefused, BackendUnavailable
from retrieval.local.corpora import JsonObject
from retrieval.local.documents.azure_index import unsigned
from retrieval.settings.settings import OPENAI_AUDIENCE

FIELD: Final = "text_vector"
SERVICE: Final = "Azure OpenAI"
API_VERSION: Final = "2024-10-21"
AT_ONCE: Final = 64
"""Texts of a call; 64 chunks are at most 32,768 tokens."""

DIMENSIONS: Final = {"text-embedding-3-small": 1_536, "text-embedding-3-large": 3_072, "text-embedding-ada-002": 1_536}
"""Of each model that a vectorizer can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectorizer:
    """A deployment of `model`."""

    endpoint: str
    deployment: str
    model: str

    def in_definition(self, definition: JsonObject) -> JsonObject:
        """The definition with the vector field and the vectorizer of queries."""
        fields = definition["fields"]
        assert isinstance(fields, list)
        field: JsonObject = {
            "name": FIELD,
            "type": "Collection(Edm.Single)",
            "searchable": True,
            "retrievable": False,
            "dimensions": DIMENSIONS[self.model],
            "vectorSearchProfile": "default",
        }
        deployed: JsonObject = {
            "resourceUri": self.endpoint,
            "deploymentId": self.deployment,
            "modelName": self.model,
        }
        search: JsonObject = {
            "algorithms": [{"name": "default", "kind": "hnsw"}],
            "vectorizers": [{"name": "default", "kind": "azureOpenAI", "azureOpenAIParameters": deployed}],
            "profiles": [{"name": "default", "algorithm": "default", "vectorizer": "default"}],
        }
        return {**definition, "fields": [*fields, field], "vectorSearch": search}


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """The vectors of documents' titles and texts."""

    client: "PipelineClient[Any, Any]"
    vectorizer: Vectorizer

    def fill(self, documents: Sequence[JsonObject]) -> Iterator[JsonObject]:
        """The documents with their vectors, as they are made. Raises BackendError."""
        left = iter(documents)
        while batch := list(islice(left, AT_ONCE)):
            vectors = self._vectors([f"{one['title']}\n\n{one['text']}" for one in batch])
            yield from ({**one, FIELD: vector} for one, vector in zip(batch, vectors, strict=True))

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        url = f"/openai/deployments/{self.vectorizer.deployment}/embeddings?api-version={API_VERSION}"
        request = HttpRequest("POST", f"{self.vectorizer.endpoint}{url}", json={"input": texts})
        try:
            response = self.client.send_request(request)
        except ClientAuthenticationError as error:
            raise BackendUnavailable(SERVICE, unsigned(error, "AZURE_OPENAI_API_KEY")) from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached: {str(error)[:300]}") from None
        if response.status_code != 200:
            raise BackendRefused(SERVICE, status=response.status_code, message=response.text()[:300])
        return [one["embedding"] for one in sorted(response.json()["data"], key=lambda one: one["index"])]


def client(
    endpoint: str, credential: AzureKeyCredential | TokenCredential, *, audience: str = OPENAI_AUDIENCE, **options: Any
) -> "PipelineClient[Any, Any]":
    """A pipeline that retries what is throttled. Tokens are for `audience`; `options` may have a transport."""
    admitted = (
        AzureKeyCredentialPolicy(credential, "api-key")
        if isinstance(credential, AzureKeyCredential)
        else BearerTokenCredentialPolicy(credential, f"{audience.rstrip('/')}/.default")
    )
    return PipelineClient(endpoint, policies=[RetryPolicy(retry_total=6), admitted], **options)
