"""The SDK's client of a search service. It has only the policies that a search needs.

The client's thirteen default policies would take 16 % more of the CPU time of a retrieve (tests/benchmarks/pieces.py).
The policies that a search does not need are left out: redirects, proxies, decoding of bodies, logging of bodies, and
spans. This service makes its own span for each call.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, TypeAlias
from uuid import uuid4

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import (
    AsyncBearerTokenCredentialPolicy,
    AsyncHTTPPolicy,
    AzureKeyCredentialPolicy,
    UserAgentPolicy,
)
from azure.core.rest import HttpRequest
from azure.search.documents import __version__
from azure.search.documents.aio import SearchClient

from retrieval.outgoing.connections import Transport
from retrieval.outgoing.retries import SEARCH_WAITS, TEMPORARY, patiently, retry_after
from retrieval.telemetry import names, outgoing_calls
from retrieval.version import USER_AGENT

REQUEST_ID: Final = "x-ms-client-request-id"
AUDIENCE: Final = "https://search.azure.com"

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential


_USER_AGENT: Final = UserAgentPolicy(sdk_moniker=f"search-documents/{__version__}", user_agent=USER_AGENT).user_agent


def stamp(request: HttpRequest, headers: Mapping[str, str]) -> None:
    """Writes the headers, the user agent and a request id. All tries of a request have the same id.

    azure-core's request ids contain this machine's network address.
    """
    request.headers.update({**headers, REQUEST_ID: str(uuid4()), "User-Agent": _USER_AGENT})


class Retry(AsyncHTTPPolicy[Any, Any]):
    """Repeats a request after a temporary failure. This is safe, because a search changes nothing."""

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        send = partial(self.next.send, request)
        return await patiently(send, wait_of=_wait, waits=SEARCH_WAITS, system=names.AZURE_SEARCH)


def _wait(response: PipelineResponse[Any, Any]) -> float | None:
    """The least seconds to wait before a retry; None if the response is final. A failure without a `Retry-After` header
    is final, unless its status is in TEMPORARY."""
    status, retry_header = response.http_response.status_code, response.http_response.headers.get("Retry-After")
    if status == 429:
        outgoing_calls.throttled(names.AZURE_SEARCH)
    if status == 429 or status >= 500:
        return (0.0 if status in TEMPORARY else None) if retry_header is None else retry_after(retry_header)
    return None


def client(endpoint: str, credential: Credential, transport: Transport, *, audience: str | None = None) -> SearchClient:
    """One client for all indexes, because every request has its full URL. Redirects are not followed, because they
    would send keys and the user's token to another host. Tokens are requested for `audience`."""
    policy = (
        AzureKeyCredentialPolicy(credential, "api-key")
        if isinstance(credential, AzureKeyCredential)
        else AsyncBearerTokenCredentialPolicy(credential, f"{audience or AUDIENCE}/.default")
    )
    return SearchClient(endpoint, "-", credential, transport=transport, policies=[policy, Retry()])
