"""The SDK's client of a search service, with the policies of azure-core that a search needs and no others.

Its usual thirteen cost as much CPU time again as sending the request. Left out are those that do nothing here:
redirects, proxies, decoding and logging of bodies, and spans, since a call has one span, ours.
"""

from typing import Any, Final, TypeAlias
from uuid import uuid4

from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import (
    AsyncBearerTokenCredentialPolicy,
    AsyncHTTPPolicy,
    AsyncRetryPolicy,
    AzureKeyCredentialPolicy,
    SansIOHTTPPolicy,
    UserAgentPolicy,
)
from azure.search.documents import __version__
from azure.search.documents.aio import SearchClient

from retrieval import pauses, telemetry
from retrieval.backends.connections import Transport

LONGEST_WAIT: Final = 2.0
REQUEST_ID: Final = "x-ms-client-request-id"
AUDIENCE: Final = "https://search.azure.com"

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential


class Headers(AsyncHTTPPolicy[Any, Any]):
    """Policies that only write headers, one after the other: the pipeline would ask each for coroutines."""

    def __init__(self, *policies: SansIOHTTPPolicy[Any, Any]) -> None:
        super().__init__()
        self._policies = policies

    async def send(self, request: PipelineRequest[Any]) -> PipelineResponse[Any, Any]:
        for policy in self._policies:
            policy.on_request(request)
        return await self.next.send(request)


class Stamp(SansIOHTTPPolicy[Any, Any]):
    """Who asks, and an id for each request, the same at each try.

    azure-core's ids hold this machine's address, and take four times the CPU time.
    """

    def __init__(self) -> None:
        self._agent = UserAgentPolicy(sdk_moniker=f"search-documents/{__version__}").user_agent

    def on_request(self, request: PipelineRequest[Any]) -> None:
        headers = request.http_request.headers
        headers[REQUEST_ID], headers["User-Agent"] = str(uuid4()), self._agent


class PromptRetry(AsyncRetryPolicy[Any, Any]):
    """Retries soon or not at all: an answer that asks for a longer wait is final, and its sub-query fails.

    So is an answer whose `Retry-After` is neither seconds nor a date.
    """

    def is_retry(self, settings: dict[str, Any], response: Any) -> bool:
        status = response.http_response.status_code
        if status < 400:
            return False
        if status == 429:
            telemetry.throttled(telemetry.AZURE_SEARCH)
        try:
            wait = self.get_retry_after(response)
        except (ValueError, OverflowError):
            return False
        return super().is_retry(settings, response) and (wait is None or wait <= LONGEST_WAIT)

    def increment(self, settings: dict[str, Any], response: Any = None, error: Any = None) -> bool:
        again = super().increment(settings, response=response, error=error)
        if again:
            telemetry.retried(telemetry.AZURE_SEARCH)
        return again

    async def sleep(self, settings: dict[str, Any], transport: Any, response: Any = None) -> None:
        wait = None if response is None else self.get_retry_after(response)
        pauses.tell(wait or self.get_backoff_time(settings))
        await super().sleep(settings, transport, response=response)


def client(endpoint: str, credential: Credential, transport: Transport, *, audience: str | None = None) -> SearchClient:
    """One pipeline for all indexes, since every request has its whole URL. It follows no redirect, which would take
    keys and the user's token along. Tokens are for `audience`, without it for the public cloud's."""
    retry = PromptRetry(
        retry_total=2, retry_connect=1, retry_read=0, retry_backoff_factor=0.2, retry_backoff_max=LONGEST_WAIT
    )
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
