"""Azure AI Search as a SearchIndex: one semantic query a sub-query, raw JSON through the SDK's whole pipeline.

`SearchClient.send_request` is used instead of `search`: authentication, retries and request ids are the same, and the
answer stays plain JSON, at a fifth of the CPU time. Reference: Documents - Search Post.
"""

import asyncio
import math
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import pydantic_core
from azure.core.credentials import AzureKeyCredential
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    DecodeError,
    ServiceRequestTimeoutError,
    ServiceResponseTimeoutError,
)
from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import AsyncRetryPolicy, SansIOHTTPPolicy
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest
from azure.search.documents.aio import SearchClient

from retrieval import telemetry
from retrieval.backends.search_body import SERVICE, body, needs_preview, recalled, selected
from retrieval.errors import (
    BackendError,
    BackendForbidden,
    BackendMissing,
    BackendRefused,
    BackendThrottled,
    BackendTimeout,
    BackendUnavailable,
    RankerAway,
)
from retrieval.filters.schema import Schema
from retrieval.model import Hit, IndexFields, JsonValue, Page, SearchTarget, Subquery

API_VERSION: Final = "2026-04-01"
PREVIEW_VERSION: Final = "2025-05-01-preview"
"""Knows the permissions of documents, and `hybridSearch`."""
LONGEST_WAIT: Final = 2.0
LONGEST_RETRY_AFTER: Final = 86_400
CONNECT_SECONDS: Final = 5
READ_SECONDS: Final = 30

SECRET_HEADERS: Final = ("api-key", "authorization", "x-ms-query-source-authorization")
JSON: Final = {"Accept": "application/json;odata.metadata=none"}

_NUMBERS: Final = (int, float)

Credential: TypeAlias = AzureKeyCredential | AsyncTokenCredential
Transport: TypeAlias = AsyncHttpTransport[Any, Any]


class PromptRetry(AsyncRetryPolicy[Any, Any]):
    """Retries soon or not at all: an answer that asks for a longer wait is final, and the sub-query fails with it.

    So is one whose `Retry-After` is neither seconds nor a date.
    """

    def is_retry(self, settings: dict[str, Any], response: Any) -> bool:
        if response.http_response.status_code == 429:
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


