"""The vectors of texts by a deployment of Azure OpenAI, and the vector field that an index has for them.

The vectorizer of the index makes vectors of queries by the same deployment.
Reference: https://learn.microsoft.com/azure/search/vector-search-vectorizer-azure-open-ai
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from azure.core import PipelineClient
from azure.core.credentials import AzureKeyCredential, TokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError
from azure.core.pipeline.policies import AzureKeyCredentialPolicy, BearerTokenCredentialPolicy, RetryPolicy
from azure.core.rest import HttpRequest, HttpResponse

from retrieval.errors import BackendRefused, BackendUnavailable
from retrieval.local.corpora import JsonObject
from retrieval.local.documents.azure_index import unsigned
from retrieval.outgoing.bodies import UNREAD, UNREADABLE
from retrieval.settings.settings import OPENAI_AUDIENCE

FIELD: Final = "text_vector"
SERVICE: Final = "Azure OpenAI"
API_VERSION: Final = "2024-10-21"
AT_ONCE: Final = 64
"""Texts of a call; 64 chunks are at most 32,768 tokens."""

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of an answer: 64 vectors of 3,072 numbers take 4 MB."""

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
    """The vectors of documents' titles and texts. A `key` of the service is not in the errors."""

    client: "PipelineClient[Any, Any]"
    vectorizer: Vectorizer
    key: str | None = field(default=None, repr=False)

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
            with self.client.send_request(request, stream=True) as response:
                content = _content(response)
        except ClientAuthenticationError as error:
            raise BackendUnavailable(SERVICE, unsigned(error, "AZURE_OPENAI_API_KEY")) from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached: {str(error)[:300]}") from None
        if response.status_code != 200:
            message = content.decode("utf-8", "replace").replace(self.key or "\0", "<redacted>")
            raise BackendRefused(SERVICE, status=response.status_code, message=message[:300])
        try:
            rows = sorted(json.loads(content)["data"], key=lambda row: row["index"])
            vectors = [_vector(row["embedding"], DIMENSIONS[self.vectorizer.model]) for row in rows]
        except UNREAD:
            raise BackendUnavailable(SERVICE, UNREADABLE) from None
        if len(vectors) != len(texts):
            raise BackendUnavailable(SERVICE, UNREADABLE)
        return vectors


def _content(response: HttpResponse) -> bytes:
    """Raises BackendUnavailable beyond MOST_BYTES."""
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > MOST_BYTES:
            raise BackendUnavailable(SERVICE, f"answered with more than {MOST_BYTES:,} bytes.")
    return bytes(content)


def _vector(numbers: list[float], dimensions: int) -> list[float]:
    """Raises ValueError, TypeError, OverflowError."""
    if len(numbers) != dimensions or not all(map(math.isfinite, numbers)):
        raise ValueError
    return numbers


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
