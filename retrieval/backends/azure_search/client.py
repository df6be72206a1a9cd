"""The SDK's client of a search service, with the policies of azure-core that a search needs and no others.

Its usual thirteen cost as much CPU time again as sending the request. The policies that do nothing here are left out:
redirects, proxies, decoding and logging of bodies, and spans, since a call has a span of ours.
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
from retrieval.backends.retries import patiently, retry_after
from retrieval.version import USER_AGENT

WAITS: Final = (0.0, 0.4)
PASSING: Final = frozenset({500, 503, 504})
REQUEST_ID: Final = "x-ms-client-request-id"
AUDIENCE: Final = "https://search.azure.com"

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential


class Headers(AsyncHTTPPolicy[Any, Any]):
    """Runs several policies that only write headers as one policy: the pipeline would make a coroutine for each."""

    def __init__(self, *policies: SansIOHTTPPolicy[Any, Any]) -> None:
        super().__init__()
        self._policies = policies

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        for policy in self._policies:
            policy.on_request(request)
        return await self.next.send(request)


class Stamp(SansIOHTTPPolicy[Any, Any]):
    """Writes the headers that the caller gives, the user agent, and an id for each request that stays the same at each
    try.

    azure-core's ids hold this machine's address, and take four times the CPU time.
    """

    def __init__(self) -> None:
        self._agent = UserAgentPolicy(sdk_moniker=f"search-documents/{__version__}", user_agent=USER_AGENT).user_agent

    def on_request(self, request: PipelineRequest[Any]) -> None:
        headers = request.http_request.headers
        headers.update(request.context.options.pop("headers"))
        headers[REQUEST_ID], headers["User-Agent"] = str(uuid4()), self._agent


class Retry(AsyncHTTPPolicy[Any, Any]):
    """Repeats a failure that may pass: searches change nothing."""

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        send = partial(self.next.send, request)
        return await patiently(send, wait_of=_wait, waits=WAITS, system=telemetry.AZURE_SEARCH)


def _wait(response: PipelineResponse[Any, Any]) -> float | None:
    """The seconds to wait where a failure may pass; a throttle that does not state them is final."""
    status, retry_header = response.http_response.status_code, response.http_response.headers.get("Retry-After")
    if status == 429:
        telemetry.throttled(telemetry.AZURE_SEARCH)
    if status == 429 or status >= 500:
        return (0.0 if status in PASSING else None) if retry_header is None else retry_after(retry_header)
    return None


def client(endpoint: str, credential: Credential, transport: Transport, *, audience: str | None = None) -> SearchClient:
    """One pipeline for all indexes, since every request has its whole URL. It follows no redirect, which would take
    keys and the user's token along. Tokens are for `audience`; its default is that of the public cloud."""
    retry = Retry()
    policies: list[AsyncHTTPPolicy[Any, Any]]
    if isinstance(credential, AzureKeyCredential):
        policies = [Headers(Stamp(), AzureKeyCredentialPolicy(credential, "api-key")), retry]
    else:
        policies = [
            Headers(Stamp()),
            retry,
            AsyncBearerTokenCredentialPolicy(credential, f"{audience or AUDIENCE}/.default"),
        ]
    return SearchClient(endpoint, "-", credential, transport=transport, policies=policies)