class OneSpan(SansIOHTTPPolicy[Any, Any]):
    """A call is one span, ours, whatever the SDK's own tracing is told; it forgets the option with every try."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        request.context.options["tracing_options"] = {"enabled": False}


class AzureSearchIndex:
    """Searches the indexes of one service.

    `fields` configures the roles of an index's fields; for an index that is not in it they are read once from the index
    definition, which Search Index Data Reader may not do. `transport` makes what stands in for the network.
    """

    def __init__(
        self,
        endpoint: str,
        credential: Credential,
        *,
        fields: Mapping[str, IndexFields],
        transport: Callable[[], Transport] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._credential = credential
        self._fields = dict(fields)
        self._transport = transport or _network
        self._schemas: dict[str, Schema | None] = {}
        self._readings: dict[str, asyncio.Task[IndexFields]] = {}

    async def search(self, subquery: Subquery) -> Page:
        """The 50 best documents, ranked semantically. Raises BackendError, and UnsupportedFilter."""
        index = subquery.target.index
        fields = await self._index_fields(index)
        preview = subquery.user_token is not None or needs_preview(subquery.target, fields)
        version = PREVIEW_VERSION if preview else API_VERSION
        url = f"{self._index_url(index)}/docs/search.post.search?api-version={version}"
        request = HttpRequest("POST", url, headers=_headers(subquery), json=body(subquery, fields))
        return _page(await self._send(request), fields, subquery.target)

    async def exists(self, index: str) -> bool | None:
        """Whether there is such an index; None where this service may not look. Raises BackendError."""
        try:
            await self._count(index)
        except BackendMissing:
            return False
        except BackendForbidden:
            return None
        return True

    async def schema(self, index: str) -> Schema | None:
        """The fields of an index, read once; None where this service may not look. Raises BackendError.

        Reading a definition takes more than Search Index Data Reader, so a refusal is kept for the life of the process.
        """
        from retrieval.backends.index_definition import read_index_fields, read_schema

        if index not in self._schemas:
            try:
                content = await self._definition(index)
                self._schemas[index] = read_schema(index, content)
                with suppress(BackendRefused):
                    self._fields.setdefault(index, read_index_fields(index, content))
            except BackendForbidden:
                self._schemas[index] = None
        return self._schemas[index]

    async def reach(self, index: str) -> None:
        """Return when the service answers for an index, be it that there is none. Raises BackendError."""
        with suppress(BackendMissing):
            await self._count(index)

    async def close(self) -> None:
        """Give the connections back, if there are any."""
        if "_client" in self.__dict__:
            await self._client.close()

    async def _count(self, index: str) -> None:
        """Documents are counted, which Search Index Data Reader may do: reading the definition takes more."""
        request = HttpRequest("GET", f"{self._index_url(index)}/docs/$count?api-version={API_VERSION}", headers=JSON)
        with telemetry.step("count", client=True, attributes=_described(index)):
            await self._send(request)

    async def _index_fields(self, index: str) -> IndexFields:
        """Whoever asks while a definition is being read shares that one reading, and its failure."""
        if index in self._fields:
            return self._fields[index]
        if index not in self._readings:
            self._readings[index] = asyncio.create_task(self._read(index))
        return await asyncio.shield(self._readings[index])

    async def _read(self, index: str) -> IndexFields:
        from retrieval.backends.index_definition import read_index_fields

        try:
            self._fields[index] = read_index_fields(index, await self._definition(index))
            return self._fields[index]
        finally:
            del self._readings[index]

    async def _definition(self, index: str) -> bytes:
        request = HttpRequest("GET", f"{self._index_url(index)}?api-version={API_VERSION}", headers=JSON)
        with telemetry.step("definition", client=True, attributes=_described(index)):
            return await self._send(request, reading=index)

    def _index_url(self, index: str) -> str:
        return f"{self._endpoint}/indexes('{quote(index, safe='')}')"

    @cached_property
    def _client(self) -> SearchClient:
        """One pipeline for all indexes, since every request names its whole address."""
        return SearchClient(
            self._endpoint,
            "-",
            self._credential,
            transport=self._transport(),
            per_retry_policies=[OneSpan()],
            retry_policy=PromptRetry(
                retry_total=2, retry_connect=1, retry_read=0, retry_backoff_factor=0.2, retry_backoff_max=LONGEST_WAIT
            ),
        )

    async def _send(self, request: HttpRequest, *, reading: str | None = None) -> bytes:
        """The body of a success. `reading` names the index whose definition is asked for.

        Streamed, since the pipeline would otherwise parse every body itself before it is parsed here.
        """
        request.headers.update(telemetry.outgoing())
        try:
            response = await self._client.send_request(request, stream=True)
            content = await response.read()
        except ClientAuthenticationError:
            raise BackendForbidden(SERVICE, status=401, hint="No token could be had for it.") from None
        except (DecodeError, zlib.error):
            raise BackendUnavailable(SERVICE, "answered what cannot be read.") from None
        except (ServiceRequestTimeoutError, ServiceResponseTimeoutError):
            raise BackendTimeout(SERVICE, seconds=READ_SECONDS) from None
        except AzureError as error:
            raise BackendUnavailable(SERVICE, f"could not be reached ({type(error).__name__}).") from error
        if response.status_code not in {200, 206}:
            raise _error(response, _without_secrets(content, response.request), reading=reading)
        return content


def _described(index: str) -> telemetry.Attributes:
    return {telemetry.INDEX: index, telemetry.SYSTEM: telemetry.AZURE_SEARCH}


def _network() -> Transport:
    from azure.core.pipeline.transport import AioHttpTransport

    transport: Transport = AioHttpTransport(
        use_env_settings=False, connection_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS
    )
    return transport


def _headers(subquery: Subquery) -> dict[str, str]:
    token = subquery.user_token
    return JSON if token is None else {**JSON, "x-ms-query-source-authorization": token}


def _page(content: bytes, fields: IndexFields, target: SearchTarget) -> Page:
    try:
        answer = pydantic_core.from_json(content)
        documents = answer["value"]
        if not isinstance(documents, list):
            raise TypeError
        names = selected(fields, target)
        titles = fields.titles
        hits = [_hit(document, fields, titles, names) for document in recalled(documents, fields, target)]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BackendUnavailable(SERVICE, "answered what cannot be read.") from None
    read = tuple(hit for hit in hits if hit is not None)
    cause = answer.get("@search.semanticPartialResponseReason")
    if cause is None and target.recall.rerank and any(hit.score is None for hit in read):
        cause = "no reranker score was returned"
    unranked = None if cause is None else RankerAway(SERVICE, cause=str(cause)[:100])
    return Page(hits=read, unreadable=len(hits) - len(read), unranked=unranked)


def _hit(
    document: Mapping[str, JsonValue], fields: IndexFields, titles: tuple[str, ...], names: tuple[str, ...]
) -> Hit | None:
    key, score = document.get(fields.key), document.get("@search.rerankerScore")
    if not isinstance(key, str) or not (score is None or (isinstance(score, _NUMBERS) and 0 <= score < math.inf)):
        return None
    if isinstance(score, bool):
        return None
    return Hit(
        key=key,
        score=score,
        title=_text(document, titles, between=" "),
        terms=_text(document, fields.terms, between=", "),
        content=_text(document, fields.content, between="\n"),
        source={name: document.get(name) for name in names},
    )


def _text(document: Mapping[str, JsonValue], names: tuple[str, ...], *, between: str) -> str | None:
    if not names:
        return None
    if len(names) == 1 and isinstance(only := document.get(names[0]), str):
        return only or None
    texts: list[str] = []
    for name in names:
        value = document.get(name)
        parts = value if isinstance(value, list) else (value,)
        texts += [part for part in parts if isinstance(part, str) and part]
    return between.join(texts) if texts else None


def _error(response: AsyncHttpResponse, content: bytes, *, reading: str | None) -> BackendError:
    status = response.status_code
    if status in {401, 403}:
        return BackendForbidden(SERVICE, status=status, hint=_hint(reading))
    if status == 429:
        return BackendThrottled(SERVICE, retry_after=_seconds(response.headers.get("Retry-After", "")))
    if status in {400, 413}:
        return BackendRefused(SERVICE, status=status, message=_message(content))
    if status == 404:
        return BackendMissing(SERVICE, kind="index")
    return BackendUnavailable(SERVICE, f"failed ({status}).")


def _without_secrets(content: bytes, request: HttpRequest) -> bytes:
    """A service may quote in its message what it was sent, and the message goes on to the caller."""
    sent = [request.headers.get(name, "").removeprefix("Bearer ").encode() for name in SECRET_HEADERS]
    for secret in filter(None, sent):
        content = content.replace(secret, b"***")
    return content


def _seconds(retry_after: str) -> float | None:
    """At most a day; None for what is not a number of seconds."""
    if not (retry_after.isascii() and retry_after.isdigit()):
        return None
    return min(float(retry_after), LONGEST_RETRY_AFTER)


def _hint(reading: str | None) -> str:
    if reading is None:
        return "It needs the role Search Index Data Reader."
    return (
        f"The definition of index {reading!r} cannot be read: Search Index Data Reader does not allow it. "
        "Name the index's key and semantic fields in the setting INDEX_FIELDS."
    )


def _message(content: bytes) -> str:
    try:
        return str(pydantic_core.from_json(content)["error"]["message"])[:1_000]
    except (ValueError, TypeError, KeyError):
        return "no reason given"
