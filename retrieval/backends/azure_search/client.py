"""The SDK's client of a search service. It has only the policies that a search needs.

The client's thirteen default policies take as much CPU time as sending the request. The policies that a search does not
need are left out: redirects, proxies, decoding of bodies, logging of bodies, and spans. This service makes its own span
for each call.
"""

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
    SansIOHTTPPolicy,
    UserAgentPolicy,
)
from azure.search.documents import __version__
from azure.search.documents.aio import SearchClient

from retrieval import telemetry
from retrieval.backends.connections import Transport
from retrieval.backends.retries import SEARCH_WAITS, TEMPORARY, patiently, retry_after
from retrieval.version import USER_AGENT

REQUEST_ID: Final = "x-ms-client-request-id"
AUDIENCE: Final = "https://search.azure.com"

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential


class Headers(AsyncHTTPPolicy[Any, Any]):
    """Runs several policies that only write headers as one policy. Otherwise the pipeline would make a coroutine for
    each policy."""

    def __init__(self, *policies: SansIOHTTPPolicy[Any, Any]) -> None:
        super().__init__()
        self._policies = policies

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        for policy in self._policies:
            policy.on_request(request)
        return await self.next.send(request)


class Stamp(SansIOHTTPPolicy[Any, Any]):
    """Writes the headers given to `send_request`, the user agent and a request id. All tries of a request have the same
    id.

    azure-core's request ids contain this machine's network address, and take four times the CPU time.
    """

    def __init__(self) -> None:
        self._agent = UserAgentPolicy(sdk_moniker=f"search-documents/{__version__}", user_agent=USER_AGENT).user_agent

    def on_request(self, request: PipelineRequest[Any]) -> None:
        headers = request.http_request.headers
        headers.update(request.context.options.pop("headers"))
        headers[REQUEST_ID], headers["User-Agent"] = str(uuid4()), self._agent


class Retry(AsyncHTTPPolicy[Any, Any]):
    """Repeats a request after a temporary failure. This is safe, because a search changes nothing."""

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        send = partial(self.next.send, request)
        return await patiently(send, wait_of=_wait, waits=SEARCH_WAITS, system=telemetry.AZURE_SEARCH)


def _wait(response: PipelineResponse[Any, Any]) -> float | None:
    """The least seconds to wait before a retry; None if the response is final. A failure without a `Retry-After` header
    is final, unless its status is in TEMPORARY."""
    status, retry_header = response.http_response.status_code, response.http_response.headers.get("Retry-After")
    if status == 429:
        telemetry.throttled(telemetry.AZURE_SEARCH)
    if status == 429 or status >= 500:
        return (0.0 if status in TEMPORARY else None) if retry_header is None else retry_after(retry_header)
    return None


def client(endpoint: str, credential: Credential, transport: Transport, *, audience: str | None = None) -> SearchClient:
    """One client for all indexes, because every request has its full URL. Redirects are not followed, because they
    would send keys and the user's token to another host. Tokens are requested for `audience`."""
    retry = Retry()
    policies: list[AsyncHTTPPolicy[Any, Any]]
    if isinstance(credential, AzureKeyCredential):
        policies = [Headers(Stamp(), AzureKeyCredentialPolicy(credential, "api-key")), retry]
    else:
        policies = [
            Headers(Stamp()),
            AsyncBearerTokenCredentialPolicy(credential, f"{audience or AUDIENCE}/.default"),
            retry,
        ]
    return SearchClient(endpoint, "-", credential, transport=transport, policies=policies)
